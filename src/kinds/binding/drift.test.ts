import { describe, expect, it } from "vitest";

import {
  bindingContext,
  bindingSpec,
  component,
  field,
  layer,
  observedBinding,
  template,
  writtenMemory,
} from "../../../test/support/kinds/bindings.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { bindingDrift } from "./drift.ts";

const catalogue = template(
  layer("base", {
    mandatory: true,
    components: [
      component(
        "ingress",
        field("domain"),
        field("replicas", { type: "number", defaultValue: "2" }),
        field("logs", { type: "bool" }),
        field("token", { sensitive: true }),
        field("owner"),
        field("region", { defaultValue: "eu" }),
      ),
    ],
  }),
  layer("logs", { enabledByDefault: true }),
);
const spec = bindingSpec({
  layerSelections: { logs: true },
  managedConfig: {
    ingress: {
      domain: { value: "shop.example" },
      replicas: { value: "3" },
      token: { valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      owner: { valueFrom: { secretKeyRef: { name: "s", key: "o" } } },
    },
  },
  customerProvidedInputs: { ingress: { contact: { value: "hunter22" }, region: { value: "us" } } },
});
const context = bindingContext(
  spec,
  { surface: "Full" },
  { "spec.managedConfig[ingress][token]": "s3cret-value", "spec.managedConfig[ingress][owner]": "me" },
);
const asWanted = {
  templateKey: "essentials",
  templateVersion: "1.2.0",
  layerSelections: { logs: true },
  managedConfig: { ingress: { domain: "shop.example", replicas: 3, token: "s3cret-value" } },
  customerProvidedInputs: { ingress: { contact: "hunter22", region: "us" } },
  layers: [],
};

const drift = (change: Partial<Binding>, listed = true) =>
  bindingDrift(
    context,
    observedBinding({ template: listed ? catalogue : undefined, bound: { ...asWanted, ...change } }),
  );
const config = (change: Record<string, unknown>) => ({
  managedConfig: { ingress: { ...asWanted.managedConfig.ingress, ...change } },
});

describe("drift", () => {
  it.each<[string, Partial<Binding>, object[]]>([
    ["none", {}, []],
    ["a number as text", config({ replicas: "3" }), []],
    ["what the spec does not declare", config({ logs: true, more: "x" }), []],
    [
      "what the platform does not repeat",
      { managedConfig: undefined, customerProvidedInputs: undefined, layerSelections: undefined } as never,
      [],
    ],
    ["a selection that is not repeated, as the template has it", { layerSelections: {} }, []],
    ["version", { templateVersion: "1.1.0" }, [{ path: "spec.template.version", desired: "1.2.0", observed: "1.1.0" }]],
    ["key", { templateKey: "other" }, [{ path: "spec.template.key", desired: "essentials", observed: "other" }]],
    [
      "layer",
      { layerSelections: { logs: false } },
      [{ path: "spec.layerSelections[logs]", desired: "true", observed: "false" }],
    ],
    [
      "value",
      config({ replicas: 5 }),
      [{ path: "spec.managedConfig[ingress][replicas]", desired: "3", observed: "5" }],
    ],
    [
      "value, at its default",
      config({ replicas: undefined }),
      [{ path: "spec.managedConfig[ingress][replicas]", desired: "3", observed: "2" }],
    ],
    [
      "value, not there",
      config({ domain: null }),
      [{ path: "spec.managedConfig[ingress][domain]", desired: "shop.example", observed: "absent" }],
    ],
    [
      "value of another shape",
      config({ domain: ["a"] }),
      [{ path: "spec.managedConfig[ingress][domain]", desired: "shop.example", observed: "of another shape" }],
    ],
    ["a masked secret", config({ token: "********" }), []],
    ["a changed secret", config({ token: "foreign" }), []],
    ["a changed value from a Secret", config({ owner: "you" }), []],
    [
      "an input",
      { customerProvidedInputs: { ingress: { contact: "foreign-secret", region: "us" } } },
      [
        {
          path: "spec.customerProvidedInputs[ingress][contact]",
          desired: "the declared value",
          observed: "another value",
        },
      ],
    ],
    [
      "an input for a field that the template describes",
      { customerProvidedInputs: { ingress: { contact: "hunter22", region: "ap" } } },
      [
        {
          path: "spec.customerProvidedInputs[ingress][region]",
          desired: "the declared value",
          observed: "another value",
        },
      ],
    ],
    [
      "an input, not there",
      { customerProvidedInputs: { ingress: { region: "us" } } },
      [{ path: "spec.customerProvidedInputs[ingress][contact]", desired: "the declared value", observed: "absent" }],
    ],
  ])("%s", (_name, change, expected) => {
    expect(drift(change)).toEqual(expected);
  });

  it("hides values of fields that the template does not describe", () => {
    expect(drift(config({ domain: "perhaps-a-secret" }), false)).toEqual([
      { path: "spec.managedConfig[ingress][domain]", desired: "the declared value", observed: "another value" },
    ]);
  });

  it("shows no value of a sensitive field, even of a spec that is refused for it", () => {
    const plain = bindingContext(bindingSpec({ managedConfig: { ingress: { token: { value: "hunter22" } } } }));
    expect(bindingDrift(plain, observedBinding({ template: catalogue, bound: { ...asWanted, layers: [] } }))).toEqual(
      [],
    );
  });

  it("is not known where the platform does not show its binding", () => {
    expect(bindingDrift(context, observedBinding({ template: catalogue }))).toBeUndefined();
  });

  it("is a binding that is gone, once it was written", () => {
    const observed = observedBinding({ template: catalogue, bound: "none" });
    expect(bindingDrift(context, observed)).toEqual([]);
    expect(bindingDrift({ ...context, memory: writtenMemory(context) }, observed)).toEqual([
      { path: "spec.template", desired: "essentials 1.2.0", observed: "absent" },
    ]);
  });

  it("names each path once, and none at any length", () => {
    const long = "k".repeat(2000);
    const many = bindingSpec({ layerSelections: { [`${long}a`]: true, [`${long}b`]: true } });
    const bound = { ...asWanted, layerSelections: { [`${long}a`]: false, [`${long}b`]: false } };
    const found = bindingDrift(
      bindingContext(many, { surface: "Full" }),
      observedBinding({ template: catalogue, bound }),
    );
    expect(found?.map(({ path }) => path.length)).toEqual([300]);
  });
});
