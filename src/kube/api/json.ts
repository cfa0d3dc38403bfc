import type { Json, JsonObject } from "./types.ts";

/** Reports whether `value` is a JSON object, not an array and not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @returns the value of `text`
 * @throws SyntaxError when `text` is not JSON
 */
export function parseJson(text: string): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse gives nothing but JSON
  return JSON.parse(text) as Json;
}

/**
 * @param replacer as JSON.stringify takes it
 * @returns a copy of `object` as the API server receives it: without undefined members
 */
export function sentJson(object: JsonObject, replacer?: (name: string, value: unknown) => unknown): JsonObject {
  const sent = parseJson(JSON.stringify(object, replacer));
  return isObject(sent) ? sent : {};
}

/** @returns the value of `text`, undefined when it is not JSON */
export function tryParseJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** @returns the member of that name when `value` is an object that has it as its own */
export function member(value: unknown, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** @returns the string member of that name, else undefined */
export function stringMember(value: unknown, name: string): string | undefined {
  const found = member(value, name);
  return typeof found === "string" ? found : undefined;
}

/** @returns the entries of the list of that name; none when there is no such list */
export function listMember(value: unknown, name: string): readonly Json[] {
  const found = member(value, name);
  if (!Array.isArray(found)) return [];
  const list: readonly Json[] = found;
  return list;
}

/** @returns the members of `value` that are strings; none when it is no object */
export function stringEntries(value: unknown): [string, string][] {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
}
