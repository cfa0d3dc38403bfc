/** How a secret value can show up in somebody's text: a platform that rejects a value may quote what it was sent. */

/** Shorter values would black out ordinary words. */
const LEAST_LENGTH = 6;

/**
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
