/**
 * Masks values in texts, in whatever spelling a program quotes them. Value and text are compared without escapes:
 * those of JSON, URLs, forms and HTML are decoded, however often they were applied, and blanks, line breaks,
 * backslashes and "+" (a blank in a form) are left out.
 */

/**
 * The length from which a value is masked, as shorter values would mask ordinary words; without the characters that are
 * left out.
 */
const MIN_LENGTH = 6;

/** The values that are searched in a text, in the forms in which they may occur. */
export interface Mask {
  /** The first MIN_LENGTH characters of the forms: a quick test before the search. */
  readonly starts: ReadonlySet<string>;
  /** 1 at the hash of each of `starts`: a quicker test, which allocates nothing. */
  readonly hashes: Uint8Array;
  /** Sorted. */
  readonly forms: readonly string[];
  /** For each form the index of the longest shorter form with which it begins; -1 for none. */
  readonly shorter: readonly number[];
}

/** @returns a mask of the values, of each of their lines, and of their base64, alone or within that of a longer text */
export function maskOf(values: Iterable<string>): Mask {
  const found = new Set<string>();
  for (const value of values) {
    for (const part of new Set([value, ...value.split(/[\r\n]+/)])) {
      for (const form of formsOf(part.trim())) found.add(form);
    }
  }
  const forms = [...found].toSorted((one, other) => (one < other ? -1 : 1));
  const shorter: number[] = [];
  for (const [index, form] of forms.entries()) {
    let at = index - 1;
    while (at >= 0 && !form.startsWith(forms[at] ?? "")) at = shorter[at] ?? -1;
    shorter.push(at);
  }
  const starts = new Set(forms.map((form) => form.slice(0, MIN_LENGTH)));
  const hashes = new Uint8Array(HASHES);
  for (const start of starts) hashes[hashAt(start, 0)] = 1;
  return { starts, hashes, forms, shorter };
}

/** The number of hashes, a power of two. Each namespace with values has a mask, so it is small. */
const HASHES = 2 ** 12;

/** Returns the hash of the MIN_LENGTH characters from an index on, below HASHES. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let index = at; index < at + MIN_LENGTH; index += 1) hash = Math.imul(hash, 31) + text.charCodeAt(index);
  return hash & (HASHES - 1);
}

/** Returns the value without escapes, and its base64 at each of the three offsets. */
function formsOf(value: string): readonly string[] {
  const plain = unescaped(value).text;
  if (plain.length < MIN_LENGTH) return [];
  // "+" is left out, and padding depends on what follows.
  const encoded = (["base64", "base64url"] as const).flatMap((encoding) => [
    Buffer.from(value).toString(encoding).replaceAll(/[+=]/g, ""),
    ...[0, 1, 2].map((before) => inBase64(value, before, encoding).replaceAll("+", "")),
  ]);
  return [plain, ...encoded].filter((form) => form.length >= MIN_LENGTH);
}

/** @returns the characters of the base64 of a text that the value alone decides, where `before` bytes precede it */
function inBase64(value: string, before: number, encoding: "base64" | "base64url"): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** An escape that a cut may have left incomplete at the end of a text. */
const CUT_ESCAPE = /(?:%[\da-f]?|\\+(?:u[\da-f]{0,3})?|&#?\w{0,7})$/i;

/**
 * @param isCut whether the text was longer: its end may be the beginning of a value
 * @returns the text with `mark` in place of each value
 */
export function withoutValues(text: string, masks: readonly Mask[], mark: string, isCut = text.endsWith("…")): string {
  const usable = masks.filter(({ forms }) => forms.length > 0);
  if (!mayContain(text, usable)) return text;
  const end = text.endsWith("…") ? text.length - 1 : text.length;
  const { text: plain, from, to } = unescaped(isCut ? text.slice(0, end).replace(CUT_ESCAPE, "") : text);
  let clean = "";
  let done = 0;
  for (let at = 0; at + MIN_LENGTH <= plain.length; at += 1) {
    const start = plain.slice(at, at + MIN_LENGTH);
    const likely = usable.filter(({ starts }) => starts.has(start));
    if (likely.length === 0) continue;
    const rest = plain.slice(at);
    const isCutValue = isCut && likely.some((mask) => isPrefix(mask, rest));
    const length = isCutValue ? rest.length : Math.max(...likely.map((mask) => longestIn(mask, rest)));
    if (length === 0) continue;
    clean += text.slice(done, from[at]) + mark;
    done = isCutValue ? end : (to[at + length - 1] ?? end);
    at += length - 1;
  }
  return clean + text.slice(done);
}

/** A text of ASCII without an escape, as most texts of the operator are. */
const PLAIN = /^[ -$'-[\]-~\t\n\r]*…?$/;

/** Reports whether a text may contain a value: false for nearly all texts without escapes. */
function mayContain(text: string, masks: readonly Mask[]): boolean {
  if (masks.length === 0) return false;
  if (!PLAIN.test(text)) return true;
  const plain = text.replaceAll(/[\s+]+/g, "");
  for (let at = 0; at + MIN_LENGTH <= plain.length; at += 1) {
    const hash = hashAt(plain, at);
    for (const { hashes, starts } of masks)
      if (hashes[hash] === 1 && starts.has(plain.slice(at, at + MIN_LENGTH))) return true;
  }
  return false;
}

/** @returns the length of the longest form with which the text begins; 0 for none */
function longestIn({ forms, shorter }: Mask, text: string): number {
  // All forms with which the text begins also begin the last form that is not after the text.
  let at = firstIndex(forms, (form) => form > text) - 1;
  while (at >= 0 && !text.startsWith(forms[at] ?? "")) at = shorter[at] ?? -1;
  return forms[at]?.length ?? 0;
}

/** Reports whether a form begins with the text. */
function isPrefix({ forms }: Mask, text: string): boolean {
  return forms[firstIndex(forms, (form) => form >= text)]?.startsWith(text) ?? false;
}

/** @returns the index of the first form that is `after`, by binary search */
function firstIndex(forms: readonly string[], after: (form: string) => boolean): number {
  let [low, high] = [0, forms.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (after(forms[middle] ?? "")) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A text without escapes, and the range in the original text of each of its characters. */
interface Unescaped {
  readonly text: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

const ENTITIES = new Map([
  ["amp", 0x26],
  ["lt", 0x3c],
  ["gt", 0x3e],
  ["quot", 0x22],
  ["apos", 0x27],
  ["nbsp", 0xa0],
]);
const MAX_ENTITY_LENGTH = 10;
/** What follows the backslash of a character that is left out: n, r, t, b, f. */
const BREAKS: ReadonlySet<number> = new Set([0x6e, 0x72, 0x74, 0x62, 0x66]);
const [AMPERSAND, BACKSLASH, PERCENT, PLUS, SEMICOLON, U] = [0x26, 0x5c, 0x25, 0x2b, 0x3b, 0x75];
/** Private characters that stand for the bytes of a percent-encoded character until the last of them is read. */
const BYTE = 0xf700;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads from left to right and decodes an escape as soon as it is complete: so also escapes of escapes. */
function unescaped(raw: string): Unescaped {
  const [codes, from, to]: [number[], number[], number[]] = [[], [], []];
  const add = (code: number, start: number, end: number): void => {
    if (isLeftOut(code)) return;
    codes.push(code);
    from.push(start);
    to.push(end);
  };
  for (let at = 0; at < raw.length; at += 1) {
    const before = codes.length;
    add(raw.charCodeAt(at), at, at + 1);
    let found = codes.length > before ? escapeAtEnd(codes) : undefined;
    while (found !== undefined) {
      const start = codes.length - found.length;
      const first = from[start] ?? at;
      for (const list of [codes, from, to]) list.length = start;
      for (const code of found.codes) add(code, first, at + 1);
      found = codes.length > start ? escapeAtEnd(codes) : undefined;
    }
  }
  let text = "";
  const places: { from: number[]; to: number[] } = { from: [], to: [] };
  for (const [index, code] of codes.entries()) {
    if (code === BACKSLASH) continue;
    text += String.fromCharCode(code);
    places.from.push(from[index] ?? 0);
    places.to.push(to[index] ?? 0);
  }
  return { text, ...places };
}

/** Blanks, line breaks, control and invisible characters, and "+". */
function isLeftOut(code: number): boolean {
  if (code < 0x7f) return code <= 0x20 || code === PLUS;
  return /[\s\p{Cc}\p{Cf}]/u.test(String.fromCharCode(code));
}

/** An escape, by its length, and what it stands for. */
interface Escape {
  readonly length: number;
  readonly codes: readonly number[];
}

/** @returns the escape with which the characters end; undefined for none */
function escapeAtEnd(codes: readonly number[]): Escape | undefined {
  const last = codes.at(-1) ?? 0;
  if (last === SEMICOLON) return entityAtEnd(codes);
  if (last >= BYTE && last <= BYTE + 0xff) return characterAtEnd(codes);
  return shortEscapeAtEnd(codes, last) ?? (isHex(last) ? hexAtEnd(codes) : undefined);
}

/** A backslash and one more character: a second backslash, or a line break or the like, which is left out. */
function shortEscapeAtEnd(codes: readonly number[], last: number): Escape | undefined {
  if (codes.at(-2) !== BACKSLASH) return undefined;
  if (last === BACKSLASH) return { length: 2, codes: [BACKSLASH] };
  return BREAKS.has(last) ? { length: 2, codes: [] } : undefined;
}

/** "%3c" or "\\u003c". */
function hexAtEnd(codes: readonly number[]): Escape | undefined {
  if (codes.at(-3) === PERCENT && isHex(codes.at(-2))) {
    const byte = numberOf(codes, 2);
    return { length: 3, codes: [byte < 0x80 ? byte : BYTE + byte] };
  }
  const isUnicode = codes.at(-6) === BACKSLASH && codes.at(-5) === U && codes.slice(-4).every((code) => isHex(code));
  return isUnicode ? { length: 6, codes: [numberOf(codes, 4)] } : undefined;
}

function isHex(code: number | undefined): boolean {
  if (code === undefined) return false;
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function numberOf(codes: readonly number[], digits: number): number {
  return Number.parseInt(String.fromCharCode(...codes.slice(-digits)), 16);
}

/** A reference of HTML: "&lt;", "&#60;", "&#x3c;". */
function entityAtEnd(codes: readonly number[]): Escape | undefined {
  const start = codes.lastIndexOf(AMPERSAND);
  const length = codes.length - start;
  if (start === -1 || length > MAX_ENTITY_LENGTH) return undefined;
  const name = String.fromCharCode(...codes.slice(start + 1, -1));
  const [, hex, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? [];
  const digits = hex === undefined ? decimal : `0x${hex}`;
  const point = digits === undefined ? ENTITIES.get(name) : Number(digits);
  if (point === undefined || point > 0x10ffff) return undefined;
  return { length, codes: unitsOf(String.fromCodePoint(point)) };
}

/** A character of several percent-encoded bytes. */
function characterAtEnd(codes: readonly number[]): Escape | undefined {
  for (let length = 2; length <= 4; length += 1) {
    const bytes = codes.slice(-length).map((code) => code - BYTE);
    if (!bytes.every((byte) => byte >= 0 && byte <= 0xff)) return undefined;
    if ((bytes[0] ?? 0) >= 0xc0) {
      try {
        return { length, codes: unitsOf(utf8.decode(Uint8Array.from(bytes))) };
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}

function unitsOf(text: string): readonly number[] {
  return text.split("").map((unit) => unit.charCodeAt(0));
}
