/**
 * Makes texts of the platform fit for conditions, events and logs (docs/project/reliability.md E5, E7), and reads the fields
 * that an error body names.
 */
import { maskOf, withoutValues } from "../../text/mask.ts";
import { printable } from "../../text/text.ts";
import { jsonIn } from "./json.ts";
import { hasMembers } from "./schema.ts";

const MAX_LENGTH = 300;
/** Only the beginning of a large answer is read: a search for secrets in megabytes would block the process. */
const MAX_READ = 65_536;
/** The beginning of a text that is searched for secrets, which may be far longer than what remains of it. */
const MAX_SEARCHED = 16_384;
const MASK = "•••";

/** One line without control, bidi or other invisible characters, without `secrets`, at most 300 characters. */
export function cleaned(raw: string, secrets: readonly string[]): string {
  const line = printable(raw.slice(0, MAX_SEARCHED)).replaceAll(/ {2,}/g, " ");
  const safe = withoutSecrets(line, secrets, raw.length > MAX_SEARCHED);
  if (safe.length <= MAX_LENGTH) return safe;
  return `${safe.slice(0, MAX_LENGTH - 1).replace(/\p{Cs}$/u, "")}…`; // not half a surrogate pair
}

/**
 * Returns the platform's message about a failure: `detail`, else `message`, else `error`, else the text itself
 * (deployed services differ, docs/project/architecture.md §9), followed by its complaints about single fields. For an HTML page
 * or an empty body it says so.
 */
export function errorText(body: string, secrets: readonly string[]): string {
  const words = cleaned(messageIn(body.slice(0, MAX_READ)), secrets);
  if (words === "") return "the answer has no text";
  return words.startsWith("<") ? "the answer is an HTML page" : words;
}

/**
 * @param isCut whether the text was longer, so that it may end in the middle of a secret
 * @returns the text with every spelling of every secret masked, and short secrets where they stand as they are
 */
export function withoutSecrets(raw: string, secrets: readonly string[], isCut = false): string {
  const safe = withoutValues(raw, [maskOf(secrets)], MASK, isCut);
  const plain = secrets.filter((secret) => secret !== "").toSorted((a, b) => b.length - a.length);
  return plain.reduce((rest, secret) => rest.replaceAll(secret, MASK), safe);
}

/** Reports whether a body is JSON, as far as its beginning shows: the page of a proxy or a firewall is not. */
export function isJson(body: string): boolean {
  return /^\s*[[{]/.test(body);
}

/** The number of characters at the end of a body in which its last bracket is looked for. */
const ENDING = 64;

/** Reports whether a body begins as JSON and does not end as such: it was cut on its way. */
export function isCut(body: string): boolean {
  return isJson(body) && !/[\]}]\s*$/.test(body.slice(-ENDING));
}

/** Returns the platform's message in a body of JSON, with its complaints about fields; else the body. */
function messageIn(body: string): string {
  const value = jsonIn(body);
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value : body;
  const members = new Map<string, unknown>(Object.entries(value));
  const message = ["detail", "message", "error"]
    .map((name) => members.get(name))
    .find((member): member is string => typeof member === "string" && member.trim() !== "");
  const fields = fieldComplaints(value).join("; ");
  if (fields === "") return message ?? body;
  return message === undefined ? fields : `${message}: ${fields}`;
}

/** The members that may hold complaints about fields. */
const LISTS = ["errors", "violations", "fields", "details", "detail", "invalid_fields"] as const;
const NAMES = ["field", "fieldPath", "path", "property", "name", "loc", "pointer"] as const;
const WORDS = ["message", "msg", "reason", "detail", "error", "code"] as const;
const MAX_FIELDS = 20;

/**
 * Returns a body's complaints about single fields, e.g. "spec_overrides.backend: is not overridable".
 * @param body parsed JSON of any shape
 */
export function fieldComplaints(body: unknown): readonly string[] {
  if (!hasMembers(body)) return [];
  for (const list of LISTS) {
    const found = complaintsIn(body[list]);
    if (found.length > 0) return found;
  }
  return [];
}

function complaintsIn(list: unknown): readonly string[] {
  if (Array.isArray(list)) return firstWords(list, complaintOf);
  // An object by field name, with one message each or several.
  return firstWords(Object.entries(hasMembers(list) ? list : {}), ([field, complaint]) => {
    const words = textOf(complaint);
    return words === undefined ? undefined : `${field}: ${words}`;
  });
}

/** Returns the first texts that entries have. */
function firstWords<T>(entries: readonly T[], wordsOf: (entry: T) => string | undefined): readonly string[] {
  const found: string[] = [];
  for (const entry of entries) {
    const words = wordsOf(entry);
    if (words !== undefined) found.push(words);
    if (found.length === MAX_FIELDS) break;
  }
  return found;
}

function complaintOf(item: unknown): string | undefined {
  if (!hasMembers(item)) return textOf(item);
  const field = firstText(item, NAMES, ".");
  const words = firstText(item, WORDS, ", ");
  return field === undefined || words === undefined ? (field ?? words) : `${field}: ${words}`;
}

function firstText(
  parts: Readonly<Record<string, unknown>>,
  names: readonly string[],
  separator: string,
): string | undefined {
  return names.map((name) => textOf(parts[name], separator)).find((text) => text !== undefined);
}

/** Returns a text, or the texts and numbers of a list joined. */
function textOf(value: unknown, separator = ", "): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.filter((item: unknown) => typeof item === "string" || typeof item === "number");
    return texts.length === 0 ? undefined : texts.join(separator);
  }
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
