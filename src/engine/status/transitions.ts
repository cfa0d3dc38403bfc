/** Decides which changes of a status are worth an event: transitions, never polls (docs/architecture.md §5). */
import type { Reason } from "../../api/reasons.ts";
import type { EventInput, EventRecorder, KubeObject } from "../../kube/api/types.ts";
import { conditionOf, type Condition } from "../contract/status.ts";

export type Transition = Pick<EventInput, "type" | "reason" | "note">;

/** Work that ends with another reason of Ready, which is the event. */
const UNDER_WAY: ReadonlySet<string> = new Set<Reason>([
  ...(["Progressing", "Creating", "Queued", "Building", "Deploying", "Canceling"] as const),
  ...(["Stopping", "Restarting", "Upgrading", "Deleting"] as const),
]);

/**
 * Returns the transitions: Ready with a new reason other than that work is under way; else an exchange that failed or works again, which Ready does not
 * report; and drift. Pure.
 */
export function transitions(before: KubeObject, after: KubeObject): readonly Transition[] {
  const ready = changed(before, after, "Ready");
  const reported = ready === undefined ? exchange(before, after) : outcome(after, ready);
  const drifted = changed(before, after, "Drifted");
  return drifted?.status === "True" ? [...reported, event("Warning", drifted)] : reported;
}

function outcome(after: KubeObject, ready: Condition): readonly Transition[] {
  if (failing(after)) return [event("Warning", ready)];
  return UNDER_WAY.has(ready.reason) ? [] : [event("Normal", ready)];
}

/** Records the events of a status that was written. */
export function recordTransitions(events: EventRecorder, before: KubeObject, after: KubeObject): void {
  for (const transition of transitions(before, after))
    events.record({ regarding: after, action: "Reconcile", ...transition });
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
