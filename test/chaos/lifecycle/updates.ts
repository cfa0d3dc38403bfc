/** Compares how often each object was written with a life without a kill. */
import type { Step } from "./trace.ts";

/** How many more writes of its metadata a kill may cost an object: what it interrupts is begun once more. */
const SPARE = 2;

/**
 * A write of the API server, but for events, leases and statuses: how often these are written says how fast the machine
 * is.
 */
const WRITE = /^kube (POST|PUT|PATCH|DELETE) (?!events|leases|\w+\/[^/]+\/status)/;

/**
 * O8: of each object, as many creates and deletes as without a kill, and hardly more changes of its metadata.
 * @param done the names of the calls that took effect
 * @param expected the steps of the life without a kill, as far as it was lived
 */
export function busyness(done: readonly string[], expected: readonly string[]): readonly string[] {
  const should = tally(expected);
  return [...tally(done)].flatMap(([what, times]) => {
    const known = should.get(what) ?? 0;
    const most = what.startsWith("kube PATCH") ? known + SPARE : known;
    return times > most ? [`O8 ${what}: ${times} times, without a kill ${known}`] : [];
  });
}

/** @returns the names of the steps of some chapters. */
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
