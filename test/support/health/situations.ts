/** The possible statuses of an object of any kind: one for each result of a reconcile. */
import type { Report, Why } from "../../../src/engine/contract/kind.ts";
import { statusPlanOf } from "../../../src/engine/policies/policy-status.ts";
import type { PolicyStatus } from "../../../src/engine/policies/policy-status.ts";
import { buildStatus, type ReconcileResult } from "../../../src/engine/status/build.ts";
import { RESOURCES } from "../../../src/kinds/index.ts";
import type { JsonObject, KubeObject } from "../../../src/kube/api/types.ts";
import { annotated, changed, created, NOW, type HealthCase } from "./case.ts";

const DONE: Why = { reason: "Available", message: "The object exists on the platform as described." };
const ENDINGS = {
  settled: { is: "settled", why: DONE },
  working: { is: "waiting", exchange: "ok", why: { reason: "Creating", message: "The platform creates it." } },
  waiting: {
    is: "waiting",
    exchange: "none",
    why: { reason: "ParentNotReady", message: 'Waiting for PlatformProject "shop" (reason Creating).' },
  },
  approval: {
    is: "waiting",
    exchange: "ok",
    why: { reason: "ApprovalPending", message: "A plan waits for approval: see status.plan." },
  },
  outsideWindow: {
    is: "waiting",
    exchange: "ok",
    why: { reason: "OutsideChangeWindow", message: "Waiting for a change window of spec.lifecycle.syncWindows." },
  },
  strange: {
    is: "waiting",
    exchange: "ok",
    why: { reason: "UnknownState", message: "The platform reports HIBERNATING, which is not documented." },
  },
  stalled: {
    is: "stalled",
    exchange: "ok",
    why: { reason: "InvalidSpec", message: "The platform rejected it: the name is not valid." },
  },
  trouble: {
    is: "retry",
    why: { reason: "PlatformUnavailable", message: "The platform answered with 503; the operator tries again." },
  },
  outage: {
    is: "retry",
    isOutage: true,
    why: { reason: "PlatformUnavailable", message: "The platform answered with 503; the operator tries again." },
  },
  held: {
    is: "held",
    stale: true,
    why: { reason: "ConnectionNotReady", message: 'PlatformConnection "default" is not ready (PlatformUnavailable).' },
  },
  paused: { is: "paused" },
} as const satisfies Record<string, ReconcileResult>;

/** @returns the object as it is stored after a reconcile with this result */
function after(object: KubeObject, ending: ReconcileResult, policyStatus?: PolicyStatus): KubeObject {
  const report: Report | undefined =
    ending.is === "settled" ? { ready: ending.why, conditions: [], status: {} } : undefined;
  const status = buildStatus({
    object,
    result: ending,
    report,
    memory: {},
    id: undefined,
    recordedIdentity: undefined,
    intent: undefined,
    handled: undefined,
    policyStatus,
    now: NOW,
  });
  return { ...object, status: JSON.parse(JSON.stringify(status)) as JsonObject };
}

/** Returns an object with a plan that needs an approval or waits for a change window. */
function planned(object: KubeObject, ending: ReconcileResult & { readonly why: Why }): KubeObject {
  const step = { op: "updateIt", action: undefined, repeat: "safe", message: "Updates it." } as const;
  const plan = statusPlanOf(object, [step], ending.why.reason);
  return after(object, ending, { appliedGeneration: undefined, lastApprovedPlan: undefined, plan });
}

const paused = (object: KubeObject): KubeObject => annotated(object, "paused", "true");

type Situation = Omit<HealthCase, "object"> & {
  readonly lead: (object: KubeObject) => KubeObject;
  /** Only for kinds that can have a plan. */
  readonly needsPlan?: boolean;
  /** Only for connections. */
  readonly isConnection?: boolean;
};

const { settled, working, waiting, approval, outsideWindow, strange, stalled, trouble, outage, held } = ENDINGS;

const SITUATIONS: readonly Situation[] = [
  { name: "new", health: "Progressing", kstatus: "InProgress", lead: (object) => object },
  { name: "working", health: "Progressing", kstatus: "InProgress", lead: (object) => after(object, working) },
  { name: "waiting", health: "Progressing", kstatus: "InProgress", lead: (object) => after(object, waiting) },
  {
    name: "approval",
    health: "Suspended",
    kstatus: "InProgress",
    lead: (object) => planned(object, approval),
    needsPlan: true,
  },
  {
    name: "window",
    health: "Suspended",
    kstatus: "InProgress",
    lead: (object) => planned(object, outsideWindow),
    needsPlan: true,
  },
  { name: "strange-state", health: "Progressing", kstatus: "InProgress", lead: (object) => after(object, strange) },
  { name: "ready", health: "Healthy", kstatus: "Current", lead: (object) => after(object, settled) },
  { name: "stalled", health: "Degraded", kstatus: "Failed", lead: (object) => after(object, stalled) },
  { name: "trouble", health: "Progressing", kstatus: "InProgress", lead: (object) => after(object, trouble) },
  { name: "held", health: "Progressing", kstatus: "InProgress", lead: (object) => after(object, held) },
  // The connection reports the platform's outage; a Ready object stays Ready.
  {
    name: "ready-in-trouble",
    health: "Healthy",
    kstatus: "Current",
    lead: (object) => after(after(object, settled), trouble),
  },
  {
    name: "outage",
    health: "Progressing",
    kstatus: "InProgress",
    isConnection: true,
    lead: (object) => after(after(object, settled), outage),
  },
  { name: "ready-held", health: "Healthy", kstatus: "Current", lead: (object) => after(after(object, settled), held) },
  // Conditions of an older generation do not count.
  {
    name: "ready-then-changed",
    health: "Progressing",
    kstatus: "InProgress",
    lead: (object) => changed(after(object, settled)),
  },
  {
    name: "stalled-then-changed",
    health: "Progressing",
    kstatus: "InProgress",
    lead: (object) => changed(after(object, stalled)),
  },
  {
    name: "changed-in-trouble",
    health: "Progressing",
    kstatus: "InProgress",
    lead: (object) => after(changed(after(object, settled)), trouble),
  },
  // kstatus does not know the annotation for a pause: it sees the conditions, which do not change.
  {
    name: "paused-new",
    health: "Suspended",
    kstatus: "InProgress",
    lead: (object) => paused(after(object, ENDINGS.paused)),
  },
  {
    name: "paused-ready",
    health: "Suspended",
    kstatus: "Current",
    lead: (object) => paused(after(after(object, settled), ENDINGS.paused)),
  },
  {
    name: "paused-stalled",
    health: "Suspended",
    kstatus: "Failed",
    lead: (object) => paused(after(after(object, stalled), ENDINGS.paused)),
  },
  {
    name: "ready-resumed",
    health: "Healthy",
    kstatus: "Current",
    lead: (object) => after(after(object, settled), ENDINGS.paused),
  },
];

/** The cases of each situation and kind. */
export const situations: readonly HealthCase[] = RESOURCES.flatMap(({ kind, status }) =>
  SITUATIONS.filter(
    ({ needsPlan, isConnection }) =>
      (needsPlan !== true || "plan" in status.shape) && (isConnection !== true || kind.endsWith("PlatformConnection")),
  ).map(({ lead, name, health, kstatus }) => ({
    name: `${kind.toLowerCase()}-${name}`,
    object: lead(created(kind)),
    health,
    kstatus,
  })),
);
