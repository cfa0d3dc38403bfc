/**
 * Makes texts of the platform fit for conditions, events and logs (docs/reliability.md E5, E7), and reads the fields
 * that an error body names.
 */
import { z } from "zod";

import { printable } from "../../text/text.ts";
import { jsonIn } from "./json.ts";

const MAX_LENGTH = 300;
/** Of an answer of megabytes the beginning is read: looking for every secret in all of it would hold up the process. */
const MAX_READ = 65_536;
const MASK = "•••";

/** One line without control, bidi or other invisible characters, without `secrets`, at most 300 characters. */
export function cleaned(raw: string, secrets: readonly string[]): string {
  // Before, as cleaning changes a secret of several lines; and after, as it may put one together.
  const line = printable(withoutSecrets(raw.slice(0, MAX_READ), secrets)).replaceAll(/ {2,}/g, " ");
  const safe = withoutSecrets(line, secrets);
  if (safe.length <= MAX_LENGTH) return safe;
  return `${safe.slice(0, MAX_LENGTH - 1).replace(/\p{Cs}$/u, "")}…`; // not half a surrogate pair
}

/**
 * The platform's own words about a failure: `detail`, else `message`, else `error`, else the text itself (deployed
 * services differ, docs/architecture.md §9), and after them what it says of single fields. A page of HTML says nothing
 * to a reader: then, as for an empty body, the status.
 */
export function errorText(status: number, body: string, secrets: readonly string[]): string {
  const words = cleaned(ownWords(body), secrets);
  return words === "" || words.startsWith("<") ? `the platform answered ${status}` : words;
}

/** Returns the text with every secret masked, however it is spelled: the longest first, so that no rest of one remains. */
export function withoutSecrets(raw: string, secrets: readonly string[]): string {
  const spelled = secrets.flatMap((secret) => [secret, ...spellingsOf(secret)]).filter((secret) => secret !== "");
  const byLength = [...new Set(spelled)].toSorted((a, b) => b.length - a.length);
  return byLength.reduce((rest, secret) => rest.replaceAll(secret, MASK), raw);
}

/** Shorter values would black out ordinary words. */
const LEAST_LENGTH = 6;

/**
 * How a secret value can show up in somebody's text: a platform that rejects a value may quote what it was sent.
 * @returns the value without blanks at its ends, plain, inside JSON, percent-encoded and in base64: the longest first,
 * so that no rest of one remains. None of a value shorter than six characters.
 */
export function spellingsOf(value: string): readonly string[] {
  const plain = value.trim();
  if (plain.length < LEAST_LENGTH) return [];
  const bytes = Buffer.from(plain);
  const spellings = [
    plain,
    JSON.stringify(plain).slice(1, -1),
    encodeURIComponent(plain.toWellFormed()),
    // Padding depends on what follows, so it is left out.
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
  return [...new Set(spellings)].toSorted((one, other) => other.length - one.length);
}

function ownWords(body: string): string {
  const value = jsonIn(body);
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value : body;
  const members = new Map<string, unknown>(Object.entries(value));
  const said = ["detail", "message", "error"]
    .map((name) => members.get(name))
    .find((member): member is string => typeof member === "string" && member.trim() !== "");
  const fields = fieldComplaints(value).join("; ");
  if (fields === "") return said ?? body;
  return said === undefined ? fields : `${said}: ${fields}`;
}

/** Where a list of fields is found. */
const LISTS = ["errors", "violations", "fields", "details", "detail", "invalid_fields"] as const;
const NAMES = ["field", "fieldPath", "path", "property", "name", "loc", "pointer"] as const;
const WORDS = ["message", "msg", "reason", "detail", "error", "code"] as const;
const MAX_FIELDS = 20;

const members = z.record(z.string(), z.unknown());

/**
 * What a body says of single fields, e.g. "spec_overrides.backend: is not overridable"; none where it names none.
 * @param body parsed JSON of any shape
 */
export function fieldComplaints(body: unknown): readonly string[] {
  const own = members.safeParse(body).data ?? {};
  for (const list of LISTS) {
    const found = complaintsIn(own[list]);
    if (found.length > 0) return found.slice(0, MAX_FIELDS);
  }
  return [];
}

function complaintsIn(list: unknown): readonly string[] {
  if (Array.isArray(list)) return list.flatMap((item: unknown) => complaintOf(item) ?? []);
  // By name of the field: one word each, or several.
  return Object.entries(members.safeParse(list).data ?? {}).flatMap(([field, said]) => {
    const words = textOf(said);
    return words === undefined ? [] : [`${field}: ${words}`];
  });
}

function complaintOf(item: unknown): string | undefined {
  const parts = members.safeParse(item).data;
  if (parts === undefined) return textOf(item);
  const field = firstText(parts, NAMES, ".");
  const words = firstText(parts, WORDS, ", ");
  return field === undefined || words === undefined ? (field ?? words) : `${field}: ${words}`;
}

function firstText(
  parts: Readonly<Record<string, unknown>>,
  names: readonly string[],
  separator: string,
): string | undefined {
  return names.map((name) => textOf(parts[name], separator)).find((text) => text !== undefined);
}

/** A text, or texts and numbers as one. */
function textOf(value: unknown, separator = ", "): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.filter((item: unknown) => typeof item === "string" || typeof item === "number");
    return texts.length === 0 ? undefined : texts.join(separator);
  }
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}
