import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import { platformBinding } from "../../kinds/binding/crd.ts";
import type { Template, TemplateField, TemplateLayer } from "../../platform/areas/templates.ts";
import { skeletonOf } from "./skeleton.ts";

function field(key: string, more: Partial<TemplateField> = {}): TemplateField {
  return { key, type: "string", required: false, sensitive: false, constraints: {}, ...more };
}

function template(fields: readonly TemplateField[], layer: Partial<TemplateLayer> = {}, key = "base"): Template {
  const components = [{ key: "app", fields: [...fields] }];
  const one = { key: "layer", mandatory: false, enabledByDefault: true, modes: ["PLATFORM_MANAGED"], ...layer };
  return { key, version: "1.0", status: "PUBLISHED", layers: [{ ...one, componentKeys: ["app"], components }] };
}

/** Parses the spec as the operator does. @throws when it is invalid */
function specOf(text: string) {
  return platformBinding.spec.parse((parse(text) as { readonly spec: unknown }).spec);
}

describe("the skeleton of a binding, generated from a template", () => {
  const LONG = "9007199254740993";
  const secretKeyRef = { name: "base", key: "app.f" };

  it.each<[string, Partial<TemplateField>, unknown]>([
    ["the default of a field", { defaultValue: "x" }, { value: "x" }],
    ["a default that is a number, as a number", { type: "number", defaultValue: "5" }, { value: 5 }],
    ["a number too long for a double, as text", { type: "number", defaultValue: LONG }, { value: LONG }],
    ["a default that is a boolean, as a boolean", { type: "bool", defaultValue: "true" }, { value: true }],
    ["a text that YAML would read as a boolean, as text", { defaultValue: "yes" }, { value: "yes" }],
    [
      "the allowed value where the default is not allowed",
      { defaultValue: "x", constraints: { allowedValues: ["y"] } },
      { value: "y" },
    ],
    ["an empty text for a required field without a default", { required: true }, { value: "" }],
    ["the minimum of a required number", { type: "number", required: true, constraints: { min: 3n } }, { value: 3 }],
    [
      "a reference to a Secret for a sensitive field",
      { required: true, sensitive: true },
      { valueFrom: { secretKeyRef } },
    ],
    ["only a comment for an optional field", {}, undefined],
  ])("contains %s", (_, more, expected) => {
    const spec = specOf(skeletonOf(template([field("f", more), field("always", { defaultValue: "1" })]), {}));
    expect(spec.managedConfig["app"]?.["f"]).toEqual(expected);
  });

  it("writes constraints and descriptions as comments", () => {
    const constraints = { allowedValues: ["a", "b"], min: 1n, max: 2n, minLength: 1, maxLength: 9, pattern: "^[ab]$" };
    const text = skeletonOf(template([field("f", { required: true, description: "what it is", constraints })]), {});
    const comment = "string, one of a, b, 1 to 2, length 1 to 9, matching ^[ab]$; required: fill it in; what it is";
    expect(text).toContain(`f: # ${comment}`);
  });

  it("omits layers that are disabled, and layers for another kind of cluster", () => {
    const fields = [field("f", { defaultValue: "x" })];
    const off = specOf(skeletonOf(template(fields, { enabledByDefault: false }), {}));
    expect(off).toMatchObject({ layerSelections: { layer: false }, managedConfig: {} });
    const context = { clusterMode: "CUSTOMER_MANAGED", cloudProvider: "AWS" };
    const elsewhere = specOf(skeletonOf(template(fields, { mandatory: true }), { context }));
    expect(elsewhere).toMatchObject({ layerSelections: {}, managedConfig: {}, cluster: { provider: "AWS" } });
  });

  it("contains every field once its comments are uncommented", () => {
    const text = skeletonOf(template([field("f"), field("g", { sensitive: true })], { enabledByDefault: false }), {});
    const whole = text.replaceAll(/^( {4})# /gm, "$1").replace("managedConfig: {}", "managedConfig:");
    expect(Object.keys(specOf(whole).managedConfig["app"] ?? {})).toEqual(["f", "g"]);
  });

  it("is YAML that the operator parses, whatever characters the platform's names contain", () => {
    const nasty = ":#-{}[]&*!|>'\"%@`\\ \t\n\r\u0000\u001B\u0085\u2028\uFEFFé😀a1y";
    const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...Array.from(nasty)) });
    fc.assert(
      fc.property(word, word, word, word, (key, layer, name, about) => {
        const one = field(name, { defaultValue: about, description: about });
        const spec = specOf(skeletonOf(template([one], { key: layer, description: about }, key), {}));
        expect(spec.template.key).toBe(key);
        expect(Object.keys(spec.layerSelections)).toEqual([layer]);
        expect(Object.keys(spec.managedConfig["app"] ?? {})).toEqual([name]);
      }),
    );
  });
});
