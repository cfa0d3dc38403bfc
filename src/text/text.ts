/** Text from outside, made safe for terminals, statuses, events and logs. */

/** Control and format characters (bidi among them), line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;
/** The user information of a URL, up to the last "@" of the authority: a password may have one (RFC 3986 §3.2.1). */
const CREDENTIALS = /(?<=:\/\/)[^/\s"]*@/g;

/** Returns the text on one line, without characters that change a terminal or the direction of text. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, " ").trim();
}

/** Returns the text as `printable` does, but with its line breaks and with the spaces at the start of a line. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replaceAll(UNPRINTABLE, " ").trimEnd())
    .join("\n");
}

/** Returns the text with the credentials of each URL in it replaced, by "•••@" unless `by` says otherwise. */
export function withoutCredentials(text: string, by = "•••@"): string {
  return text.replaceAll(CREDENTIALS, by);
}

/** Reports whether a URL in the text has credentials. */
export function hasCredentials(text: string): boolean {
  return text.search(CREDENTIALS) >= 0;
}

/** Control and bidirectional characters; without the format characters that join letters and emoji. */
const CONTROL = /[\p{Cc}\u{2028}\u{2029}\u{061c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}]+/gu;
const ELLIPSIS_BYTES = 3;
const encoder = new TextEncoder();

/**
 * Returns the text on one line, without control and bidirectional characters and lone surrogates, cut to `maxBytes` of
 * UTF-8 with an ellipsis: the API server counts bytes.
 */
export function cleanText(text: string, maxBytes: number): string {
  const clean = text.toWellFormed().replace(CONTROL, " ").trim();
  if (clean.length * 3 <= maxBytes) return clean; // no UTF-16 unit takes more than three bytes
  const bytes = new Uint8Array(maxBytes);
  if (encoder.encodeInto(clean, bytes).read === clean.length) return clean;
  const { read } = encoder.encodeInto(clean, bytes.subarray(0, maxBytes - ELLIPSIS_BYTES));
  return `${clean.slice(0, read)}…`;
}
