/** The current reconcile. Node carries it along with asynchronous work, as kinds and clients have no use for it. */
import { AsyncLocalStorage } from "node:async_hooks";

import type { Priority } from "../engine/reconcile/priority.ts";
import type { CallRecord } from "../platform/client/caller.ts";

/** A call of the platform, the key of its connection, and when it ended. */
export interface MadeCall {
  readonly connection: string;
  readonly call: CallRecord;
  readonly at: Date;
}

/** One reconcile of one object. */
export interface Pass {
  /** Unique among all reconciles of all processes, ascending within one, e.g. "1k3x9q2s-1f". */
  readonly id: string;
  /** The key of the object. */
  readonly key: string;
  /** The priority of the object at the start. */
  readonly priority: Priority;
  /** The last mutating call, until the engine has reported its cause. */
  changed: MadeCall | undefined;
}

export interface Passes {
  /** Runs the work on a key as a reconcile of its own. */
  readonly within: <T>(key: string, work: (pass: Pass) => Promise<T>) => Promise<T>;
  /** Returns the current reconcile; undefined outside of any. */
  readonly current: () => Pass | undefined;
  /** Starts work for several objects, such as the writing of a queue, outside of any reconcile. */
  readonly outside: (begin: () => void) => void;
}

/** @param random in [0, 1), called once: it distinguishes the reconciles of this process from those of others */
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
