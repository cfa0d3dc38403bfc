/** Text that is stored in the API server. Apart from text.ts, which also runs in browsers. */

/** Control and bidirectional characters; without the format characters that join letters and emoji. */
const CONTROL = /[\p{Cc}\u{2028}\u{2029}\u{061c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{feff}]+/gu;

/**
 * Returns the text on one line, without control and bidirectional characters and lone surrogates, cut to `maxBytes` of
 * UTF-8 with an ellipsis: the API server counts bytes.
 */
export function cleanText(text: string, maxBytes: number): string {
  const clean = text.toWellFormed().replace(CONTROL, " ").trim();
  const bytes = Buffer.from(clean);
  if (bytes.length <= maxBytes) return clean;
  const ellipsis = "…";
  // A cut within a character leaves one replacement character at the end.
  const cut = bytes.subarray(0, maxBytes - Buffer.byteLength(ellipsis)).toString("utf8");
  return cut.replace(/\u{fffd}$/u, "") + ellipsis;
}
