/**
 * The queue of requests that wait for the rate gate. Requests of a higher priority come first. Among those of the same
 * priority, lanes take turns, e.g. one lane for each namespace.
 */

/** Users' changes of existing objects, then new objects, then work in progress, then routine checks. */
export type RequestPriority = "urgent" | "high" | "normal" | "low";

export const PRIORITIES: readonly RequestPriority[] = ["urgent", "high", "normal", "low"];

/** The priority and the lane of a request. */
export interface Turn {
  /** May rise while the request waits, e.g. when a user changes the object. */
  readonly priority: RequestPriority;
  readonly lane: string;
}

export interface Waiter {
  readonly turn: Turn;
  /** @param isAdmitted false when it is turned away */
  readonly go: (isAdmitted: boolean) => void;
}

/** Every fifth request taken is the one that waited longest, whatever its priority, so that nothing starves. */
const FAIR_EVERY = 5;
/** The number of lanes whose last turn is remembered. */
const MAX_LANES = 5_000;

/** @returns an empty line */
export function createLine() {
  let waiters: readonly Waiter[] = [];
  /** Lane → the number of its last turn, the oldest first. */
  const turns = new Map<string, number>();
  let turn = 0;

  const leave = (one: Waiter): void => {
    waiters = waiters.filter((waiter) => waiter !== one);
  };

  const choose = (open: readonly Waiter[]): Waiter | undefined => {
    const [oldest] = open;
    if (oldest === undefined || (turn + 1) % FAIR_EVERY === 0) return oldest;
    const highest = PRIORITIES.find((priority) => open.some((waiter) => waiter.turn.priority === priority));
    const rivals = open.filter(({ turn: { priority } }) => priority === highest);
    const lastTurn = ({ turn: { lane } }: Waiter): number => turns.get(lane) ?? 0;
    return rivals.reduce((best, next) => (lastTurn(next) < lastTurn(best) ? next : best));
  };

  return {
    get size() {
      return waiters.length;
    },
    /** Adds a request. @returns a function that removes it */
    join: (waiter: Waiter): (() => void) => {
      waiters = [...waiters, waiter];
      return () => {
        leave(waiter);
      };
    },
    /** Removes and returns the next request; undefined if there is none. @param isHeld priorities that are skipped */
    next: (isHeld: (priority: RequestPriority) => boolean): Waiter | undefined => {
      const chosen = choose(waiters.filter(({ turn: { priority } }) => !isHeld(priority)));
      if (chosen === undefined) return undefined;
      turn += 1;
      leave(chosen);
      turns.delete(chosen.turn.lane);
      turns.set(chosen.turn.lane, turn);
      const [oldest] = turns.keys();
      if (turns.size > MAX_LANES && oldest !== undefined) turns.delete(oldest);
      return chosen;
    },
    /** Returns the priorities of the waiting requests. */
    priorities: (): readonly RequestPriority[] =>
      PRIORITIES.filter((priority) => waiters.some((waiter) => waiter.turn.priority === priority)),
    /** Removes all requests and admits none of them. */
    turnAway: (): void => {
      const all = waiters;
      waiters = [];
      for (const { go } of all) go(false);
    },
  };
}
