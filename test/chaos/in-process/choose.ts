/** Selects the plans of a run. */
import { CRASHES, type Exchange, type FaultName, type Plan } from "./faults.ts";

type FaultSelector = (exchange: Exchange) => readonly FaultName[];

/** Returns numbers in [0, 1), the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function oneOf<T>(all: readonly T[], random: () => number): T {
  const chosen = all[Math.floor(random() * all.length)];
  if (chosen === undefined) throw new RangeError("nothing to choose from");
  return chosen;
}

/** Returns a plan for each selected fault after those of the first plan; `trace` is that of the first plan's run. */
export function furtherFaults(first: Plan, trace: readonly Exchange[], select: FaultSelector): readonly Plan[] {
  const after = Math.max(0, ...first.faults.map(({ at }) => at));
  return trace.slice(after).flatMap((exchange, index) =>
    select(exchange).map((fault): Plan => ({
      ...first,
      faults: [...first.faults, { at: after + index + 1, fault }],
    })),
  );
}

/** Selects all crashes at a write and none at a read. */
export function crashesAt(exchange: Exchange): readonly FaultName[] {
  return exchange.writes ? CRASHES : [];
}
