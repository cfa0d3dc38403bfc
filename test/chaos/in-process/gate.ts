/** The one way from the operator to the world: it numbers the exchanges, and lets each meet its fault. */
import type { ManualClock } from "../../support/kube/clock.ts";
import type { Exchange, FaultName, Plan } from "./faults.ts";

/** When an effect lands that is late: after every deadline, and within the window in which the ledger waits for it. */
const LATE_MS = 20_000;

/** What the two sides answer when something goes wrong; the gate knows when. */
export interface Side<Answer> {
  /** Does what was asked for, now. */
  readonly work: () => Promise<Answer>;
  /** What the operator is told instead. @returns or throws */
  readonly told: (fault: Exclude<FaultName, "before" | "after" | "late">, real: Answer | undefined) => Answer;
  /** Whether it may be repeated. */
  readonly isSafe: boolean;
  /** Milliseconds until it gives an exchange up. */
  readonly deadlineMs: number;
}

export interface Gate {
  /** All exchanges so far; number k is at k - 1. */
  readonly trace: readonly Exchange[];
  /** How many are under way. */
  underWay(): number;
  /** How many faults were met. */
  met(): number;
  /** How many effects of writes that may be repeated have still to land. */
  late(): number;
  /** A read that no fault meets. */
  read<Answer>(process: Mortal, answer: () => Answer): Promise<Answer>;
  /** Takes one request of a process through. Never resolves for one that is dead, or that dies of it. */
  pass<Answer>(process: Mortal, exchange: Exchange, side: Side<Answer>): Promise<Answer>;
}

/** A process that can be killed. */
export interface Mortal {
  alive: boolean;
}

/** @param killed called when a fault kills the process. */
export function createGate(plan: Plan, clock: ManualClock, killed: () => void): Gate {
  const faults = new Map(plan.faults.map(({ at, fault }) => [at, fault]));
  const trace: Exchange[] = [];
  let underWay = 0;
  let met = 0;
  let late = 0;

  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
    }
  };
  const later = ({ work, isSafe }: Pick<Side<unknown>, "work" | "isSafe">): void => {
    if (isSafe) late += 1;
    clock.after(LATE_MS, () => {
      if (isSafe) late -= 1;
      // What it is answered nobody hears any more.
      during(work).catch(() => undefined);
    });
  };
  const die = (process: Mortal): Promise<never> => {
    process.alive = false;
    killed();
    return never();
  };

  const meet = async <Answer>(process: Mortal, fault: FaultName, side: Side<Answer>): Promise<Answer> => {
    switch (fault) {
      case "before":
        return await die(process);
      case "late":
        later(side);
        return await die(process);
      case "after":
        await during(side.work).catch(() => undefined);
        return await die(process);
      case "slow": {
        later(side);
        const given = Promise.withResolvers<void>();
        clock.after(side.deadlineMs, given.resolve);
        await given.promise;
        return side.told(fault, undefined);
      }
      case "lost":
      case "502":
      case "half":
        return side.told(fault, await during(side.work));
      case "cut":
      case "500":
      case "429":
      case "409":
        return side.told(fault, undefined);
      default:
        return fault satisfies never;
    }
  };

  return {
    trace,
    underWay: () => underWay,
    met: () => met,
    late: () => late,
    // oxlint-disable-next-line require-await -- what it throws rejects
    read: async (process, answer) => (process.alive ? answer() : await never()),
    pass: async (process, exchange, side) => {
      if (!process.alive) return await never();
      trace.push(exchange);
      const fault = faults.get(trace.length);
      if (fault !== undefined) met += 1;
      try {
        const answer = await (fault === undefined ? during(side.work) : meet(process, fault, side));
        return process.alive ? answer : await never();
      } catch (error) {
        if (!process.alive) return await never();
        throw error;
      }
    },
  };
}

function never(): Promise<never> {
  return new Promise<never>(() => {});
}
