/** The pass at hand: Node carries it along with the work, as kinds and clients have no use for it. */
import { AsyncLocalStorage } from "node:async_hooks";

import type { Priority } from "../engine/reconcile/priority.ts";
import type { CallRecord } from "../platform/client/caller.ts";

/** A call of the platform, the key of the connection that it went through, and when it ended. */
export interface MadeCall {
  readonly connection: string;
  readonly call: CallRecord;
  readonly at: Date;
}

/** One reconcile of one object. */
export interface Pass {
  /** Unique among all passes of all processes, in the order of their beginning within one, e.g. "1k3x9q2s-1f". */
  readonly id: string;
  /** Of the object. */
  readonly key: string;
  /** How urgent the object was when it began. */
  readonly priority: Priority;
  /** The changing call that was made last, until the engine has told what it was for. */
  changed: MadeCall | undefined;
}

export interface Passes {
  /** Does the work on a key as a reconcile of its own. */
  readonly within: <T>(key: string, work: (pass: Pass) => Promise<T>) => Promise<T>;
  /** The pass at hand; undefined outside of any. */
  readonly current: () => Pass | undefined;
  /** Begins what goes on for others too, such as a queue that is worked off: it belongs to no pass. */
  readonly outside: (begin: () => void) => void;
}

/** @param random in [0, 1), asked once: it tells this process's passes from those of others. */
export function createPasses(random: () => number, priorityOf: (key: string) => Priority = () => "normal"): Passes {
  const passes = new AsyncLocalStorage<Pass>();
  const life = Math.floor(random() * 36 ** 8)
    .toString(36)
    .padStart(8, "0");
  let begun = 0;
  return {
    within: (key, work) => {
      begun += 1;
      const pass: Pass = { id: `${life}-${begun.toString(36)}`, key, priority: priorityOf(key), changed: undefined };
      return passes.run(pass, () => work(pass));
    },
    current: () => passes.getStore(),
    outside: (begin) => {
      passes.exit(begin);
    },
  };
}
