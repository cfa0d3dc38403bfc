import { describe, expect, it } from "vitest";

import { FEATURES } from "../../scripts/platforms.ts";
import { isDocumented, operations } from "../../src/platform/operations.ts";
import { RESOURCES } from "../../src/resources/index.ts";

const needed = new Set<string>(FEATURES.flatMap(({ needs }) => (needs === "Nothing" ? [] : needs)));

describe("the table of what works on which platform", () => {
  it("names for every feature what it needs beyond the specification, and what one sees without it", () => {
    expect([...needed].filter(isDocumented)).toEqual([]);
    for (const { feature, needs, without } of FEATURES) expect(without !== undefined, feature).toBe(needs.length > 0);
  });

  it("has every change beyond the specification, but what only the command line uses, or nobody", () => {
    const changes = Object.entries(operations).filter(([name, { method }]) => method !== "GET" && !isDocumented(name));
    const left = changes.map(([name]) => name).filter((name) => !needed.has(name));
    expect(left).toEqual(["restartApplication", "updateVariable", "cancelDeployment"]);
  });

  it("has every kind", () => {
    const kinds = RESOURCES.map(({ kind }) => kind).filter((kind) => !kind.endsWith("Connection"));
    expect([...new Set(FEATURES.map(({ kind }) => kind))].toSorted()).toEqual(kinds.toSorted());
  });
});
