import { isDeepStrictEqual } from "node:util";

import { isObject, member } from "../api/json.ts";
import type { Json, JsonObject } from "../api/types.ts";

/**
 * @returns the smallest merge patch (RFC 7386) that turns `before` into `after`: removed members are null, arrays are
 * sent whole; undefined when nothing differs. In `after`, null and undefined members count as absent, because a merge
 * patch cannot set null.
 */
export function diffMerge(before: unknown, after: JsonObject): JsonObject | undefined {
  const old = isObject(before) ? before : {};
  const changes: [string, Json][] = [];
  for (const name of Object.keys({ ...old, ...after })) {
    const change = diffValue(member(old, name), member(after, name));
    if (change !== undefined) changes.push([name, change]);
  }
  if (changes.length === 0 && isObject(before)) return undefined;
  // fromEntries defines own members, so that a member "__proto__" stays data.
  return Object.fromEntries(changes);
}

function diffValue(before: Json | undefined, after: Json | undefined): Json | undefined {
  if (after === undefined || after === null) return before === undefined ? undefined : null;
  if (isObject(after)) return diffMerge(before, after);
  return isDeepStrictEqual(before, after) ? undefined : after;
}
