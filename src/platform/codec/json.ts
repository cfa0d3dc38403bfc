/**
 * JSON that does not round. The catalog's bounds are int64 (spec, FieldSchemaConstraintsResponse), of which a
 * JavaScript number holds only 53 bits: an integer beyond them is read as bigint, and a bigint is written digit by
 * digit.
 */

/** The parts of ECMAScript's "JSON.parse source text access" that TypeScript's libraries do not declare yet. */
interface SourceAwareJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node 24 has both members, lib.es2024 has neither.
const sourceAware = JSON as unknown as SourceAwareJson;

const LONG_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON; integers that a number cannot hold exactly become bigint. @throws SyntaxError, whose text quotes the
 * input.
 */
export function parseExactJson(text: string): unknown {
  // Reading with a reviver is several times slower; without 16 digits in a row there is nothing to keep exact.
  if (!LONG_DIGITS.test(text)) return JSON.parse(text);
  return sourceAware.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && INTEGER.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Parses JSON. @returns undefined for a text that is not JSON */
export function jsonIn(text: string): unknown {
  // Many answers are empty, and an exception is slow.
  if (text === "") return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Writes JSON; bigint as an integer, undefined members left out. @param indent blanks per level, for people. */
export function stringifyJson(value: unknown, indent = 0): string {
  const digits = (_key: string, member: unknown): unknown =>
    typeof member === "bigint" ? sourceAware.rawJSON(member.toString()) : member;
  return JSON.stringify(value, digits, indent);
}
