/**
 * Decides which statuses are written now, and which changes of a status become events: transitions, never polls. Writes
 * are the most expensive thing that the operator does (docs/architecture.md §5).
 */
import { REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import type { Reason } from "../../api/reasons.ts";
import { member } from "../../kube/api/json.ts";
import type { EventInput, EventRecorder, JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { Ms } from "../contract/kind.ts";
import { conditionOf, conditionsOf, isSettled, isStalled, type Condition } from "../contract/status.ts";
import type { Windows } from "../contract/windows.ts";
import type { ReconcileResult } from "./outcome.ts";

/** Reasons of a failed read that may be caused by an outage of the whole platform. */
const OUTAGES: ReadonlySet<string> = new Set(["PlatformUnavailable", "PlatformUnreachable", "RateLimited"]);

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
  if (isAnswered(object, status)) return 0;
  if (keepsReady(object, status, result)) return windows.deferMs;
  const isWorking = result.is === "waiting" || result.is === "retry" || (result.is === "held" && !isSettled(object));
  if (!isWorking) return 0;
  if (conditionOf(object, "Ready") === undefined) return windows.graceMs;
  const current = member(object.status, "observedGeneration") === (object.metadata.generation ?? 0);
  return isReported(object, result) && current ? windows.deferMs : 0;
}

/** Reports whether the status answers a request that the stored one does not. */
function isAnswered(object: KubeObject, status: JsonObject): boolean {
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
  const reported = ready === undefined ? exchange(before, after) : outcome(after, ready, note);
  const drifted = changed(before, after, "Drifted");
  const unsent = changed(before, after, "SettingsSynced");
  return [
    ...reported,
    ...(drifted?.status === "True" ? [event("Warning", drifted)] : []),
    ...(unsent?.status === "False" ? [event("Warning", unsent)] : []),
  ];
}

function outcome(after: KubeObject, ready: Condition, note = ready.message): readonly Transition[] {
  if (failing(after)) return [event("Warning", ready)];
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

function exchange(before: KubeObject, after: KubeObject): readonly Transition[] {
  const synced = changed(before, after, "Synced");
  if (synced === undefined || conditionOf(before, "Synced") === undefined) return [];
  return [event(synced.status === "True" ? "Normal" : "Warning", synced)];
}

function failing(object: KubeObject): boolean {
  if (conditionOf(object, "Stalled") !== undefined) return true;
  return conditionOf(object, "Ready")?.status !== "True" && conditionOf(object, "Synced")?.status === "False";
}

function event(type: Transition["type"], { reason, message }: Condition): Transition {
  return { type, reason, note: message };
}
