/** Answers of a faulty or malicious platform: mutations of a valid answer, for property tests. */
import fc from "fast-check";

import { stringifyJson } from "../../../src/platform/codec/json.ts";
import { anyText } from "../../support/hostile/values.ts";

/** Names of members that can change a prototype in a careless merge. */
const POLLUTING = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "toJSON"];

/** The prefix of a string that goes into the JSON text unchanged. */
const RAW = "\u0000raw:";

/** JSON of any shape, with polluting keys, numbers that JavaScript rounds, and texts that no server should send. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, "", 0, -1, 1e308, 2 ** 53, -0.5),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    anyText(8),
    fc.constantFrom("\u202e", "a\u0000b\n", "x".repeat(2_000), "00000000-0000-4000-8000-00000000000a", "../.."),
    fc.array(tie("value"), { maxLength: 3 }),
    fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...POLLUTING), fc.string({ maxLength: 5 })), tie("value")), {
        maxLength: 3,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Thousands of nested values: a recursive reader overflows the stack. */
const deep = fc
  .tuple(fc.constantFrom("[", '{"a":'), fc.constantFrom(10, 5_000, 20_000))
  .map(
    ([open, depth]) => RAW + open.repeat(depth) + (open === "[" ? "" : "1") + (open === "[" ? "]" : "}").repeat(depth),
  );

const many = fc
  .constantFrom(1_000, 20_000)
  .map((count) => `${RAW}[${Array.from({ length: count }, () => "{}").join(",")}]`);

type Change = (value: unknown) => unknown;

function to(other: unknown): Change {
  return () => other;
}

function polluting([key, value]: readonly [string, unknown]): Change {
  return (old) => polluted(old, key, value);
}

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: anyJson.map(to) },
  { weight: 2, arbitrary: fc.constant(to(undefined)) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...POLLUTING), anyJson).map(polluting) },
  { weight: 1, arbitrary: fc.constant<Change>((old) => [old, old]) },
  { weight: 1, arbitrary: fc.oneof(deep, many).map(to) },
);

function polluted(value: unknown, key: string, member: unknown): unknown {
  const own: readonly (readonly [string, unknown])[] = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries([...own, [key, isObject(member) ? { ...member, polluted: true } : { polluted: true }]]);
}

/** A valid answer with one to three values replaced, removed, polluted, doubled or nested; or cut off; or any text. */
export function mutated(valid: string): fc.Arbitrary<string> {
  const value: unknown = parsed(valid);
  const changed = fc
    .array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 })
    .map((changes) => textOf(changes.reduce((now, [at, by]) => changedAt(now, at % size(now), by), value)));
  return fc.oneof(
    { weight: 12, arbitrary: changed },
    { weight: 1, arbitrary: fc.nat(valid.length).map((length) => valid.slice(0, length)) },
    { weight: 1, arbitrary: anyJson.map(textOf) },
    { weight: 1, arbitrary: anyText(40) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "null", "<html>", "\ufeff{}", '{"a":1}{"a":2}') },
  );
}

export function textOf(value: unknown): string {
  const text = stringifyJson(value) ?? "";
  const mark = JSON.stringify(RAW).slice(1, -1);
  return text.replaceAll(
    new RegExp(`"${mark.replaceAll("\\", "\\\\")}((?:[^"\\\\]|\\\\.)*)"`, "g"),
    (_all, raw: string) => raw.replaceAll('\\"', '"'),
  );
}

/** @returns all values of a document, from the outermost, and what it is with another one in place of each */
export function valuesIn(document: unknown) {
  return Array.from({ length: size(document) }, (_, at) => {
    let value: unknown;
    changedAt(document, at, (found) => (value = found));
    return { value, replacedBy: (other: unknown): unknown => changedAt(document, at, to(other)) };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function size(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce<number>((sum, member) => sum + size(member), 1) : 1;
}

function changedAt(value: unknown, at: number, by: Change): unknown {
  if (at === 0) return by(value);
  if (!isObject(value)) return value;
  let left = at - 1;
  const members = Object.entries(value).map(([key, member]: [string, unknown]): [string, unknown] => {
    const length = size(member);
    const isHere = left >= 0 && left < length;
    const next = isHere ? changedAt(member, left, by) : member;
    left -= length;
    return [key, next];
  });
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
