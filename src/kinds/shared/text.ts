/** Fits texts and numbers of the platform into a status: one value out of bounds fails the whole patch. */
import { TEXT } from "../../api/status.ts";

/** The longest id that a status holds, in characters. */
export const ID = 64;

/**
 * Cuts a text to `max` characters and makes it well-formed: the API server stores half a surrogate pair as something
 * else.
 */
export function fitText(text: string, max: number = TEXT): string {
  return (text.length > max ? `${text.slice(0, max - 1)}…` : text).toWellFormed();
}

/** Does the same for a text that may be missing. */
export function fitOptional(text: string | undefined, max: number = TEXT): string | undefined {
  return text === undefined ? undefined : fitText(text, max);
}

/** Returns a count as a non-negative integer; 0 if it is missing. */
export function countOf(value: number | undefined): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(value ?? 0)));
}

/** Returns the SHA-256 of a text in UTF-8, in hex. */
export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
