/** Which entries an import has made: found by their ids, once it is over. Pure. */
import type { KnownTarget, KnownVariable } from "../../resources/variable-set.ts";
import type { Listed } from "./model.ts";

/** How far the platform's `created_at` may lie from the import that made an entry, and how long a list may lag behind. */
const LANDING_MS = 60_000;

/** How far the platform's `Date` header, in whole seconds, may lie before its records. */
const SKEW_MS = 5_000;

/**
 * An entry is ours to remove only if it is there now, was not before our import, was made at that time, and did not take
 * the place of one that was not ours.
 * @param namesakes the entries that are listed under the name of a variable, in its scope
 * @param now the platform's clock
 */
export function readBack(
  target: KnownTarget,
  namesakes: (name: string) => readonly Listed[],
  now: Date | undefined,
): KnownTarget {
  const { before: ids, ...rest } = target;
  const { sentAt } = target;
  if (ids === undefined) return target;
  const before = new Set(ids);
  const variables = (target.variables ?? []).map((variable) => {
    const same = namesakes(variable.key);
    const fresh = same.filter((entry) => !before.has(entry.id) && isOfThen(entry, sentAt));
    const known = same.find(({ id }) => id === variable.id);
    const [made] = fresh;
    if (fresh.length !== 1 || made === undefined) {
      const entry = known ?? (same.length === 1 ? same[0] : undefined);
      const found = isTold(variable, entry, sentAt) ? entry : undefined;
      return withEntry(variable, found, variable.created === true && found?.id === variable.id);
    }
    const replaces = variable.id !== undefined && known === undefined;
    return withEntry(variable, made, replaces ? variable.created === true : true);
  });
  const isOver = !(Math.abs((now?.getTime() ?? Number.NaN) - Date.parse(sentAt ?? "")) < LANDING_MS);
  // What was refused has made nothing; all else may still appear.
  const isWhole = variables.every(({ id, failed }) => id !== undefined || failed === true);
  return isOver || isWhole ? { ...rest, variables } : { ...target, variables };
}

function isOfThen({ createdAt }: Listed, sentAt: string | undefined): boolean {
  return !(Math.abs(Date.parse(createdAt ?? "") - Date.parse(sentAt ?? "")) > LANDING_MS);
}

/** Without a scope, an entry that our import left as it was is an inherited one: ours is still to appear beside it. */
function isTold({ digest, updatedAt }: KnownVariable, entry: Listed | undefined, sentAt: string | undefined): boolean {
  if (entry?.scope !== undefined || digest === undefined || updatedAt !== undefined) return true;
  return !(Date.parse(entry?.updatedAt ?? "") < Date.parse(sentAt ?? "") - SKEW_MS);
}

/** With its id, and the time of our change unless that is known already. */
function withEntry(
  { key, digest, failed, updatedAt }: KnownVariable,
  entry: Listed | undefined,
  created: boolean,
): KnownVariable {
  if (entry === undefined) return { key, digest, failed };
  return { key, digest, failed, id: entry.id, updatedAt: updatedAt ?? entry.updatedAt, ...(created && { created }) };
}
