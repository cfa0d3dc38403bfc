import { describe, expect, it } from "vitest";

import {
  bindingContext,
  bindingSpec,
  component,
  field,
  fullBinding as full,
  layer,
  observedBinding,
  template,
  writtenMemory,
} from "../../../test/support/kinds/bindings.ts";
import type { Binding } from "../../platform/areas/templates.ts";
import { bindingDrift } from "./drift.ts";

const ingress = component(
  "ingress",
  field("domain"),
  field("replicas", { type: "number", defaultValue: "2" }),
  field("logs", { type: "bool" }),
  field("token", { sensitive: true }),
  field("owner"),
  field("region", { defaultValue: "eu" }),
);
const catalog = template(
  layer("base", { mandatory: true, components: [ingress] }),
  layer("logs", { enabledByDefault: true }),
);
const fromSecret = (key: string) => ({ valueFrom: { secretKeyRef: { name: "s", key } } });
const declared = { domain: { value: "shop.example" }, replicas: { value: "3" } };
const spec = bindingSpec({
  layerSelections: { logs: true },
  managedConfig: { ingress: { ...declared, token: fromSecret("k"), owner: fromSecret("o") } },
  customerProvidedInputs: { ingress: { contact: { value: "hunter22" }, region: { value: "us" } } },
});
const values = { "spec.managedConfig[ingress][token]": "s3cret-value", "spec.managedConfig[ingress][owner]": "me" };
const context = bindingContext(spec, { surface: "Full" }, values);
const asWanted = {
  ...full([]),
  layerSelections: { logs: true },
  managedConfig: { ingress: { domain: "shop.example", replicas: 3, token: "s3cret-value" } },
  customerProvidedInputs: { ingress: { contact: "hunter22", region: "us" } },
};

const drift = (change: Partial<Binding>, listed = true) =>
  bindingDrift(context, observedBinding({ template: listed ? catalog : undefined, bound: { ...asWanted, ...change } }));
const config = (change: Record<string, unknown>) => ({
  managedConfig: { ingress: { ...asWanted.managedConfig.ingress, ...change } },
});

describe("drift", () => {
  type Field = readonly [path: string, desired: string, observed: string];
  const nothing = { managedConfig: undefined, customerProvidedInputs: undefined, layerSelections: undefined } as never;
  const inputs = (ingress: object) => ({ customerProvidedInputs: { ingress } }) as Partial<Binding>;
  const [REPLICAS, DOMAIN] = ["spec.managedConfig[ingress][replicas]", "spec.managedConfig[ingress][domain]"];
  const input = (key: string) => `spec.customerProvidedInputs[ingress][${key}]`;
  const hidden = ["the declared value", "another value"] as const;

  it.each<[string, Partial<Binding>, Field?]>([
    ["none", {}],
    ["a number as text", config({ replicas: "3" })],
    ["what the spec does not declare", config({ logs: true, more: "x" })],
    ["what the platform does not repeat", nothing],
    ["a selection that is not repeated, as the template has it", { layerSelections: {} }],
    ["version", { templateVersion: "1.1.0" }, ["spec.template.version", "1.2.0", "1.1.0"]],
    ["key", { templateKey: "other" }, ["spec.template.key", "essentials", "other"]],
    ["layer", { layerSelections: { logs: false } }, ["spec.layerSelections[logs]", "true", "false"]],
    ["value", config({ replicas: 5 }), [REPLICAS, "3", "5"]],
    ["value, at its default", config({ replicas: undefined }), [REPLICAS, "3", "2"]],
    ["value, not there", config({ domain: null }), [DOMAIN, "shop.example", "absent"]],
    ["value of another shape", config({ domain: ["a"] }), [DOMAIN, "shop.example", "of another shape"]],
    ["a changed secret", config({ token: "foreign" })],
    ["a changed value from a Secret", config({ owner: "you" })],
    ["an input", inputs({ contact: "foreign-secret", region: "us" }), [input("contact"), ...hidden]],
    ["an input that is described", inputs({ contact: "hunter22", region: "ap" }), [input("region"), ...hidden]],
    ["an input, not there", inputs({ region: "us" }), [input("contact"), "the declared value", "absent"]],
  ])("%s", (_name, change, expected) => {
    const actual = drift(change)?.map((one) => [one.path, one.desired, one.observed]);
    expect(actual).toEqual(expected === undefined ? [] : [expected]);
  });

  it("hides values of fields that the template does not describe", () => {
    const [desired, observed] = hidden;
    expect(drift(config({ domain: "perhaps-a-secret" }), false)).toEqual([{ path: DOMAIN, desired, observed }]);
  });

  it("shows no value of a sensitive field, even of a spec that is refused for it", () => {
    const plain = bindingContext(bindingSpec({ managedConfig: { ingress: { token: { value: "hunter22" } } } }));
    expect(bindingDrift(plain, observedBinding({ template: catalog, bound: { ...asWanted, layers: [] } }))).toEqual([]);
  });

  it("is not known of a binding that is not shown, and is one that is gone, once it was written", () => {
    expect(bindingDrift(context, observedBinding({ template: catalog }))).toBeUndefined();
    const observed = observedBinding({ template: catalog, bound: "none" });
    expect(bindingDrift(context, observed)).toEqual([]);
    expect(bindingDrift({ ...context, memory: writtenMemory(context) }, observed)).toEqual([
      { path: "spec.template", desired: "essentials 1.2.0", observed: "absent" },
    ]);
  });

  it("names each path once, and none at any length", () => {
    const long = "k".repeat(2000);
    const many = bindingSpec({ layerSelections: { [`${long}a`]: true, [`${long}b`]: true } });
    const bound = { ...asWanted, layerSelections: { [`${long}a`]: false, [`${long}b`]: false } };
    const observed = observedBinding({ template: catalog, bound });
    const found = bindingDrift(bindingContext(many, { surface: "Full" }), observed);
    expect(found?.map(({ path }) => path.length)).toEqual([300]);
  });
});
