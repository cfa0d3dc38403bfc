/**
 * Writes how a reconcile ended: the outputs of the kind, one status patch if something changed, events on transitions,
 * and the next requeue. Writes are the most expensive thing that the operator does: `throttle` delays them, and
 * transitions become events, never polls (docs/project/architecture.md §5).
 */
import { isDeepStrictEqual } from "node:util";

import { REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import type { Reason } from "../../api/reasons.ts";
import { hasObject, writesFields } from "../../api/resource.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import { member } from "../../kube/api/json.ts";
import type { EventInput, EventRecorder, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { DelayedStatus } from "../context/persistence.ts";
import type { Kind, Ms, StatusReason } from "../contract/kind.ts";
import { alignToGroup, backoff, followInterval, jitter, pollInterval } from "../contract/requeue.ts";
import {
  type Condition,
  conditionOf,
  conditionsOf,
  isSettled,
  isStalled,
  recordedIdIn,
  statusOf,
  recordedIn,
} from "../contract/status.ts";
import type { Windows } from "../contract/windows.ts";
import { openAction } from "../ledger/intent.ts";
import { redeployToken, requestedToken, unhandledRedeploy } from "../policies/policy.ts";
import { buildStatus, FAILED } from "./build.ts";
import type { ReconcileResult } from "./outcome.ts";
import {
  idToStore,
  isListed,
  memoryToStore,
  type Reconciliation,
  type Resolved,
  type Unresolved,
} from "./reconciliation.ts";

/**
 * Writes how a reconcile ended.
 * @returns milliseconds until the object is to be reconciled again
 * @throws KubeError
 */
export async function writeStatus(r: Unresolved | Resolved, ended: ReconcileResult): Promise<Ms> {
  const { ports, kind, object, local } = r;
  const isHandled = r.isResolved && handlesRequest(r, ended) && !isPlanHeld(r);
  const result = await writeOutputs(r, ended);
  const { handledRedeploy, refusal } = redeployAnswer(r);
  const status = buildStatus({
    object,
    result,
    report: r.report,
    resource: kind.resource,
    memory: memoryToStore(r),
    id: kind.resource.lifecycle === "None" ? undefined : idToStore(r),
    recordedIdentity: r.isResolved && isPinned(r, result) ? r.recordedIdentity : undefined,
    isListed: isListed(r),
    intent: openAction(object, local.persistence),
    handled: isHandled ? requestedToken(object) : undefined,
    handledRedeploy,
    policyStatus: r.isResolved && "appliedGeneration" in kind.resource.status.shape ? r.policyStatus : undefined,
    now: ports.clock.now(),
  });
  const isDeferred = result.is === "deferred";
  const next = isDeferred ? Math.max(result.again ?? 0, ports.windows.followMinMs) : nextReconcile(r, result);
  const patience = throttle(object, status, result, ports.windows);
  const held = await write(r, status, { patience, refusal });
  return held === undefined ? next : Math.min(next, held);
}

/**
 * Reports whether the reconcile handled a reconcile request. A failed or delayed reconcile does not handle one. Any
 * reconcile of a deletion does.
 */
function handlesRequest({ context, report }: Resolved, result: ReconcileResult): boolean {
  if (context.goal !== "present") return true;
  if (report === undefined) return false;
  if (result.is === "settled" || result.is === "stalled" || result.is === "unknown") return true;
  return result.is === "waiting" && result.exchange === "ok";
}

/** Reports whether a reconcile request is held: its plan is not approved, or its window not open. */
function isPlanHeld({ policyStatus }: Resolved): boolean {
  return policyStatus.plan !== undefined && policyStatus.plan.approved !== true;
}

/**
 * Reports whether the status gets the identity: an object is recorded, or the resource wrote into other objects or
 * found them as wanted.
 */
function isPinned(r: Resolved, result: ReconcileResult): boolean {
  const { resource } = r.kind;
  if (!writesFields(resource)) return hasObject(resource) && idToStore(r) !== undefined;
  const isOurs = result.is === "settled" || recordedIn(r.object, "identity") !== undefined;
  return r.local.persistence.state.outcome !== undefined || (r.report !== undefined && isOurs);
}

/**
 * Writes the status, or delays the write until the status has looked like this for `patience`.
 * @returns the delay that is left; undefined when nothing is left to write
 */
async function write(
  { ports, object, local, report }: Reconciliation,
  status: JsonObject,
  { patience, refusal }: { readonly patience: Ms; readonly refusal?: string | undefined },
): Promise<Ms | undefined> {
  if (isDeepStrictEqual(status, statusOf(object))) {
    local.persistence.noteStatusStored();
    ports.observer.status(object, object);
    return undefined;
  }
  const now = ports.clock.monotonic();
  const built = { signature: significantPart(status), object, status, note: report?.note, refusal };
  const delayed = local.persistence.delayStatus(built, now);
  const left = delayed.since + patience - now;
  if (left > 0) return left;
  await store(ports, local, delayed);
  return undefined;
}

async function store(ports: Ports, local: LocalState, { object, status, note, refusal }: DelayedStatus): Promise<void> {
  const stored = await storeStatus(ports, object, status, note);
  local.persistence.noteStatusStored();
  if (refusal !== undefined) recordRefusal(ports.events, stored, refusal);
}

/**
 * Writes, before the process ends, the delayed statuses that contain what only this process knows, such as the id of a
 * request. The next process traces what cannot be written.
 */
export async function flush(ports: Ports): Promise<void> {
  const held = [...ports.localStates.all()].flatMap((local) => {
    const { delayed, outcome } = local.persistence.state;
    return delayed === undefined || outcome === undefined ? [] : [store(ports, local, delayed)];
  });
  await Promise.allSettled(held);
}

/** Returns the time until the next reconcile, and counts how often in a row the object waits for the same reason. */
function nextReconcile(r: Unresolved | Resolved, result: ReconcileResult): Ms {
  const { ports, local } = r;
  if (result.is !== "retry" && result.is !== "held" && result.is !== "stalled") local.failures.count = 0;
  const reason = result.is === "waiting" || result.is === "unknown" ? result.why.reason : "";
  const { streak } = local.waiting;
  local.waiting.streak = { reason, times: reason === streak.reason ? streak.times + 1 : 0 };
  const again = Math.min(result.again ?? usualDelay(r, result), r.report?.lookWithin ?? Infinity);
  // Only work under way is requeued at once.
  return result.is === "waiting" ? again : Math.max(again, ports.windows.backoffMinMs);
}

function usualDelay(r: Unresolved | Resolved, result: ReconcileResult): Ms {
  const { object, local, ports } = r;
  const defaults = r.isResolved ? r.connection.settings.defaults : undefined;
  const { ms: pollMs } = pollInterval(object, ports.windows, defaults?.pollInterval);
  const { windows, random, clock } = ports;
  switch (result.is) {
    case "settled": {
      // An object that has just settled often still changes: its children, its ingress.
      if (!isSettled(object)) return jitter(Math.min(pollMs, windows.firstLookMs), random());
      const group = r.isResolved ? groupOf(r) : undefined;
      return group === undefined ? jitter(pollMs, random()) : alignToGroup(pollMs, group, clock.monotonic());
    }
    case "waiting":
    case "unknown":
      return followInterval(local.waiting.streak.times, windows);
    case "stalled":
    case "paused":
    case "deferred":
      return jitter(pollMs, random());
    case "retry":
      return backoff(local.failures.count, windows, random());
    case "held":
      return isSettled(object) ? jitter(Math.min(pollMs, windows.staleMs), random()) : windows.followMaxMs * 2;
    default:
      return result satisfies never;
  }
}

/** Returns the name of the group of objects that share reads of the platform: they are reconciled together. */
function groupOf({ kind, context, connection, recordedIdentity }: Resolved): string | undefined {
  const isShared = kind.listable?.(context.isFull) === true;
  return isShared ? (recordedIdentity.parentId ?? connection.uid) : undefined;
}

/** Reasons of a failed read that may be caused by an outage of the whole platform, or of a proxy before it. */
const OUTAGES: ReadonlySet<string> = new Set<Reason>([
  "PlatformUnavailable",
  "PlatformUnreachable",
  "RateLimited",
  "UnexpectedResponse",
]);

/**
 * Returns how long the write of a status may be delayed, counted from when the status first looked like this. An
 * intermediate state of reported work is written once it lasts 10 s. The same delay applies to a failed exchange about
 * a settled object, including a side read: the connection may have caused it, and reports it once. The first status of
 * a waiting object is delayed for a moment: objects that are applied with it may end the wait. A reconcile that the
 * rate limit defers writes only what would be lost at the end of the process (see `flush`). Everything else is written
 * at once. The answer to a reconcile request is never delayed: until it is written, the next reconcile would carry out
 * the request again.
 */
export function throttle(object: KubeObject, status: JsonObject, result: ReconcileResult, windows: Windows): Ms {
  if (result.is === "deferred") return Number.POSITIVE_INFINITY;
  if (answersRequest(object, status)) return 0;
  if (keepsReady(object, status, result)) return windows.deferMs;
  const isWorking = result.is === "waiting" || result.is === "retry" || (result.is === "held" && !isSettled(object));
  if (!isWorking) return 0;
  if (conditionOf(object, "Ready") === undefined) return windows.graceMs;
  const current = member(object.status, "observedGeneration") === (object.metadata.generation ?? 0);
  return isReported(object, result) && current ? windows.deferMs : 0;
}

/** Reports whether the status answers a request that the stored one does not. */
function answersRequest(object: KubeObject, status: JsonObject): boolean {
  return ["lastHandledReconcileAt", "lastHandledRedeployAt"].some((answer) => {
    const handled = member(status, answer);
    return handled !== undefined && handled !== member(object.status, answer);
  });
}

/** Reports whether the stored status says already that the object waits. A stalled one may wait for its connection. */
function isReported(object: KubeObject, result: ReconcileResult): boolean {
  return conditionOf(object, "Reconciling")?.status === "True" || (result.is === "held" && isStalled(object));
}

/** Reports whether the stored Ready stays although an exchange failed, as the failure may be over soon. */
function keepsReady(object: KubeObject, status: JsonObject, result: ReconcileResult): boolean {
  if (result.is === "unknown") return result.keepsReady;
  if (!isSettled(object)) return false;
  return result.is === "retry" || (result.is === "settled" && losesDetail(object, status));
}

/** Reports whether a detail from a side read is lost, perhaps as the first sign of an outage. */
function losesDetail(object: KubeObject, status: JsonObject): boolean {
  return conditionsOf({ status }).some(
    (condition) =>
      condition.status === "Unknown" &&
      OUTAGES.has(condition.reason) &&
      conditionOf(object, condition.type)?.reason !== condition.reason,
  );
}

/** Returns the significant part of a status. A change of it restarts the delay. */
export function significantPart(status: JsonObject): string {
  const conditions = conditionsOf({ status }).map(({ type, status: value, reason }) => `${type}=${value}/${reason}`);
  const state = member(status, "state");
  return JSON.stringify([conditions, typeof state === "string" ? state : "", member(status, "externalId") ?? ""]);
}

export type Transition = Pick<EventInput, "type" | "reason" | "note">;

/** Reasons of work under way. They make no event: the reason that Ready has at the end of the work does. */
const UNDER_WAY: ReadonlySet<string> = new Set<Reason>([
  ...(["Progressing", "Creating", "Queued", "Building", "Deploying", "Canceling"] as const),
  ...(["Stopping", "Restarting", "Upgrading", "Deleting"] as const),
]);

/**
 * Returns the transitions: Ready with a new reason, except for work under way; else an exchange that failed or works
 * again, which Ready does not report; drift; and settings that cannot be sent. Pure.
 * @param note the text of the event of Ready=True, in place of its message
 */
export function transitions(before: KubeObject, after: KubeObject, note?: string): readonly Transition[] {
  const ready = changed(before, after, "Ready");
  const reported = ready === undefined ? syncedTransition(before, after) : readyTransition(after, ready, note);
  const drifted = changed(before, after, "Drifted");
  const unsent = changed(before, after, "SettingsSynced");
  return [
    ...reported,
    ...(drifted?.status === "True" ? [event("Warning", drifted)] : []),
    ...(unsent?.status === "False" ? [event("Warning", unsent)] : []),
  ];
}

function readyTransition(after: KubeObject, ready: Condition, note = ready.message): readonly Transition[] {
  if (isFailing(after)) return [event("Warning", ready)];
  return UNDER_WAY.has(ready.reason)
    ? []
    : [event("Normal", ready.status === "True" ? { ...ready, message: note } : ready)];
}

/**
 * Writes a status, and reports its transitions as events and to the observer.
 * @param note see `transitions`
 * @returns the object as the API server has it now
 * @throws KubeError
 */
export async function storeStatus(
  { writer, events, observer }: Pick<Ports, "writer" | "events" | "observer">,
  object: KubeObject,
  status: JsonObject,
  note?: string,
): Promise<KubeObject> {
  const stored = await writer.patchStatus(object, status);
  recordTransitions(events, object, stored, note);
  observer.status(stored, object);
  return stored;
}

/** Records the events of a status that was written. */
export function recordTransitions(events: EventRecorder, before: KubeObject, after: KubeObject, note?: string): void {
  for (const transition of transitions(before, after, note))
    events.record({ regarding: after, action: "Reconcile", ...transition });
}

/** Records that a request to deploy again was refused. @param refusal why, as a sentence */
export function recordRefusal(events: EventRecorder, regarding: KubeObject, refusal: string): void {
  const note = `The request by the annotation ${REDEPLOY_REQUESTED_AT} is refused: ${refusal}`;
  events.record({ regarding, type: "Warning", reason: "RedeployRefused", action: "Redeploy", note });
}

/** Returns the condition if its status or reason differs from before. */
function changed(before: KubeObject, after: KubeObject, type: string): Condition | undefined {
  const old = conditionOf(before, type);
  const now = conditionOf(after, type);
  return old?.status === now?.status && old?.reason === now?.reason ? undefined : now;
}

function syncedTransition(before: KubeObject, after: KubeObject): readonly Transition[] {
  const synced = changed(before, after, "Synced");
  if (synced === undefined || conditionOf(before, "Synced") === undefined) return [];
  const told = synced.message === FAILED ? (conditionOf(after, "Ready") ?? synced) : synced;
  return [event(synced.status === "True" ? "Normal" : "Warning", told)];
}

function isFailing(object: KubeObject): boolean {
  if (conditionOf(object, "Stalled") !== undefined) return true;
  return conditionOf(object, "Ready")?.status !== "True" && conditionOf(object, "Synced")?.status === "False";
}

function event(type: Transition["type"], { reason, message }: Condition): Transition {
  return { type, reason, note: message };
}

/**
 * Writes the outputs of a report. A ConfigMap or Secret of somebody else is not overwritten; the object reports that,
 * and one that the operator may not write.
 * @returns the result, which differs if an output cannot be written
 * @throws KubeError
 */
export async function writeOutputs(r: Unresolved | Resolved, result: ReconcileResult): Promise<ReconcileResult> {
  const { ports, object } = r;
  const { output, secret, learned } = r.report ?? {};
  if (learned !== undefined) keepLearned(r, learned);
  if (output !== undefined) {
    try {
      await ports.outputs.configMap(object, output);
    } catch (error) {
      const why = refusalOf(error, "ConfigMap", output.name);
      if (why === undefined) throw error;
      // The report describes the content of the ConfigMap, which was not written.
      r.report = undefined;
      return unwritten(r, why);
    }
  }
  if (secret === undefined) return result;
  let version: string;
  try {
    version = await ports.outputs.secret(object, secret);
  } catch (error) {
    const why = refusalOf(error, "Secret", secret.name);
    if (why === undefined) throw error;
    // Another problem of the object is reported first. The next reconcile tries to write the Secret again.
    return result.is === "settled" || result.is === "unknown" ? unwritten(r, why) : result;
  }
  keepLearned(r, secret.status(version));
  return result;
}

/** Keeps members of status that no later reconcile can find out, also while the write of the status is delayed. */
function keepLearned(r: Unresolved | Resolved, status: JsonObject): void {
  const { local, report, object } = r;
  local.persistence.noteLearned(object, { id: idToStore(r), memory: { ...memoryToStore(r), ...status } });
  if (report !== undefined) r.report = { ...report, status: { ...report.status, ...status } };
}

type Output = "ConfigMap" | "Secret";

/** The roles that allow to write outputs, and the values of the chart that bind them in a namespace. */
const ROLES: Readonly<Record<Output, readonly [role: string, value: string]>> = {
  ConfigMap: ["platform-operator-configmap-outputs", "rbac.configMapOutputs"],
  Secret: ["platform-operator-secret-outputs", "rbac.secretOutputs"],
};

/** Returns why an output cannot be written; undefined for other errors. */
function refusalOf(error: unknown, kind: Output, name: string): StatusReason | undefined {
  if (!(error instanceof KubeError) || !isKube(error, "Conflict", "Invalid", "Forbidden")) return undefined;
  if (error.failure === "Conflict") return notOurs(kind, name);
  const [role, value] = ROLES[kind];
  const refuser = error.refusedBy();
  const denied = (message: string): StatusReason => ({ reason: "PermissionDenied", message });
  if (refuser !== undefined) {
    return denied(`${refuser} does not let the operator write ${kind} "${name}" in this namespace. It tries again.`);
  }
  if (error.failure === "Invalid") {
    return denied(
      `The API server does not accept ${kind} "${name}", perhaps because of an admission policy of the cluster. The operator tries again.`,
    );
  }
  return denied(
    `The operator may not write ${kind} "${name}" in this namespace. A cluster admin can bind the ClusterRole ${role} to the operator's ServiceAccount here; with the chart, add the namespace to ${value}.`,
  );
}

function notOurs(kind: Output, name: string): StatusReason {
  const message = `${kind} "${name}" exists and belongs to something else, so nothing is written to it. Rename or delete it.`;
  return { reason: "NameConflict", message };
}

function unwritten({ ports, local }: Reconciliation, why: StatusReason): ReconcileResult {
  local.failures.count += 1;
  const again = backoff(local.failures.count, ports.windows, ports.random());
  return { is: "stalled", why, exchange: "ok", again };
}

/** The answer to a request; empty without one, and while the request waits. */
interface RedeployAnswer {
  /** The value of the annotation. */
  readonly handledRedeploy?: string;
  /** Why nothing is deployed; absent where that needs no event. */
  readonly refusal?: string;
}

/** Returns the open request to deploy a recorded object again; undefined where its kind cannot be deployed. */
export function requestedRedeploy(kind: Pick<Kind, "resource">, object: KubeObject): string | undefined {
  return isRedeployable(kind) ? redeployToken(object) : undefined;
}

/** Reports whether the objects of a kind can be deployed again: their status then has the answer. */
function isRedeployable({ resource }: Pick<Kind, "resource">): boolean {
  return "lastHandledRedeployAt" in resource.status.shape;
}

const NOT_CREATED =
  "It was not recorded on the platform when that was requested, so there is nothing to deploy again. After its creation it is deployed without a request.";

/** Returns the answer to a request that no deployment answers. A deployment answers one in the kind's memory. */
export function redeployAnswer({ kind, object, report }: Reconciliation): RedeployAnswer {
  const handledRedeploy = isRedeployable(kind) ? unhandledRedeploy(object) : undefined;
  if (handledRedeploy === undefined) return {};
  if (recordedIdIn(object) === undefined) {
    // A manifest that brings the annotation along, e.g. from a backup, requests nothing.
    const isNew = conditionOf(object, "Ready") === undefined;
    return isNew ? { handledRedeploy } : { handledRedeploy, refusal: NOT_CREATED };
  }
  const refusal = report?.redeployRefusal;
  return refusal === undefined ? {} : { handledRedeploy, refusal };
}
