import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { AWS, check, DOMAIN } from "../../../test/support/kinds/binding-checks.ts";
import { component, field, layer, template } from "../../../test/support/kinds/bindings.ts";
import type { Template } from "../../platform/areas/templates.ts";

describe("the problems of a spec", () => {
  it("does not require what a layer needs that may not be available", () => {
    const restricted = { mandatory: true, components: [component("c", field("f", { required: true }))] };
    const only = (change: object) => template(layer("l", { ...restricted, ...change }));
    expect(check({ spec: {}, of: only({ modes: ["PLATFORM_MANAGED"] }) })).toEqual([]);
    expect(check({ spec: {}, of: only({ providers: ["AWS"] }) })).toEqual([]);
    expect(check({ spec: {}, of: only({ providers: ["GCP"] }), cluster: AWS })).toEqual([]);
    expect(check({ spec: {}, of: only({ providers: ["AWS"] }), cluster: AWS })).toHaveLength(1);
    expect(check({ spec: { layerSelections: { l: true } }, of: only({ providers: ["AWS"] }) })).toHaveLength(1);
  });

  it("lists everything at once, in one order, whatever the order of the spec", () => {
    const spec = {
      layerSelections: { b: true, a: true },
      managedConfig: { z: {}, ingress: { replicas: { value: 99 } } },
    };
    const reversed = {
      layerSelections: { a: true, b: true },
      managedConfig: { ingress: { replicas: { value: 99 } }, z: {} },
    };
    const found = check({ spec });
    expect(found.map((problem) => problem.split(" ")[0])).toEqual([
      "spec.layerSelections[a]",
      "spec.layerSelections[b]",
      "spec.managedConfig[ingress][domain]",
      "spec.managedConfig[ingress][replicas]",
      "spec.managedConfig[z]",
    ]);
    expect(check({ spec: reversed })).toEqual(found);
  });

  it("shows the texts of a hostile catalog in one clean line", () => {
    const of = template(layer("a\n\u202Eb\u0000c"));
    expect(check({ spec: { layerSelections: { x: true } }, of })).toEqual([
      "spec.layerSelections[x] is no layer of the template (it has a b c)",
    ]);
  });

  it("[E4] leaves a pattern to the platform that cannot be judged here", () => {
    const value = `${"a".repeat(4000)}!`;
    const of = template(
      layer("l", { components: [component("c", field("f", { constraints: { pattern: "^(a+)+$" } }))] }),
    );
    expect(check({ spec: { managedConfig: { c: { f: { value } } } }, of })).toEqual([]);
  });

  it("knows no layer, component or field by the names that every object has", () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
    const layerSelections = Object.fromEntries(names.map((name) => [name, true]));
    const managedConfig = { ...DOMAIN, ...Object.fromEntries(names.map((name) => [name, {}])) };
    expect(check({ spec: { layerSelections, managedConfig } })).toHaveLength(2 * names.length);
    expect(
      check({ spec: { managedConfig: { ingress: { ...DOMAIN.ingress, constructor: { value: 1 } } } } }),
    ).toHaveLength(1);
  });
});

describe("[E3] whatever catalog and spec", () => {
  const key = fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor"), fc.string({ maxLength: 5 }));
  const bound = fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { nil: undefined });
  const length = fc.option(fc.integer(), { nil: undefined });
  const pattern = fc.oneof(
    fc.constantFrom("^(a+)+$", "(x+x+)+y", "(", "[", String.raw`\p{L}{0,200}`.repeat(30), "(?<a>a)".repeat(60)),
    fc.string({ maxLength: 600 }),
  );
  const fieldOf = fc.record({
    key,
    type: fc.oneof(fc.constantFrom("string", "number", "bool"), fc.string()),
    required: fc.boolean(),
    sensitive: fc.boolean(),
    label: fc.string(),
    constraints: fc.record(
      {
        allowedValues: fc.array(fc.string(), { maxLength: 3 }),
        min: bound,
        max: bound,
        minLength: length,
        maxLength: length,
        pattern,
      },
      { requiredKeys: [] },
    ),
  });
  const layerOf = fc.record({
    key,
    mandatory: fc.boolean(),
    enabledByDefault: fc.boolean(),
    modes: fc.array(fc.string(), { maxLength: 2 }),
    providers: fc.array(fc.string(), { maxLength: 2 }),
    componentKeys: fc.array(key, { maxLength: 3 }),
    components: fc.array(fc.record({ key, kind: fc.string(), fields: fc.array(fieldOf, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
  });
  const value = fc.oneof(
    fc.constantFrom(`${"a".repeat(4000)}!`, "9007199254740993"),
    fc.string(),
    fc.boolean(),
    fc.maxSafeInteger(),
  );
  const config = fc.dictionary(key, fc.dictionary(key, fc.record({ value }), { maxKeys: 3 }), { maxKeys: 3 });

  it("is judged without an error, and without quoting anything at length", () => {
    fc.assert(
      fc.property(
        fc.array(layerOf, { maxLength: 4 }),
        fc.dictionary(key, fc.boolean()),
        config,
        (layers, layerSelections, managedConfig) => {
          const of = template(...(layers as Template["layers"]));
          const problems = check({ spec: { layerSelections, managedConfig }, of, cluster: AWS });
          expect(problems.every((problem) => problem.length <= 300)).toBe(true);
          expect(problems).toEqual([...new Set(problems)].toSorted());
          expect("polluted" in {}).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
});
