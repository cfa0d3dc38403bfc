/** The current reconcile, in an AsyncLocalStorage, so that kinds and clients need no argument for it. */
import { AsyncLocalStorage } from "node:async_hooks";

import type { ReconcilePriority } from "../engine/triggers.ts";
import type { CallRecord } from "../platform/client/caller.ts";
import { PRIORITIES } from "../platform/rate/pacer.ts";

/** A call of the platform, and the key of its connection. */
interface EndedCall {
  readonly connection: string;
  readonly call: CallRecord;
}

/** One reconcile of one object. */
export interface RunningReconcile {
  /** Unique among all reconciles of all processes, ascending within one, e.g. "1k3x9q2s-1f". */
  readonly id: string;
  /** The key of the object. */
  readonly key: string;
  /** Returns the priority of the object: the higher of its current one and that at the start. */
  readonly priority: () => ReconcilePriority;
  /** The last mutating call, until the engine has reported its cause. */
  changed: EndedCall | undefined;
}

export type ReconcileTracker = ReturnType<typeof createReconcileTracker>;

/**
 * @param random in [0, 1), called once: it distinguishes the reconciles of this process from the reconciles of another
 * @param priorityOf returns the current priority of the object with this key
 */
export function createReconcileTracker(
  random: () => number,
  priorityOf: (key: string) => ReconcilePriority = () => "normal",
) {
  const storage = new AsyncLocalStorage<RunningReconcile>();
  const processId = Math.floor(random() * 36 ** 8)
    .toString(36)
    .padStart(8, "0");
  let count = 0;
  return {
    /** Runs the work on a key as a reconcile of its own. */
    within: <T>(key: string, work: () => Promise<T>): Promise<T> => {
      count += 1;
      const atStart = priorityOf(key);
      const reconcile: RunningReconcile = {
        id: `${processId}-${count.toString(36)}`,
        key,
        priority: () => PRIORITIES.find((one) => one === atStart || one === priorityOf(key)) ?? atStart,
        changed: undefined,
      };
      return storage.run(reconcile, work);
    },
    /** Returns the current reconcile; undefined outside of any. */
    current: () => storage.getStore(),
    /** Starts work outside of any reconcile, e.g. the writing of a queue that serves several objects. */
    outside: (work: () => void): void => {
      storage.exit(work);
    },
  };
}
