/**
 * Every status that the operator writes, with the expected health in Argo CD and Flux. The plan for each of the platform's
 * states is tested beside the kinds, e.g. in src/kinds/application/states.test.ts.
 */
import { GROUP } from "../../src/api/names.ts";
import type { ConditionFact, Kind, ReconcileContext, Report, StatusReason } from "../../src/engine/contract/kind.ts";
import { type PolicyStatus, statusPlanOf } from "../../src/engine/policies/policy-status.ts";
import type { ReconcileResult } from "../../src/engine/status/outcome.ts";
import { application } from "../../src/kinds/application/index.ts";
import { blueprint } from "../../src/kinds/blueprint/index.ts";
import { cluster } from "../../src/kinds/cluster/index.ts";
import { database } from "../../src/kinds/database/index.ts";
import { RESOURCES } from "../../src/kinds/index.ts";
import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { clusterContext, listed } from "../support/kinds/cluster-contexts.ts";
import { composed } from "../support/kinds/composed.ts";
import { SMALLEST } from "../support/kinds/spec-cases.ts";
import { raised } from "../support/kube/patches.ts";
import { stored } from "../support/kube/stored.ts";
import * as applications from "../support/services/applications.ts";
import * as blueprints from "../support/services/blueprints.ts";
import * as databases from "../support/services/databases.ts";

export interface HealthCase {
  /** A file name without its extension. */
  readonly name: string;
  readonly object: KubeObject;
  readonly health: "Healthy" | "Progressing" | "Degraded" | "Suspended";
  readonly kstatus: "Current" | "InProgress" | "Failed";
}

const NOW = new Date("2026-11-21T10:00:00.000Z");

export function created(kind: string): KubeObject {
  return stored(kind, kind.replace(/^(?:Cluster)?Platform/, "").toLowerCase(), {
    metadata: { uid: "00000000-0000-4000-8000-000000000001", resourceVersion: "1" },
    spec: (SMALLEST[kind] ?? {}) as JsonObject,
    status: { observedGeneration: -1 },
  });
}

export function annotated(object: KubeObject, annotation: string, value: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [`${GROUP}/${annotation}`]: value };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A reconcile that waits. @param exchange whether the platform answered in it */
const waitingFor = (reason: StatusReason["reason"], message: string, exchange: "ok" | "none" = "ok") =>
  ({ is: "waiting", exchange, why: { reason, message } }) as const;

const UNAVAILABLE: StatusReason = {
  reason: "PlatformUnavailable",
  message: "The platform answered with 503; the operator tries again.",
};
const CLOSED: StatusReason = {
  reason: "ConnectionNotReady",
  message: 'PlatformConnection "default" is not ready (PlatformUnavailable).',
};

const settled = {
  is: "settled",
  why: { reason: "Available", message: "The object exists on the platform as described." },
} as const;
const notShown = {
  is: "settled",
  why: { reason: "NotObservable", message: "The request was accepted; no read shows its end." },
} as const;
const UNSENT: ConditionFact = {
  type: "SettingsSynced",
  status: "False",
  reason: "UpdateNotSupported",
  message: "The platform's surface has no update of it. Not changed there: spec.name.",
};
const working = waitingFor("Creating", "The platform creates it.");
const waiting = waitingFor("ParentNotReady", 'Waiting for PlatformProject "shop" (reason Creating).', "none");
const approval = waitingFor("ApprovalPending", "A plan waits for approval: see status.plan.");
const strange = waitingFor("UnknownState", "The platform reports HIBERNATING, which is not documented.");
const stalled = {
  is: "stalled",
  exchange: "ok",
  why: { reason: "InvalidSpec", message: "The platform rejected it: the name is not valid." },
} as const;
const trouble = { is: "retry", why: UNAVAILABLE } as const;
const outage = { ...trouble, isOutage: true } as const;
const held = { is: "held", stale: true, why: CLOSED } as const;
const pause = { is: "paused" } as const;

function after(
  object: KubeObject,
  ending: ReconcileResult,
  policyStatus?: PolicyStatus,
  conditions: readonly ConditionFact[] = [],
): KubeObject {
  const report: Report | undefined =
    ending.is === "settled" ? { ready: ending.why, conditions, status: {} } : undefined;
  const context = { id: undefined, identitySource: undefined, now: NOW };
  return { ...object, status: composed({ object, result: ending, report, memory: {}, context, policyStatus }) };
}

/** Returns an object with a plan that waits for approval. */
function planned(object: KubeObject, ending: ReconcileResult & { readonly why: StatusReason }): KubeObject {
  const step = { op: "updateIt", action: undefined, repeat: "safe", message: "Updates it." } as const;
  const plan = statusPlanOf(object, [step]);
  return after(object, ending, { appliedGeneration: undefined, lastApprovedPlan: undefined, plan });
}

const paused = (object: KubeObject): KubeObject => annotated(object, "paused", "true");

/** The kinds that have the situation: those that can have a plan, or connections; by default all. */
type Of = "plans" | "connections";

type Situation = readonly [
  name: string,
  health: HealthCase["health"],
  kstatus: HealthCase["kstatus"],
  lead: (object: KubeObject) => KubeObject,
  of?: Of,
];

const having =
  (...endings: readonly ReconcileResult[]) =>
  (object: KubeObject): KubeObject =>
    endings.reduce((before, ending) => after(before, ending), object);

const SITUATIONS: readonly Situation[] = [
  ["new", "Progressing", "InProgress", (object) => object],
  ["working", "Progressing", "InProgress", having(working)],
  ["waiting", "Progressing", "InProgress", having(waiting)],
  ["approval", "Suspended", "InProgress", (object) => planned(object, approval), "plans"],
  ["strange-state", "Progressing", "InProgress", having(strange)],
  ["ready", "Healthy", "Current", having(settled)],
  ["not-shown", "Healthy", "InProgress", having(notShown)],
  ["ready-unsent", "Healthy", "Current", (object) => after(object, settled, undefined, [UNSENT])],
  ["not-shown-unsent", "Healthy", "InProgress", (object) => after(object, notShown, undefined, [UNSENT])],
  ["not-shown-in-trouble", "Healthy", "InProgress", having(notShown, trouble)],
  ["stalled", "Degraded", "Failed", having(stalled)],
  ["trouble", "Progressing", "InProgress", having(trouble)],
  ["held", "Progressing", "InProgress", having(held)],
  // The connection reports the platform's outage; a Ready object stays Ready.
  ["ready-in-trouble", "Healthy", "Current", having(settled, trouble)],
  ["outage", "Progressing", "InProgress", having(settled, outage), "connections"],
  ["ready-held", "Healthy", "Current", having(settled, held)],
  // Conditions of an older generation do not count.
  ["ready-then-changed", "Progressing", "InProgress", (object) => raised(after(object, settled))],
  ["stalled-then-changed", "Progressing", "InProgress", (object) => raised(after(object, stalled))],
  ["changed-in-trouble", "Progressing", "InProgress", (object) => after(raised(after(object, settled)), trouble)],
  // kstatus does not know the annotation for a pause: it sees the conditions, which do not change.
  ["paused-new", "Suspended", "InProgress", (object) => paused(after(object, pause))],
  ["paused-ready", "Suspended", "Current", (object) => paused(having(settled, pause)(object))],
  ["paused-stalled", "Suspended", "Failed", (object) => paused(having(stalled, pause)(object))],
  ["ready-resumed", "Healthy", "Current", having(settled, pause)],
];

const situations: readonly HealthCase[] = RESOURCES.flatMap(({ kind, status }) =>
  SITUATIONS.filter(
    ([, , , , of]) =>
      (of !== "plans" || "plan" in status.shape) && (of !== "connections" || kind.endsWith("Connection")),
  ).map(([name, health, kstatus, lead]) => ({
    name: `${kind.toLowerCase()}-${name}`,
    object: lead(created(kind)),
    health,
    kstatus,
  })),
);

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

/** Returns the context and the observation of an object with that state. */
type Seen = (state: string) => readonly [context: object, observed: object];

const ROWS: readonly (readonly [kind: object, states: Readonly<Record<string, Expected>>, seen: Seen])[] = [
  [application, SERVICE_STATES, (state) => [applications.contextWith(), applications.observedFull(state)]],
  [database, SERVICE_STATES, (state) => [databases.contextWith(), databases.observedFull(state)]],
  [blueprint, SERVICE_STATES, (state) => [blueprints.contextWith(), blueprints.observedIn(state)]],
  [cluster, SERVICE_STATES, (state) => [clusterContext(), listed(state)]],
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
    resource: kind.resource,
    memory: context.memory,
    context: { ...context, now: NOW },
  });
  const name = `${kind.resource.kind}-state-${state.replaceAll("_", "-")}`.toLowerCase();
  return { name, object: { ...object, status }, ...expected };
}

const states: readonly HealthCase[] = ROWS.flatMap(([kind, expected, seen]) =>
  Object.entries(expected).map(([state, health]) => caseOf(kind as Kind, state, seen, health)),
);

export const healthCases: readonly HealthCase[] = [...situations, ...states];
