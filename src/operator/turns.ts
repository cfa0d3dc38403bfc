/**
 * The order of work: in which lane a key waits in the queue, and the turn of a reconcile's requests at the rate gate.
 */
import { parseKey } from "../engine/contract/keys.ts";
import type { ReconcileTracker } from "../observability/reconcile-tracker.ts";
import type { Turn } from "../platform/rate/gate.ts";

/**
 * Decides the order of work, in the work queue and at the rate gates: by priority, and namespaces take turns within one
 * priority. A key whose rate gate has no room waits in the queue.
 * @param gateOf the rate gate that a key needs, "" for none
 */
export function createTurns(
  { current }: Pick<ReconcileTracker, "current">,
  gateOf: (key: string) => string = () => "",
) {
  const namespaceOf = (key: string): string => parseKey(key).namespace;
  return {
    /** The lane of a queued key: its namespace, and the rate gate that it needs. */
    laneOf: (key: string) => `${namespaceOf(key)} ${gateOf(key)}`,
    /** The rate gate that the keys of a lane need, "" for none. */
    gateIn: (lane: string) => lane.slice(lane.indexOf(" ") + 1),
    /** The turn of the current reconcile at the rate gate: its priority, which may rise, and its namespace. */
    turn: (): Turn => {
      const running = current();
      if (running === undefined) return { priority: "normal", lane: "" };
      return {
        get priority() {
          return running.priority();
        },
        lane: namespaceOf(running.key),
      };
    },
  };
}
