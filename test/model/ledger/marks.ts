/**
 * Values that only have to be unique: resourceVersions, and the attempts of intents. A new one is the first that is no
 * longer in use, so that worlds which differ only in their past are the same.
 */
import { nonceOf } from "./exchange.ts";
import type { Processes } from "./process.ts";
import type { World } from "./world.ts";

/** @returns a resourceVersion that no copy of the object has. Such versions have no order, as the model reuses them. */
export function unusedVersion(processes: Processes, world: World): string {
  const used = textsIn([world, runningReconciles(processes, world)], /"resourceVersion":"v(\d+)"/g);
  return `v${unused(new Set(used.map(Number)))}`;
}

/** @returns the nonces of all attempts that are stored somewhere or may still be sent */
export function nonces(processes: Processes, { effects: _effects, ...world }: World): ReadonlySet<number> {
  const running = runningReconciles(processes, world);
  const attempts = textsIn([world, running], /"(\d+-[\da-z]+)\\?"/g);
  return new Set([...attempts.map(nonceOf), ...running.map(({ start }) => start.nonce)]);
}

/** @returns the first number from one that is not used */
export function unused(used: ReadonlySet<number>): number {
  let first = 1;
  while (used.has(first)) first += 1;
  return first;
}

/** Returns the reconciles under way, as far as they have got. */
function runningReconciles(processes: Processes, world: Pick<World, "processes">) {
  return world.processes.flatMap(({ node }) => {
    if (node === null) return [];
    const { start, answers } = processes.basis(node);
    return [{ start, answers }];
  });
}

/** Returns what a pattern captures in the JSON of a value, in which an annotation is text again. */
function textsIn(value: unknown, pattern: RegExp): readonly string[] {
  return [...JSON.stringify(value).matchAll(pattern)].flatMap(([, text]) => text ?? []);
}
