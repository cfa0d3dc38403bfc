/**
 * In which order work is done: by its priority, and within one the namespaces take turns, in the work queue and at the
 * rate gate of a connection that several of them use. What needs a rate gate that has no room waits in the queue.
 */
import { parseKey } from "../engine/contract/keys.ts";
import type { Priority } from "../engine/reconcile/triggers.ts";
import type { ReconcileTracker } from "../observability/reconcile-tracker.ts";

export interface Turns {
  /** The lane of a queued key: its namespace, and the rate gate that it needs. */
  readonly laneOf: (key: string) => string;
  /** The rate gate that the keys of a lane need, "" for none. */
  readonly gateIn: (lane: string) => string;
  /** The namespace of the pass at hand, in which it asks the platform; "" outside of any. */
  readonly lane: () => string;
  /** Of the pass at hand; "normal" outside of any. */
  readonly priority: () => Priority;
}

/** @param gateOf the rate gate that a key needs, "" for none */
export function createTurns(
  { current }: Pick<ReconcileTracker, "current">,
  gateOf: (key: string) => string = () => "",
): Turns {
  const namespaceOf = (key: string): string => parseKey(key).namespace;
  return {
    laneOf: (key) => `${namespaceOf(key)} ${gateOf(key)}`,
    gateIn: (lane) => lane.slice(lane.indexOf(" ") + 1),
    lane: () => {
      const pass = current();
      return pass === undefined ? "" : namespaceOf(pass.key);
    },
    priority: () => current()?.priority ?? "normal",
  };
}
