import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseExactJson } from "../../platform/codec/json.ts";
import { digestOf, documentsOf, MAX_BYTES } from "./index.ts";
import type { Section } from "./sections.ts";

const section = (name: Section["name"], items: readonly object[], error?: string): Section => ({
  section: "Templates",
  name,
  items,
  error,
});

const bytesOf = (data: Readonly<Record<string, string>>): number =>
  Object.values(data).reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);

describe("the documents of a catalog", () => {
  it("keep every digit", () => {
    const { data } = documentsOf([section("templates", [{ max: 9_223_372_036_854_775_807n }])]);
    expect(data["templates.json"]).toBe('{\n"results":[\n{"max":9223372036854775807}\n]\n}\n');
  });

  it("leave out what does not fit, and say how much", () => {
    const big = { text: "é".repeat(100_000) };
    const { data, omitted } = documentsOf([
      section("databaseTypes", [{ name: "POSTGRESQL" }]),
      section(
        "templates",
        Array.from({ length: 10 }, () => big),
      ),
      section("gitRepositories", [{ name: "fits" }]),
    ]);
    expect(omitted).toEqual([{ name: "templates", count: 6 }]);
    expect(parseExactJson(data["templates.json"] ?? "")).toMatchObject({ omitted: 6, results: [big, big, big, big] });
    expect(parseExactJson(data["gitRepositories.json"] ?? "")).toEqual({ results: [{ name: "fits" }] });
    expect(bytesOf(data)).toBeLessThanOrEqual(MAX_BYTES);
  });

  it("count the text around the items", () => {
    const many = Array.from({ length: 2000 }, () => ({}));
    const names = ["databaseTypes", "cloudProviders", "templates", "gitRepositories"] as const;
    const { data } = documentsOf(
      names.map((name) => section(name, many, "e".repeat(300))),
      10_000,
    );
    expect(bytesOf(data)).toBeLessThanOrEqual(10_000);
    expect(bytesOf(data)).toBeGreaterThan(5_000);
  });

  it("are JSON and within their bounds, whatever is in them", () => {
    const items = fc.array(fc.record({ name: fc.string({ unit: "binary" }), more: fc.jsonValue() }), { maxLength: 8 });
    const sections = fc.array(fc.tuple(items, fc.option(fc.string(), { nil: undefined })), { maxLength: 1 });
    fc.assert(
      fc.property(sections, fc.integer({ min: 2048, max: 4096 }), (given, maxBytes) => {
        const { data } = documentsOf(
          given.map(([own, error]) => section("templates", own, error)),
          maxBytes,
        );
        for (const text of Object.values(data)) expect(parseExactJson(text)).toHaveProperty("results");
        expect(bytesOf(data)).toBeLessThanOrEqual(maxBytes);
      }),
      { numRuns: 50 },
    );
  });

  it("have a digest of everything, also of what did not fit", async () => {
    const of = (count: number) =>
      digestOf([
        section(
          "templates",
          Array.from({ length: count }, () => ({ name: "x".repeat(300_000) })),
        ),
      ]);
    expect(await of(4)).not.toBe(await of(5));
    expect(await digestOf([])).toBe("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
  });
});
