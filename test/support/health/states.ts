/** The status for each of the platform's states, of the kinds that have a state. */
import type { JsonObject, Kind, ReconcileContext } from "../../../src/engine/contract/kind.ts";
import type { ReconcileResult } from "../../../src/engine/status/build.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { operation } from "../../../src/kinds/operation/index.ts";
import { NOTHING_OBSERVED } from "../../../src/kinds/operation/model.ts";
import { clusterStates, serviceStates } from "../../../src/platform/codec/states.ts";
import { clusterContext, listed } from "../kinds/cluster-contexts.ts";
import { composed } from "../kinds/composed.ts";
import { operationContext } from "../kinds/operation-contexts.ts";
import * as applications from "../services/applications.ts";
import * as blueprints from "../services/blueprints.ts";
import * as databases from "../services/databases.ts";
import { created, kstatusOf, NOW, type HealthCase } from "./case.ts";

const FUTURE = "HIBERNATING";

interface Row {
  readonly kind: object;
  readonly states: readonly string[];
  /** The context and the observation of an object with that state and spec. */
  readonly seen: (state: string, spec: JsonObject) => readonly [pass: object, observed: object];
  readonly health: (state: string) => "Healthy" | "Progressing" | "Degraded";
  readonly spec?: JsonObject;
  /** The suffix after the state in the name of the case. */
  readonly suffix?: string;
}

const STATES = { services: [...serviceStates, FUTURE], clusters: [...clusterStates, FUTURE] };
/** The states that differ for services that should be stopped; all others are as for running ones. */
const STOPPING = ["DEPLOYED", "DEPLOYMENT_ERROR", "READY", "STOPPED", "STOPPING", "STOP_QUEUED", "WAITING_STOPPING"];

const FAILED = /_ERROR$|^(?:CANCELED|DELETED|INVALID_CREDENTIALS)$/;

/** The health of a service that should run: a failed one needs a person, as does one that another user stopped. */
function running(state: string): "Healthy" | "Progressing" | "Degraded" {
  if (["DEPLOYED", "RESTARTED", "READY"].includes(state)) return "Healthy";
  return FAILED.test(state) || state === "STOPPED" ? "Degraded" : "Progressing";
}

/** The health of a cluster that should run: the operator deploys it itself. */
function clusterRunning(state: string): "Healthy" | "Progressing" | "Degraded" {
  return ["READY", "STOPPED"].includes(state) ? "Progressing" : running(state);
}

function stopped(state: string): "Healthy" | "Progressing" {
  return ["READY", "STOPPED"].includes(state) ? "Healthy" : "Progressing";
}

function stoppable(row: Row): readonly Row[] {
  const states = STOPPING.filter((state) => row.states.includes(state));
  return [row, { ...row, states, health: stopped, spec: { runState: "Stopped" }, suffix: "to-stop" }];
}

function endedIn(state: string) {
  const ended =
    state === "Failed"
      ? { reason: "OperationRejected", message: "The platform rejected the operation (422)." }
      : { reason: state === "Accepted" ? "Accepted" : "Completed", message: "The invoices were sent." };
  const outcome = { result: state === "Failed" ? "Failed" : "Complete", ...ended, at: NOW.toISOString() };
  return { outcome } as never;
}

const ROWS: readonly Row[] = [
  ...stoppable({
    kind: application,
    states: STATES.services,
    seen: (state, spec) => [applications.passWith({ surface: "Full", spec }), applications.observedFull(state)],
    health: running,
  }),
  ...stoppable({
    kind: database,
    states: STATES.services,
    seen: (state, spec) => [databases.passWith({ spec }), databases.observedFull(state)],
    health: running,
  }),
  {
    kind: blueprint,
    states: STATES.services,
    seen: (state) => [blueprints.passWith({ memory: { createdAt: undefined } }), blueprints.observedIn(state)],
    health: running,
  },
  ...stoppable({
    kind: cluster,
    states: STATES.clusters,
    seen: (state, spec) => [clusterContext({}, spec), listed(state)],
    health: clusterRunning,
    spec: { runState: "Running" },
  }),
  {
    kind: operation,
    states: ["Complete", "Accepted", "Failed"],
    seen: (state) => [operationContext({ type: "SendInvoices" }, { memory: endedIn(state) }), NOTHING_OBSERVED],
    health: (state) => (state === "Failed" ? "Degraded" : "Healthy"),
  },
];

/** Returns the result of a reconcile with this observation. A step with a request is reported before it is taken. */
function endingOf(kind: Kind, pass: ReconcileContext, observed: object): ReconcileResult {
  const plan = kind.plan(pass, observed);
  switch (plan.is) {
    case "settled":
      return { is: "settled", why: kind.report(pass, observed).ready };
    case "waiting":
    case "stalled":
      return { is: plan.is, why: plan.why, exchange: "ok" };
    case "unknown":
      return { is: "unknown", why: plan.why, keepsReady: false };
    case "step":
      if (plan.step.repeat === "once") return { is: "waiting", why: plan.step.why, exchange: "ok" };
      throw new Error(`${plan.step.op} leaves no status before its outcome`);
    case "adopt":
    case "forget":
      throw new Error(`a state of the platform leads to ${plan.is}`);
    default:
      return plan satisfies never;
  }
}

function caseOf({ kind: typed, spec = {}, suffix, health: healthOf, seen }: Row, state: string): HealthCase {
  const kind = typed as Kind;
  const bare = created(kind.resource.kind);
  const object = { ...bare, spec: { ...(bare.spec as JsonObject), ...spec } };
  const [pass, observed] = seen(state, spec) as readonly [ReconcileContext, object];
  const status = composed({
    object,
    result: endingOf(kind, pass, observed),
    report: kind.report(pass, observed),
    memory: pass.memory,
    context: { ...pass, now: NOW },
  });
  const words = [kind.resource.kind, "state", state.replaceAll("_", "-"), ...(suffix === undefined ? [] : [suffix])];
  const health = healthOf(state);
  return { name: words.join("-").toLowerCase(), object: { ...object, status }, health, kstatus: kstatusOf(health) };
}

export const states: readonly HealthCase[] = ROWS.flatMap((row) => row.states.map((state) => caseOf(row, state)));
