/** What the reading of an answer may cost, in counts: what is parsed, and which values are looked at. */
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { type Decode, json, list, wellShapedList } from "./decode.ts";
import { optional, record, ShapeError, wellShaped } from "./schema.ts";

const read = <T>({ read: decode }: Decode<T>, body: unknown): T =>
  decode({ text: typeof body === "string" ? body : JSON.stringify(body), header: () => undefined });
const refusal = (decode: Decode<unknown>, body: unknown): string => {
  try {
    read(decode, body);
  } catch (error) {
    if (error instanceof ShapeError) return error.message;
    throw error;
  }
  return "read";
};

/** A text, and how many values were looked at. */
function counting() {
  const counter = { looks: 0 };
  const text = z.custom<string>((value) => {
    counter.looks += 1;
    return typeof value === "string";
  }, "not a text");
  return { counter, text };
}

const malformed = (count: number): readonly object[] => Array.from({ length: count }, () => ({}));
const named = (count: number): readonly object[] => Array.from({ length: count }, () => ({ name: "a" }));
const WRONG = "the answer does not have the documented shape";

describe("[E5] a list in an answer", () => {
  it("is read up to its first malformed item, and only that item is reported", () => {
    const { counter, text } = counting();
    expect(refusal(list(record({ name: text })), { results: malformed(1_000) })).toBe(`${WRONG}: 0.name: not a text`);
    expect(counter.looks).toBe(1);
  });

  it("is reported with the index of its malformed item", () => {
    const results = [...named(2), {}, {}];
    expect(refusal(list(record({ name: z.string() })), { results })).toMatch(/: 2\.name: [^;]*$/);
  });

  it("of 10,000 items is read, and of more items none is looked at", () => {
    const { counter, text } = counting();
    const decode = list(record({ name: text }));
    expect(read(decode, { results: named(10_000) })).toHaveLength(10_000);
    expect(counter.looks).toBe(10_000);
    expect(refusal(decode, { results: named(10_001) })).toBe("the list has more than 10000 items");
    expect(counter.looks).toBe(10_000);
  });

  it("of details is read without its malformed items", () => {
    const results = [...malformed(3), { name: "a" }, 1, null];
    expect(read(wellShapedList(record({ name: z.string() })), { results })).toEqual([{ name: "a" }]);
  });
});

describe("[E5] a record in an answer", () => {
  it("is read up to its first malformed member, and only that member is reported", () => {
    const { counter, text } = counting();
    expect(refusal(json(record({ a: text, b: text, c: text })), { a: 1, b: 2, c: 3 })).toBe(`${WRONG}: a: not a text`);
    expect(counter.looks).toBe(1);
  });

  it("is read without malformed members that may be missing", () => {
    const { of: orAbsent, text, number, flag, strings, map, maps, parent } = optional;
    const schema = record({ text, number, flag, strings, map, maps, parent, list: orAbsent(wellShaped(z.string())) });
    const names = Object.keys({ text, number, flag, strings, map, maps, parent, list: 0 });
    for (const wrong of [{ a: 1 }, [1], null]) {
      const given = Object.fromEntries(names.map((name) => [name, wrong]));
      const { map: kept = {}, list: left = [], ...others } = read(json(schema), given);
      expect({ others, left, kept }).toEqual({
        others: {},
        left: [],
        kept: wrong !== null && "a" in wrong ? wrong : {},
      });
    }
  });
});

describe("[E5] a whole answer", () => {
  const anything = json(z.unknown());

  it.each([
    ["110,000 values", `[${"0,".repeat(109_998)}0]`, "read"],
    ["more values", `[${"0,".repeat(109_999)}0]`, "the answer has more than 110000 values"],
    ["as many empty objects", `[${"{},".repeat(55_000)}0]`, "the answer has more than 110000 values"],
    ["30,000 long integers", `[${"12345678901234567,".repeat(29_998)}0]`, "read"],
    ["more of them", `[${"12345678901234567,".repeat(29_999)}0]`, "the answer has more than 30000 values"],
    ["100 lists in one another", `${"[".repeat(100)}${"]".repeat(100)}`, "read"],
    ["a million", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`, "the answer is nested more than 100 deep"],
    ["a million objects", `${'{"":'.repeat(1_000_000)}0`, "the answer is nested more than 100 deep"],
    ["a text that looks nested", JSON.stringify(`"\\${"[{,".repeat(200_000)}`), "read"],
    ["a number of a million digits", "9".repeat(1_000_000), "read"],
  ])("of %s is read, or refused by its limits", (_what, body, expected) => {
    expect(refusal(anything, body)).toBe(expected);
  });
});
