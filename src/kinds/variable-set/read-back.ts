/** Which entries an import has made: found by their ids, once it is over. Pure. */
import { isOfThen, isUntouched, LANDING_MS } from "../shared/variables.ts";
import type { KnownTarget, KnownVariable } from "./crd.ts";
import type { Listed } from "./model.ts";

/** How far the platform's `Date` header, in whole seconds, may lie before its records. */
const SKEW_MS = 5_000;

/**
 * An entry is ours to remove only if it is there now, was not before our import, was made at that time, and did not
 * take the place of one that was not ours.
 * @param namesakes the entries that are listed under the name of a variable, in its scope
 * @param isFixed whether an entry cannot be replaced: one that we made holds what we sent, and no other import shows it
 * @param now the platform's clock
 */
export function readBack(
  target: KnownTarget,
  namesakes: (name: string) => readonly Listed[],
  isFixed: (entry: Listed) => boolean,
  now: Date | undefined,
): KnownTarget {
  const { before: ids, ...rest } = target;
  const { sentAt } = target;
  if (ids === undefined) return target;
  const before = new Set(ids);
  const isOver = !(Math.abs((now?.getTime() ?? Number.NaN) - Date.parse(sentAt ?? "")) < LANDING_MS);
  const taken: Listed[] = [];
  const found = (variable: KnownVariable): KnownVariable => {
    const same = namesakes(variable.key);
    const fresh = same.filter((entry) => !before.has(entry.id) && isOfThen(entry, sentAt));
    const known = same.find(({ id }) => id === variable.id);
    const [made, another] = fresh;
    if (made === undefined || another !== undefined) {
      const entry = known ?? (same.length === 1 ? same[0] : undefined);
      return unmade(variable, isTold(variable, entry, sentAt) ? entry : undefined, isOver);
    }
    const isOurs = variable.id === undefined || known !== undefined || variable.created === true;
    if (!isOurs || !isFixed(made) || variable.sent === undefined || !isUntouched(made))
      return withEntry(variable, made, isOurs, isOver);
    taken.push(made);
    return withEntry({ key: variable.key, digest: variable.sent }, made, true, isOver);
  };
  const variables = (target.variables ?? []).map(found);
  // What was refused has made nothing; all else may still appear.
  const isWhole = variables.every(({ id, failed }) => id !== undefined || failed === true);
  return { ...(isOver || isWhole ? rest : target), ...latest(target, taken), variables };
}

/** What an import has made of which no answer told is a write all the same. */
function latest({ writtenAt }: KnownTarget, made: readonly Listed[]): Pick<KnownTarget, "writtenAt"> {
  const times = made.map(({ createdAt }) => Date.parse(createdAt ?? "")).filter((time) => !Number.isNaN(time));
  if (times.length === 0) return {};
  const at = new Date(Math.max(...times)).toISOString();
  return { writtenAt: writtenAt === undefined || at > writtenAt ? at : writtenAt };
}

/** Without a scope, an entry that our import left as it was is an inherited one: ours is still to appear beside it. */
function isTold({ digest, updatedAt }: KnownVariable, entry: Listed | undefined, sentAt: string | undefined): boolean {
  if (entry?.scope !== undefined || digest === undefined || updatedAt !== undefined) return true;
  return !(Date.parse(entry?.updatedAt ?? "") < Date.parse(sentAt ?? "") - SKEW_MS);
}

/** A variable of which the import made no entry that we see: the one that is there stays what it was. */
function unmade(variable: KnownVariable, entry: Listed | undefined, isOver: boolean): KnownVariable {
  return withEntry(variable, entry, variable.created === true && entry?.id === variable.id, isOver);
}

/** With its id, and the time of our change unless that is known already. */
function withEntry(
  { key, digest, sent, failed, updatedAt }: KnownVariable,
  entry: Listed | undefined,
  created: boolean,
  isOver: boolean,
): KnownVariable {
  if (entry === undefined) return { key, digest, failed, ...(!isOver && sent !== undefined && { sent }) };
  return { key, digest, failed, id: entry.id, updatedAt: updatedAt ?? entry.updatedAt, ...(created && { created }) };
}
