/**
 * The generator of changes, and the operator's own schemas on its values: they refuse what the API server lets through.
 */
import { describe, expect, it } from "vitest";

import { RESOURCES } from "../../../src/kinds/index.ts";
import { figure } from "../../support/platform/figure.ts";
import { casesOf } from "../generated/cases.ts";
import { KINDS } from "../generated/kinds/index.ts";
import { leavesOf } from "../generated/leaves.ts";
import { SOMEWHERE } from "../generated/outcomes.ts";
import { mergePatch, placed } from "../generated/place.ts";
import { boundariesOf, invalidsOf } from "../generated/values.ts";

/** Boundary values that the API server accepts and the operator does not: a CRD cannot express their rules. */
const STRICTER: Readonly<Record<string, readonly string[]>> = {
  PlatformCluster: ["writeTokenSecretToRef.caBundle: the shortest"],
  PlatformVariableSet: ["targets: as many as may be"],
};

describe("[G1] the leaves of a schema, for generated changes,", () => {
  const PORT = { type: "integer", minimum: 1, maximum: 9 } as const;
  const spec = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", maxLength: 4, pattern: "^[a-z]+$" },
      ports: {
        type: "array",
        maxItems: 2,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port"],
        items: { type: "object", required: ["port"], properties: { port: PORT } },
      },
      labels: { type: "object", maxProperties: 2, additionalProperties: { type: "string" } },
      ref: {
        type: "object",
        properties: { name: { type: "string" }, id: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "has(self.name) != has(self.id)", message: "one of them" }],
      },
    },
  } as const satisfies Parameters<typeof leavesOf>[0];
  const leaves = leavesOf(spec);
  const leaf = (path: string) => {
    const found = leaves.find((one) => one.path === path);
    if (found === undefined) throw new RangeError(path);
    return found;
  };

  it("are its scalars, and its lists and maps as wholes", () => {
    const shown = leaves.map(({ path, optional }) => `${path}${optional ? "?" : ""}`);
    expect(shown).toEqual(["name", "ports?", "ports[].port", "labels?", "labels{}", "ref.name", "ref.id"]);
  });

  it("are set in place, and members that they exclude are removed", () => {
    const base = { name: "a", ports: [{ port: 1 }], labels: { team: "x" }, ref: { name: "b" } };
    const [ports, labels] = [placed(base, leaf("ports[].port"), 3), placed(base, leaf("labels{}"), "y")];
    expect(ports).toEqual({ spec: { ...base, ports: [{ port: 3 }] }, at: "spec.ports[0].port" });
    expect(labels).toMatchObject({ spec: { labels: { team: "y" } }, at: "spec.labels.team" });
    expect(placed(base, leaf("ref.id"), "c").spec["ref"]).toEqual({ id: "c" });
    expect(placed(base, leaf("ports"), undefined).spec).not.toHaveProperty("ports");
    expect(() => placed({}, leaf("ports[].port"), 3)).toThrow(RangeError);
  });

  it("have values at their bounds and beyond them", () => {
    const titles = (path: string, sample: Parameters<typeof invalidsOf>[1]) => ({
      at: boundariesOf(leaf(path).schema, sample, leaf(path).optional).map(({ value }) => value),
      beyond: invalidsOf(leaf(path).schema, sample).map(({ value }) => value),
    });
    const strange = [" ", "a\nb", "ab\n", "ab\u0000", "\u202eab", "ab/../x", "-", "ü"];
    expect(titles("name", "ab")).toEqual({ at: ["aaab", "b"], beyond: [7, "aaaab", ...strange] });
    expect(titles("ports[].port", 5)).toEqual({ at: [1, 9], beyond: ["5", 0, 10, 5.5] });
    expect(titles("ports", [{ port: 1 }])).toEqual({
      at: [[], [{ port: 1 }, { port: 2 }], undefined],
      beyond: ["text", [{ port: 1 }, { port: 2 }, { port: 3 }], [{ port: 1 }, { port: 1 }]],
    });
  });

  it("are changed by a merge patch with the smallest difference", () => {
    const patch = mergePatch({ a: 1, b: { c: 1, d: 2 }, e: [1] }, { a: 1, b: { c: 3 }, e: [2] });
    expect(patch).toEqual({ a: 1, b: { c: 3, d: null }, e: [2] });
  });
});

describe("[G1] every leaf", () => {
  it.for(KINDS)(
    "of $kind has valid, boundary and invalid values that the operator's schema agrees with",
    (kind, { task }) => {
      const resource = RESOURCES.find((one) => one.kind === kind.kind);
      const leaves = casesOf(kind, SOMEWHERE, "case");
      const stricter = STRICTER[kind.kind] ?? [];
      const accepts = (spec: unknown): boolean => resource?.spec.safeParse(spec).success === true;
      const wrong = leaves.flatMap(({ leaf: { path }, valid, boundaries, invalids }) => [
        ...(accepts(valid.spec) ? [] : [`${path} refused`]),
        ...boundaries.filter(({ title, spec }) => accepts(spec) === stricter.includes(title)).map(({ title }) => title),
        // The API server alone validates the keys of lists.
        ...invalids
          .filter(({ title, spec }) => accepts(spec) && !title.endsWith("twice"))
          .map(({ title }) => `${title}: accepted`),
      ]);
      const values = leaves.flatMap(({ boundaries, invalids }) => [...boundaries, ...invalids]);
      figure(task, `${leaves.length} leaves of ${kind.kind}`, leaves.length + values.length);
      expect(wrong).toEqual([]);
    },
  );
});
