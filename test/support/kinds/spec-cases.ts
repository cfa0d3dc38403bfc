/** Valid and invalid specs: checked by zod in unit tests, and by a real API server in integration tests. */
import { SAMPLES } from "../../samples/index.ts";
import type { Fields, Refused, Sample } from "../../samples/sample.ts";

const samples: readonly (readonly [kind: string, sample: Sample])[] = Object.entries(SAMPLES);

export const SMALLEST: Readonly<Record<string, Fields>> = Object.fromEntries(
  samples.map(([kind, { smallest }]) => [kind, smallest]),
);

export interface SpecCase {
  readonly title: string;
  readonly kind: string;
  /** Merged into the smallest spec; undefined removes a member. */
  readonly change: Fields;
}

export interface RefusedCase extends SpecCase {
  readonly refused: RegExp;
}

export function specOf({ kind, change }: SpecCase): Fields {
  const merged = { ...SMALLEST[kind], ...change };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

export const ACCEPTED: readonly SpecCase[] = samples.flatMap(([kind, { accepted }]) => [
  { title: "the smallest", kind, change: {} },
  ...accepted.map(([title, change]) => ({ title, kind, change })),
]);

const refusedBy = (listOf: (sample: Sample) => readonly Refused[]): readonly RefusedCase[] =>
  samples.flatMap(([kind, sample]) =>
    listOf(sample).map(([title, change, refused]) => ({ title, kind, change, refused })),
  );

export const REFUSED = refusedBy(({ refused }) => refused);

/** Duplicates in keyed lists, which the API server refuses before the operator sees them. */
export const REFUSED_BY_LIST_TYPE = refusedBy(({ duplicates = [] }) => duplicates);
