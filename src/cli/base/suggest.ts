/** Finds the word that a user probably meant. */

/** @returns " Did you mean …?" with the known word nearest to `word`; "" when none is near */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = known
    .map((one) => ({ one, distance: editDistance(word.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(one.length / 3)))
    .toSorted((left, right) => left.distance - right.distance);
  const [best] = near;
  return best === undefined ? "" : ` Did you mean ${JSON.stringify(best.one)}?`;
}

/**
 * @param message the error of parseArgs
 * @param names the names of the known flags, without dashes
 * @returns " Did you mean …?" when the message is about an unknown flag that is like a known one, else ""
 */
export function didYouMeanFlag(message: string, names: readonly string[]): string {
  const [, unknown = ""] = /^Unknown option '(--[^']+)'/.exec(message) ?? [];
  return didYouMean(
    unknown,
    names.map((name) => `--${name}`),
  );
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours between two words. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const costs = [row];
    for (let at = 1; at <= to.length; at += 1) {
      const isSame = from[row - 1] === to[at - 1];
      const replaced = (above[at - 1] ?? 0) + (isSame ? 0 : 1);
      const isSwap = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const swapped = isSwap ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      costs.push(Math.min((above[at] ?? 0) + 1, (costs[at - 1] ?? 0) + 1, replaced, swapped));
    }
    before = above;
    above = costs;
  }
  return above[to.length] ?? 0;
}
