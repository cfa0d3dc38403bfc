/**
 * The status for each result of a plan, of the kinds that have a state. The plan for each of the platform's states is
 * tested beside the kinds, e.g. in src/kinds/application/states.test.ts.
 */
import type { Kind, ReconcileContext } from "../../../src/engine/contract/kind.ts";
import type { ReconcileResult } from "../../../src/engine/status/build.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { operation } from "../../../src/kinds/operation/index.ts";
import { NOTHING_OBSERVED } from "../../../src/kinds/operation/model.ts";
import { clusterContext, listed } from "../kinds/cluster-contexts.ts";
import { composed } from "../kinds/composed.ts";
import { operationContext } from "../kinds/operation-contexts.ts";
import * as applications from "../services/applications.ts";
import * as blueprints from "../services/blueprints.ts";
import * as databases from "../services/databases.ts";
import { created, NOW, type HealthCase } from "./case.ts";

type Expected = Pick<HealthCase, "health" | "kstatus">;

const HEALTHY: Expected = { health: "Healthy", kstatus: "Current" };
const PROGRESSING: Expected = { health: "Progressing", kstatus: "InProgress" };
const DEGRADED: Expected = { health: "Degraded", kstatus: "Failed" };

const SERVICE_STATES = {
  DEPLOYED: HEALTHY,
  DEPLOYING: PROGRESSING,
  DEPLOYMENT_ERROR: DEGRADED,
  /** An undocumented one. */
  HIBERNATING: PROGRESSING,
};

const OUTCOMES = { Completed: HEALTHY, Accepted: HEALTHY, OperationRejected: DEGRADED };

function endedBy(reason: string) {
  const result = reason === "OperationRejected" ? "Failed" : "Complete";
  const outcome = { result, reason, message: "The platform said so.", at: NOW.toISOString() };
  return operationContext({ type: "SendInvoices" }, { memory: { outcome } as never });
}

/** Returns the context and the observation of an object with that state. */
type Seen = (state: string) => readonly [context: object, observed: object];

const ROWS: readonly (readonly [kind: object, states: Readonly<Record<string, Expected>>, seen: Seen])[] = [
  [application, SERVICE_STATES, (state) => [applications.passWith(), applications.observedFull(state)]],
  [database, SERVICE_STATES, (state) => [databases.passWith(), databases.observedFull(state)]],
  [blueprint, SERVICE_STATES, (state) => [blueprints.passWith(), blueprints.observedIn(state)]],
  [cluster, SERVICE_STATES, (state) => [clusterContext(), listed(state)]],
  [operation, OUTCOMES, (reason) => [endedBy(reason), NOTHING_OBSERVED]],
];

function resultOf(kind: Kind, context: ReconcileContext, observed: object): ReconcileResult {
  const plan = kind.plan(context, observed);
  if (plan.is === "settled") return { is: "settled", why: kind.report(context, observed).ready };
  if (plan.is === "unknown") return { is: "unknown", why: plan.why, keepsReady: false };
  if (plan.is === "waiting" || plan.is === "stalled") return { is: plan.is, why: plan.why, exchange: "ok" };
  throw new Error(`a state of the platform leads to ${plan.is}`);
}

function caseOf(kind: Kind, state: string, seen: Seen, expected: Expected): HealthCase {
  const object = created(kind.resource.kind);
  const [context, observed] = seen(state) as readonly [ReconcileContext, object];
  const status = composed({
    object,
    result: resultOf(kind, context, observed),
    report: kind.report(context, observed),
    memory: context.memory,
    context: { ...context, now: NOW },
  });
  const name = `${kind.resource.kind}-state-${state.replaceAll("_", "-")}`.toLowerCase();
  return { name, object: { ...object, status }, ...expected };
}

export const states: readonly HealthCase[] = ROWS.flatMap(([kind, expected, seen]) =>
  Object.entries(expected).map(([state, health]) => caseOf(kind as Kind, state, seen, health)),
);
