/** Namespaces take turns: in the work queue, and at the rate gate of a connection that several of them use. */
import { parseKey } from "../engine/keys.ts";
import type { Passes } from "./passes.ts";

export interface Turns {
  /** The lane of a queued key: its namespace. */
  readonly laneOf: (key: string) => string;
  /** The lane of the pass at hand, in which it asks the platform; "" outside of any. */
  readonly lane: () => string;
}

export function createTurns({ current }: Pick<Passes, "current">): Turns {
  const laneOf = (key: string): string => parseKey(key).namespace;
  return {
    laneOf,
    lane: () => {
      const pass = current();
      return pass === undefined ? "" : laneOf(pass.key);
    },
  };
}
