/** Which plans a run of the suite goes through. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { CRASHES, faultsAt, type Exchange, type FaultName, type Plan } from "./faults.ts";

type Which = (exchange: Exchange) => readonly FaultName[];

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of several, by a number in [0, 1). */
export function oneOf<T>(all: readonly T[], random: () => number): T {
  const chosen = all[Math.floor(random() * all.length)];
  if (chosen === undefined) throw new RangeError("nothing to choose from");
  return chosen;
}

/** Faults at every exchange of a trace. @param which of them are taken, all unless told */
export function singles(surface: Surface, trace: readonly Exchange[], which: Which = faultsAt): readonly Plan[] {
  return trace.flatMap((exchange, index) =>
    which(exchange).map((fault): Plan => ({ surface, faults: [{ at: index + 1, fault }] })),
  );
}

/**
 * What follows a first fault: the trace of the run with that fault alone tells which exchanges come after it.
 * @param which of the faults at an exchange are taken
 */
export function seconds(first: Plan, trace: readonly Exchange[], which: Which): readonly Plan[] {
  const after = Math.max(...first.faults.map(({ at }) => at));
  return trace.slice(after).flatMap((exchange, index) =>
    which(exchange).map((fault): Plan => ({
      ...first,
      faults: [...first.faults, { at: after + index + 1, fault }],
    })),
  );
}

/** Where the process dies at a write, in every phase of it. */
export function crashesAt(exchange: Exchange): readonly FaultName[] {
  return exchange.writes ? CRASHES : [];
}
