/** Carries every request of the operator: numbers the exchanges and injects the faults of a plan. */
import type { ManualClock } from "../../support/kube/clock.ts";
import type { Exchange, FaultName, Plan } from "./faults.ts";

/** The delay of a late effect: longer than every deadline, shorter than the ledger's landing window. */
const LATE_MS = 20_000;

/** The server's part in one exchange. */
export interface Backend<Answer> {
  /** Executes the request. */
  readonly execute: () => Promise<Answer>;
  /** Returns or throws what the operator receives when a fault replaces the answer. */
  readonly fail: (fault: Exclude<FaultName, "before" | "after" | "late">, answer: Answer | undefined) => Answer;
  readonly isRepeatable: boolean;
  readonly deadlineMs: number;
}

/** A process that a fault can kill. */
export interface Process {
  alive: boolean;
}

/** @param onKill called when a fault kills the process */
export function createGate(plan: Plan, clock: ManualClock, onKill: () => void) {
  const faults = new Map(plan.faults.map(({ at, fault }) => [at, fault]));
  const trace: Exchange[] = [];
  let inFlight = 0;
  let injected = 0;
  let pendingEffects = 0;

  const counted = async <T>(execute: () => Promise<T>): Promise<T> => {
    inFlight += 1;
    try {
      return await execute();
    } finally {
      inFlight -= 1;
    }
  };
  const executeLate = ({ execute, isRepeatable }: Pick<Backend<unknown>, "execute" | "isRepeatable">): void => {
    if (isRepeatable) pendingEffects += 1;
    clock.after(LATE_MS, () => {
      if (isRepeatable) pendingEffects -= 1;
      // The caller has given up: the answer is dropped.
      counted(execute).catch(() => undefined);
    });
  };
  const kill = (process: Process): Promise<never> => {
    process.alive = false;
    onKill();
    return never();
  };

  const inject = async <Answer>(process: Process, fault: FaultName, backend: Backend<Answer>): Promise<Answer> => {
    switch (fault) {
      case "before":
        return await kill(process);
      case "late":
        executeLate(backend);
        return await kill(process);
      case "after":
        await counted(backend.execute).catch(() => undefined);
        return await kill(process);
      case "slow": {
        executeLate(backend);
        const deadline = Promise.withResolvers<void>();
        clock.after(backend.deadlineMs, deadline.resolve);
        await deadline.promise;
        return backend.fail(fault, undefined);
      }
      case "lost":
      case "502":
      case "half":
        return backend.fail(fault, await counted(backend.execute));
      case "cut":
      case "500":
      case "429":
      case "409":
        return backend.fail(fault, undefined);
      default:
        return fault satisfies never;
    }
  };

  return {
    /** All exchanges so far; number k is at k - 1. */
    trace,
    /** The number of requests that are being executed. */
    inFlight: () => inFlight,
    /** The number of injected faults. */
    injected: () => injected,
    /** The number of late effects of repeatable writes that have not landed yet. */
    pendingEffects: () => pendingEffects,
    /** Answers a read that has no number and no fault. */
    // oxlint-disable-next-line require-await -- an error that it throws becomes a rejection
    read: async <Answer>(process: Process, answer: () => Answer): Promise<Answer> =>
      process.alive ? answer() : await never(),
    /** Carries one request. Never resolves if the process is dead or the fault kills it. */
    exchange: async <Answer>(process: Process, exchange: Exchange, backend: Backend<Answer>): Promise<Answer> => {
      if (!process.alive) return await never();
      trace.push(exchange);
      const fault = faults.get(trace.length);
      if (fault !== undefined) injected += 1;
      try {
        const answer = await (fault === undefined ? counted(backend.execute) : inject(process, fault, backend));
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
