/** The possible statuses of an object of any kind: one for each result of a reconcile. */
import type { Report, Why } from "../../../src/engine/contract/kind.ts";
import { statusPlanOf } from "../../../src/engine/policies/policy-status.ts";
import type { PolicyStatus } from "../../../src/engine/policies/policy-status.ts";
import type { ReconcileResult } from "../../../src/engine/status/build.ts";
import { RESOURCES } from "../../../src/kinds/index.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { composed } from "../kinds/composed.ts";
import { raised } from "../kube/patches.ts";
import { annotated, created, NOW, type Health, type HealthCase, type Kstatus } from "./case.ts";

/** A reconcile that waits. @param exchange whether the platform answered in it */
const waitingFor = (reason: Why["reason"], message: string, exchange: "ok" | "none" = "ok") =>
  ({ is: "waiting", exchange, why: { reason, message } }) as const;

const UNAVAILABLE: Why = {
  reason: "PlatformUnavailable",
  message: "The platform answered with 503; the operator tries again.",
};
const CLOSED: Why = {
  reason: "ConnectionNotReady",
  message: 'PlatformConnection "default" is not ready (PlatformUnavailable).',
};

const settled = {
  is: "settled",
  why: { reason: "Available", message: "The object exists on the platform as described." },
} as const;
const working = waitingFor("Creating", "The platform creates it.");
const waiting = waitingFor("ParentNotReady", 'Waiting for PlatformProject "shop" (reason Creating).', "none");
const approval = waitingFor("ApprovalPending", "A plan waits for approval: see status.plan.");
const outsideWindow = waitingFor("OutsideChangeWindow", "Waiting for a change window of spec.lifecycle.syncWindows.");
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

function after(object: KubeObject, ending: ReconcileResult, policyStatus?: PolicyStatus): KubeObject {
  const report: Report | undefined =
    ending.is === "settled" ? { ready: ending.why, conditions: [], status: {} } : undefined;
  const context = { id: undefined, identitySource: undefined, now: NOW };
  return { ...object, status: composed({ object, result: ending, report, memory: {}, context, policyStatus }) };
}

/** Returns an object with a plan that needs an approval or waits for a change window. */
function planned(object: KubeObject, ending: ReconcileResult & { readonly why: Why }): KubeObject {
  const step = { op: "updateIt", action: undefined, repeat: "safe", message: "Updates it." } as const;
  const plan = statusPlanOf(object, [step], ending.why.reason);
  return after(object, ending, { appliedGeneration: undefined, lastApprovedPlan: undefined, plan });
}

const paused = (object: KubeObject): KubeObject => annotated(object, "paused", "true");

/** The kinds that have the situation: those that can have a plan, or connections; by default all. */
type Of = "plans" | "connections";

type Situation = readonly [name: string, Health, Kstatus, lead: (object: KubeObject) => KubeObject, of?: Of];

const having =
  (...endings: readonly ReconcileResult[]) =>
  (object: KubeObject): KubeObject =>
    endings.reduce((before, ending) => after(before, ending), object);

const SITUATIONS: readonly Situation[] = [
  ["new", "Progressing", "InProgress", (object) => object],
  ["working", "Progressing", "InProgress", having(working)],
  ["waiting", "Progressing", "InProgress", having(waiting)],
  ["approval", "Suspended", "InProgress", (object) => planned(object, approval), "plans"],
  ["window", "Suspended", "InProgress", (object) => planned(object, outsideWindow), "plans"],
  ["strange-state", "Progressing", "InProgress", having(strange)],
  ["ready", "Healthy", "Current", having(settled)],
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

export const situations: readonly HealthCase[] = RESOURCES.flatMap(({ kind, status }) =>
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
