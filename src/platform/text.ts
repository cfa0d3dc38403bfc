/** Texts of the platform, made fit for conditions, events and logs (reliability bar E5, E7). */
import { parseJson } from "./json.ts";

const MAX_LENGTH = 300;
/** Control and format characters (bidi among them), line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
const MASK = "•••";

/** One line without control, bidi or other invisible characters, without `secret`, at most 300 characters. */
export function cleaned(raw: string, secret: string): string {
  const line = raw.replaceAll(UNPRINTABLE, " ").replaceAll(/ {2,}/g, " ").trim();
  const safe = secret === "" ? line : line.replaceAll(secret, MASK);
  if (safe.length <= MAX_LENGTH) return safe;
  return `${safe.slice(0, MAX_LENGTH - 1).replace(/\p{Cs}$/u, "")}…`; // not half a surrogate pair
}

/**
 * The platform's own words about a failure: `detail`, else `message`, else `error`, else the text itself (deployed
 * services differ, api-behaviour §1). A page of HTML says nothing to a reader: then, as for an empty body, the status.
 */
export function errorText(status: number, body: string, secret: string): string {
  const words = cleaned(ownWords(body), secret);
  return words === "" || words.startsWith("<") ? `the platform answered ${status}` : words;
}

function ownWords(body: string): string {
  const value = tryParse(body);
  if (typeof value !== "object" || value === null) return typeof value === "string" ? value : body;
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of ["detail", "message", "error"]) {
    const member = members.get(name);
    if (typeof member === "string" && member.trim() !== "") return member;
  }
  return body;
}

function tryParse(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
