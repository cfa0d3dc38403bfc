/** Namespaces take turns: in the work queue, and at the rate gate of a connection that several of them use. */
import { AsyncLocalStorage } from "node:async_hooks";

import { parseKey } from "../engine/keys.ts";

export interface Turns {
  /** The lane of a queued key: its namespace. */
  readonly laneOf: (key: string) => string;
  /** Does the work on a key; whatever it asks the platform for is asked for in its lane. */
  readonly within: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** The lane of the work at hand; "" outside of any. */
  readonly lane: () => string;
}

/** @returns turns of their own: Node carries the lane along, as kinds and clients have no use for it. */
export function createTurns(): Turns {
  const lanes = new AsyncLocalStorage<string>();
  const laneOf = (key: string): string => parseKey(key).namespace;
  return {
    laneOf,
    within: (key, work) => lanes.run(laneOf(key), work),
    lane: () => lanes.getStore() ?? "",
  };
}
