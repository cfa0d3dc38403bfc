/** Text from outside, made safe for terminals, statuses, events and logs (docs/reliability.md E5, E13). */

/** Control and format characters (bidi among them), line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** The user information of a URL, up to the "@" (RFC 3986 §3.2.1). */
const CREDENTIALS = /(?<=:\/\/)[^/@\s"]*@/g;

/** Returns the text on one line, without characters that change a terminal or the direction of text. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, " ").trim();
}

/** Returns the text with the credentials of each URL in it replaced, by "•••@" unless `by` says otherwise. */
export function withoutCredentials(text: string, by = "•••@"): string {
  return text.replaceAll(CREDENTIALS, by);
}

/** Reports whether a URL in the text has credentials. */
export function hasCredentials(text: string): boolean {
  return text.search(CREDENTIALS) >= 0;
}
