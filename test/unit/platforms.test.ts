import { describe, expect, it } from "vitest";

import { SHOWN_BY, testPath, USED_BY } from "../../scripts/coverage.ts";
import { FEATURES } from "../../scripts/platforms.ts";
import { createKinds, RESOURCES } from "../../src/kinds/index.ts";
import { isDocumented, operations } from "../../src/platform/codec/operations.ts";
import { filesIn } from "./repository.ts";

/** No kind looks at more of a spec to say what it may ask for. */
const SPEC = { runState: "Stopped", variables: [{ name: "A" }, { name: "B", secret: true }], variablesFrom: [] };

const KINDS = Object.values(createKinds()).filter((kind) => "operations" in kind);

const needed = new Set<string>(FEATURES.flatMap(({ needs }) => (needs === "Nothing" ? [] : needs)));

describe("the table of what works on which platform", () => {
  it("names for every feature what it needs beyond the specification, and what one sees without it", () => {
    expect([...needed].filter(isDocumented)).toEqual([]);
    for (const { feature, needs, without } of FEATURES) expect(without !== undefined, feature).toBe(needs.length > 0);
  });

  it("has every change beyond the specification, but what only the command line uses", () => {
    const changes = Object.entries(operations).filter(([name, { method }]) => method !== "GET" && !isDocumented(name));
    const left = changes.map(([name]) => name).filter((name) => !needed.has(name));
    expect(left).toEqual(["updateVariable"]);
  });

  it.each(KINDS)("names, as that of operations, what Capabilities asks for: $resource.kind", (kind) => {
    const { update = [], stop = [], delete: removal = [] } = kind.operations?.(SPEC) ?? {};
    const asked = [update, stop, removal].flat(2);
    const rows = JSON.stringify(FEATURES.filter((row) => row.kind === kind.resource.kind));
    const isNamed = (name: string) => isDocumented(name) || new RegExp(String.raw`\b${name}\b`).test(rows);
    expect(asked.filter((name) => !isNamed(name))).toEqual([]);
    expect(asked.filter((name) => USED_BY.get(kind.resource.kind)?.has(name) !== true)).toEqual([]);
  });

  it("has every kind", () => {
    const kinds = RESOURCES.map(({ kind }) => kind).filter((kind) => !kind.endsWith("Connection"));
    expect([...new Set(FEATURES.map(({ kind }) => kind))].toSorted()).toEqual(kinds.toSorted());
  });
});

describe("the read of an object for a comparison with its spec", () => {
  const reads = Object.values(createKinds()).flatMap(({ remote }) => remote?.operation ?? []);
  it.each(reads)("is an operation beyond the specification: %s", (operation) => {
    expect(operations).toHaveProperty(operation);
    expect(isDocumented(operation)).toBe(false);
  });
});

it("the table of which kind uses which operation names tests that exist", () => {
  const existing = filesIn("test", ".test.ts");
  const tests = Object.values(SHOWN_BY).flat();
  expect(tests.filter((test) => !existing.includes(testPath(test)))).toEqual([]);
});
