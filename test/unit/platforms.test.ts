import { describe, expect, it } from "vitest";

import { createKinds, RESOURCES } from "../../src/kinds/index.ts";
import { isDocumented, operations } from "../../src/platform/codec/operations.ts";
import { coverage, rowsOf } from "../support/platform/pages.ts";

/** No kind looks at more of a spec to say what it may ask for. */
const SPEC = { runState: "Stopped", variables: [{ name: "A" }, { name: "B", secret: true }], variablesFrom: [] };

const KINDS = Object.values(createKinds()).filter((kind) => "operations" in kind);

it("the page of what works on which platform has a row for each kind", () => {
  const named = rowsOf("docs/guides/platforms.md").map(([kind = ""]) => /\[(\w+)\]/.exec(kind)?.[1]);
  const kinds = RESOURCES.map(({ kind }) => kind).filter((kind) => !kind.endsWith("Connection"));
  expect(new Set(named)).toEqual(new Set(kinds));
});

describe("the page of which kind uses which operation", () => {
  const rows = coverage();

  it("lists each operation of the specification once, and only operations of the client", () => {
    expect(rows.filter(({ name }) => name === undefined).map(({ call }) => call)).toEqual([]);
    const names = rows.map(({ name }): string => name ?? "");
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    const documented = Object.keys(operations).filter(isDocumented);
    expect(documented.filter((name) => !names.includes(name))).toEqual([]);
  });

  it("names a kind for each operation beyond the specification", () => {
    const unused = rows.filter(({ name = "", kinds }) => !isDocumented(name) && kinds.length === 0);
    expect(unused.map(({ call }) => call)).toEqual([]);
  });

  it.each(KINDS)("names the operations that the condition Capabilities of a $resource.kind is about", (kind) => {
    const { stop = [], delete: removal = [] } = kind.operations?.(SPEC) ?? {};
    const asked = new Set<string>([stop, removal].flat(2));
    const missing = rows.filter(({ name = "", kinds }) => asked.has(name) && !kinds.includes(kind.resource.kind));
    expect(missing.map(({ call }) => call)).toEqual([]);
  });
});

describe("the read for kubectl platform status --remote", () => {
  const reads = Object.values(createKinds()).flatMap(({ remote }) => remote?.operation ?? []);
  it.each(reads)("uses an operation beyond the specification: %s", (operation) => {
    expect(operations).toHaveProperty(operation);
    expect(isDocumented(operation)).toBe(false);
  });
});
