/** Control and format characters (bidi among them), line and paragraph separators, lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** @returns the text on one line, without what could change a terminal or the direction of text. */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, " ").trim();
}
