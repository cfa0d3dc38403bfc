/** What counts as a change that breaks users, and how one is announced (docs/versions.md). */
import { describe, expect, it } from "vitest";

import { breaksBetween, contractOf, unannounced } from "../../scripts/compatibility/contract.ts";

const crd = (size: object, required: readonly string[] = [], state: object = { type: "string" }) => {
  const spec = { type: "object", properties: { size }, required };
  const properties = { spec, status: { type: "object", properties: { state } } };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { spec: { names: { kind: "PlatformThing" }, versions: [{ name: "v1alpha1", schema }] } };
};
const values = { type: "object", properties: { replicas: { type: "integer", default: 1 } } };
const OLD = { type: "integer", minimum: 1, maximum: 9, enum: [1, 2] };
const before = contractOf([crd(OLD)], values);
const size = { path: "PlatformThing/v1alpha1.spec.size" };

describe("a change of the custom resources", () => {
  const ruled = (rule: string) => ({ ...OLD, "x-kubernetes-validations": [{ rule }] });
  const UNGUARDED = "!has(self.unit) || self.a ? self.b : self.c";

  it.each([
    ["nothing", OLD, []],
    ["more values and wider bounds", { type: "integer", minimum: 0, maximum: 10, enum: [1, 2, 3] }, []],
    ["a default where there was none", { ...OLD, default: 1 }, []],
    ["a type that takes the old one", { "x-kubernetes-int-or-string": true }, []],
    ["a rule of a field that is new", ruled("!has(self.unit) || self.unit != 'm'"), []],
    ["a rule that a new field does not guard", ruled(UNGUARDED), [`has another rule: ${UNGUARDED}`]],
    ["another type", { type: "string" }, ["was of type integer and is of type string"]],
    ["fewer values", { ...OLD, enum: [1] }, ["no longer takes 2"]],
    ["narrower bounds", { ...OLD, minimum: 2, maximum: 8 }, ["has the minimum 2 now", "has the maximum 8 now"]],
    ["another pattern", { ...OLD, pattern: "^a" }, ["has another pattern: ^a"]],
  ])("%s", (_title, field, expected) => {
    const after = contractOf([crd(field)], values);
    expect(breaksBetween(before, after)).toEqual(expected.map((what) => ({ ...size, what })));
  });

  it("breaks where a field goes, becomes required, or a required one is new", () => {
    const required = contractOf([crd(OLD, ["size"])], values);
    const smaller = Object.fromEntries(Object.entries(before).filter(([path]) => path !== size.path));
    const gone = { path: "PlatformThing/v1alpha1", what: "is gone" };
    expect(breaksBetween(before, required)).toEqual([{ ...size, what: "is required now" }]);
    expect(breaksBetween(before, contractOf([], values))).toEqual([gone]);
    expect(breaksBetween(smaller, required)).toEqual([{ ...size, what: "is new and required" }]);
  });

  it("breaks a status by another type alone", () => {
    const limited = contractOf([crd(OLD, [], { type: "string", enum: ["A"] })], values);
    expect(breaksBetween(before, limited)).toEqual([]);
    expect(breaksBetween(before, contractOf([crd(OLD, [], { type: "integer" })], values))).toHaveLength(1);
  });
});

it("another default of a value of the chart is a breaking change", () => {
  const after = { type: "object", properties: { replicas: { type: "integer", default: 2 } } };
  expect(breaksBetween(contractOf([], values), contractOf([], after))).toEqual([
    { path: "values.replicas", what: "had the default 1 and has 2" },
  ]);
});

describe("an announcement", () => {
  const broken = [{ ...size, what: "is gone" }];

  it.each([
    ["that names the field", "- **Breaking:** `PlatformThing.spec.size` is gone: use `spec.width`.", 0],
    ["of another field", "- **Breaking:** `PlatformThing.spec.sizes` is gone.", 1],
    ["that does not say that it breaks", "- `PlatformThing.spec.size` is gone.", 1],
  ])("%s", (_title, line, left) => {
    expect(unannounced(broken, `# Changelog\n\n## Unreleased\n\n${line}\n\n## 0.1.0\n`)).toHaveLength(left);
  });

  it("of an earlier release does not count", () => {
    const text = "## Unreleased\n\n- Nothing.\n\n## 0.1.0\n\n- **Breaking:** `PlatformThing.spec.size`\n";
    expect(unannounced(broken, text)).toEqual(broken);
  });
});
