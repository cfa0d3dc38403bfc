import { isObject } from "../api/json.ts";
import type { Json, JsonObject } from "../api/types.ts";

/**
 * @returns the smallest merge patch (RFC 7386) that turns `before` into `after`: removed members are null, arrays are
 * sent whole; undefined when nothing differs. In `after`, null and undefined members count as absent, because a merge
 * patch cannot set null.
 */
export function diffMerge(before: unknown, after: JsonObject): JsonObject | undefined {
  const old = isObject(before) ? before : {};
  const changes: [string, Json][] = [];
  for (const [name, value] of Object.entries(after)) {
    const change = diffValue(own(old, name), value);
    if (change !== undefined) changes.push([name, change]);
  }
  for (const [name, value] of Object.entries(old)) {
    if (value !== undefined && (own(after, name) ?? null) === null) changes.push([name, null]);
  }
  if (changes.length === 0 && isObject(before)) return undefined;
  // fromEntries defines own members, so that a "__proto__" stays data (E3).
  return Object.fromEntries(changes);
}

function diffValue(before: Json | undefined, after: Json | undefined): Json | undefined {
  if (after === undefined || after === null) return undefined;
  if (isObject(after)) return diffMerge(before, after);
  return equalJson(before, after) ? undefined : after;
}

/**
 * Reports whether two JSON values are equal; the order of members does not matter, undefined members count as absent.
 */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return equalLists(a, b);
  if (!isObject(a) || !isObject(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => equalJson(own(a, name), own(b, name)));
}

function equalLists(a: readonly Json[], b: readonly Json[]): boolean {
  return a.length === b.length && a.every((entry, index) => equalJson(entry, b[index]));
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
