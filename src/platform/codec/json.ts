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

/** A number of 16 digits or more: this may also be the content of a text, which costs time only. */
const LONG_NUMBER = /(?:^|[[:,])\s*-?\d{16}/;
/** The platform has no longer integers, and the time to make a bigint grows faster than its length. */
const INTEGER = /^-?\d{1,100}$/;

/** 10,000 records of ten members have as many. The cost of a text depends on its values more than on its length. */
const MAX_VALUES = 110_000;
/** Of a text with long numbers, which takes several times as long to parse. */
const MAX_EXACT_VALUES = 30_000;
/** The platform's records are nested five deep. Code that walks a value may use the stack. */
const MAX_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/**
 * Parses JSON; integers that a number cannot hold exactly become bigint. @throws SyntaxError, whose text quotes the
 * input.
 */
export function parseExactJson(text: string): unknown {
  // Reading with a reviver is several times slower; without 16 digits in a row there is nothing to keep exact.
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return sourceAware.parse(text, (_key, value, { source }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && INTEGER.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Returns why a text of JSON must not be parsed: it has too many values, or is nested too deeply. */
export function excessIn(text: string): string | undefined {
  const maxValues = LONG_NUMBER.test(text) ? MAX_EXACT_VALUES : MAX_VALUES;
  let [values, depth] = [1, 0];
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isString = !isString;
    else if (isString) at += character === BACKSLASH ? 1 : 0;
    else if (character === COMMA) values += 1;
    else if (isOpening(character)) {
      values += 1;
      depth += 1;
    } else if (isClosing(character)) depth -= 1;
    if (depth > MAX_DEPTH) return `is nested more than ${String(MAX_DEPTH)} deep`;
    if (values > maxValues) return `has more than ${String(maxValues)} values`;
  }
  return undefined;
}

function isOpening(character: number): boolean {
  return character === OPEN_BRACE || character === OPEN_BRACKET;
}

function isClosing(character: number): boolean {
  return character === CLOSE_BRACE || character === CLOSE_BRACKET;
}

/** Parses JSON. @returns undefined for a text that is not JSON, or has too many values */
export function jsonIn(text: string): unknown {
  // Many answers are empty, and an exception is slow.
  if (text === "" || excessIn(text) !== undefined) return undefined;
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
