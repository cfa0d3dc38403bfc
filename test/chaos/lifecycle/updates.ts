/** Compares the number of writes of each object with a lifecycle without a kill. */
import type { Step } from "./trace.ts";

/** The additional metadata writes that a kill may cost an object, as it repeats the interrupted work. */
const EXTRA_PATCHES = 2;

/** Writes to the API server except events, leases and statuses, whose number depends on the machine's speed. */
const WRITE = /^kube (POST|PUT|PATCH|DELETE) (?!events|leases|\w+\/[^/]+\/status)/;

/**
 * O8: each object has as many creates and deletes as without a kill, and at most EXTRA_PATCHES more metadata writes.
 * @param done the names of the calls that took effect
 * @param expected the steps of the same chapters without a kill
 */
export function excessWrites(done: readonly string[], expected: readonly string[]): readonly string[] {
  const reference = tally(expected);
  return [...tally(done)].flatMap(([what, times]) => {
    const known = reference.get(what) ?? 0;
    const limit = what.startsWith("kube PATCH") ? known + EXTRA_PATCHES : known;
    return times > limit ? [`O8 ${what}: ${times} times, without a kill ${known}`] : [];
  });
}

export function namesIn(steps: readonly Step[], chapters: readonly string[]): readonly string[] {
  return steps.filter(({ chapter }) => chapters.includes(chapter)).map(({ what }) => what);
}

function tally(names: readonly string[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(
    names.filter((name) => WRITE.test(name)),
    (name) => name,
  );
  return new Map([...groups].map(([name, { length }]) => [name, length]));
}
