import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { dnsLabel } from "../../base/targets.ts";
import { namesFor } from "./documents.ts";

describe("a label", () => {
  it.each([
    ["Web Shop", "web-shop"],
    ["  Müller & Söhne (EU) ", "muller-sohne-eu"],
    ["api_v2.1", "api-v2-1"],
    ["--x--", "x"],
    ["東京", ""],
    ["a".repeat(80), "a".repeat(63)],
  ])("of %j is %j", (text, label) => {
    expect(dnsLabel(text)).toBe(label);
  });
});

describe("names", () => {
  const id = (last: number): string => `0000000${last}-0000-4000-8000-00000000000${last}`;

  it("are the short ones where nobody else wants them, else the long ones, else have a part of the id", () => {
    const names = namesFor(
      [
        { id: id(1), wishes: ["API", "staging API"] },
        { id: id(2), wishes: ["api", "production api"] },
        { id: id(3), wishes: ["web", "staging web"] },
        { id: id(4), wishes: ["taken", "staging taken"] },
        { id: id(5), wishes: ["worker", "same worker"] },
        { id: id(6), wishes: ["Worker", "same Worker"] },
        { id: id(7), wishes: ["東京"] },
      ],
      new Set(["taken"]),
    );
    expect([...names.values()].toSorted()).toEqual([
      ...["id-00000007", "production-api", "staging-api", "staging-taken", "web"],
      ...["worker-00000005", "worker-00000006"],
    ]);
  });

  it("are valid and all different, whatever the platform's are", () => {
    const wishes = fc.array(fc.oneof(fc.string(), fc.constantFrom("a", "A b")), { maxLength: 3 });
    const things = fc.uniqueArray(fc.record({ id: fc.uuid(), wishes }), { selector: (one) => one.id });
    fc.assert(
      fc.property(things, fc.array(fc.constantFrom("a", "a-b")), (list, taken) => {
        const names = namesFor(list, new Set(taken));
        expect(names.size).toBe(list.length);
        expect(new Set([...names.values(), ...taken]).size).toBe(list.length + new Set(taken).size);
        for (const name of names.values()) expect(name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      }),
    );
  });
});
