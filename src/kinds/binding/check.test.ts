import { beforeAll, describe, expect, it } from "vitest";

import { AWS, check, DOMAIN, RULES, type Case } from "../../../test/support/kinds/binding-checks.ts";
import { component, field, layer, template } from "../../../test/support/kinds/bindings.ts";
import { testPatterns } from "../../platform/codec/pattern.ts";

const fromSecret = (name: string) => ({ valueFrom: { secretKeyRef: { name, key: "k" } } });
const fromConfigMap = (name: string) => ({ valueFrom: { configMapKeyRef: { name, key: "k" } } });

// On a busy machine, the first script of a process may take longer than the time for all patterns of a spec.
beforeAll(() => {
  testPatterns([{ pattern: "^a+$", value: "a" }], 60_000);
});

describe("a spec against its template", () => {
  it.each<[string, Case, string[]]>([
    ["fits", { spec: { managedConfig: DOMAIN } }, []],
    [
      "unknown layer",
      { spec: { managedConfig: DOMAIN, layerSelections: { gpus: true } } },
      ["spec.layerSelections[gpus] is no layer of the template (it has networking, gpu, logs)"],
    ],
    [
      "a layer, a component and a field that a template may have of which a layer cannot be read",
      {
        spec: {
          layerSelections: { gpus: true },
          managedConfig: { ingress: { ...DOMAIN.ingress, host: { value: "x" } }, egress: {} },
        },
        of: { ...RULES, isIncomplete: true },
      },
      [],
    ],
    [
      "mandatory layer deselected",
      { spec: { managedConfig: DOMAIN, layerSelections: { networking: false } } },
      ["spec.layerSelections[networking] must not be false: the layer is mandatory"],
    ],
    ["mandatory layer selected", { spec: { managedConfig: DOMAIN, layerSelections: { networking: true } } }, []],
    [
      "unknown component",
      { spec: { managedConfig: { ...DOMAIN, egress: { a: { value: 1 }, b: { value: 2 } } } } },
      ["spec.managedConfig[egress] is no component of the template (it has ingress, driver, collector)"],
    ],
    [
      "unknown component without fields",
      { spec: { managedConfig: { ...DOMAIN, egress: {} } } },
      ["spec.managedConfig[egress] is no component of the template (it has ingress, driver, collector)"],
    ],
    [
      "unknown component of inputs",
      { spec: { managedConfig: DOMAIN, customerProvidedInputs: { egress: { a: { value: "1" } } } } },
      ["spec.customerProvidedInputs[egress] is no component of the template (it has ingress, driver, collector)"],
    ],
    [
      "unknown field",
      { spec: { managedConfig: { ingress: { ...DOMAIN.ingress, host: { value: "x" } } } } },
      ["spec.managedConfig[ingress][host] is no field of the component (it has domain, token, replicas)"],
    ],
    [
      "an input that the catalogue does not describe",
      { spec: { managedConfig: DOMAIN, customerProvidedInputs: { ingress: { contact: { value: "x" } } } } },
      [],
    ],
    [
      "a field of a component that is only named",
      { spec: { managedConfig: { ...DOMAIN, collector: { any: { value: 1 } } } } },
      [],
    ],
    ["required", { spec: {} }, ["spec.managedConfig[ingress][domain] is required"]],
    ["required, given as an input", { spec: { customerProvidedInputs: DOMAIN } }, []],
    [
      "required and sensitive",
      {
        spec: {},
        of: template(
          layer("l", {
            mandatory: true,
            components: [component("c", field("f", { required: true, sensitive: true }))],
          }),
        ),
      },
      ["spec.managedConfig[c][f] is required, from a Secret"],
    ],
    [
      "required by a layer that is off",
      { spec: { managedConfig: DOMAIN, layerSelections: { gpu: false } }, cluster: AWS },
      [],
    ],
    [
      "required by a layer that is on",
      { spec: { managedConfig: DOMAIN, layerSelections: { gpu: true } }, cluster: AWS },
      ["spec.managedConfig[driver][version] is required"],
    ],
    [
      "type",
      { spec: { managedConfig: { ingress: { ...DOMAIN.ingress, replicas: { value: "two" } } } } },
      ["spec.managedConfig[ingress][replicas] must be a number, of at most 64 bits"],
    ],
    [
      "bounds, of a value from a ConfigMap",
      {
        spec: { managedConfig: { ingress: { ...DOMAIN.ingress, replicas: fromConfigMap("c") } } },
        values: { "spec.managedConfig[ingress][replicas]": "10" },
      },
      ["spec.managedConfig[ingress][replicas] must be at most 9"],
    ],
    [
      "pattern",
      { spec: { managedConfig: { ingress: { domain: { value: "shop" } } } } },
      [String.raw`spec.managedConfig[ingress][domain] must match ^[a-z]+\.[a-z]+$`],
    ],
    [
      "pattern of an input",
      { spec: { customerProvidedInputs: { ingress: { domain: { value: "shop" } } } } },
      [String.raw`spec.customerProvidedInputs[ingress][domain] must match ^[a-z]+\.[a-z]+$`],
    ],
    [
      "sensitive, plain",
      { spec: { managedConfig: { ingress: { ...DOMAIN.ingress, token: { value: "t" } } } } },
      ["spec.managedConfig[ingress][token] is sensitive and may come only from a Secret"],
    ],
    [
      "sensitive, from a ConfigMap, as an input",
      {
        spec: { managedConfig: DOMAIN, customerProvidedInputs: { ingress: { token: fromConfigMap("c") } } },
        values: { "spec.customerProvidedInputs[ingress][token]": "t" },
      },
      ["spec.customerProvidedInputs[ingress][token] is sensitive and may come only from a Secret"],
    ],
    [
      "sensitive, from a Secret",
      {
        spec: { managedConfig: { ingress: { ...DOMAIN.ingress, token: fromSecret("s") } } },
        values: { "spec.managedConfig[ingress][token]": "t" },
      },
      [],
    ],
    [
      "mode",
      {
        spec: { managedConfig: { ...DOMAIN, driver: { version: { value: "1" } } }, layerSelections: { gpu: true } },
        cluster: { mode: "CUSTOMER_MANAGED", provider: "AWS" },
      },
      ["spec.layerSelections[gpu] must not be true: the layer is not available for CUSTOMER_MANAGED clusters"],
    ],
    [
      "provider",
      {
        spec: { managedConfig: { ...DOMAIN, driver: { version: { value: "1" } } }, layerSelections: { gpu: true } },
        cluster: { mode: "PLATFORM_MANAGED", provider: "DO" },
      },
      ["spec.layerSelections[gpu] must not be true: the layer is not available on DO"],
    ],
    [
      "mode and provider not known",
      { spec: { managedConfig: { ...DOMAIN, driver: { version: { value: "1" } } }, layerSelections: { gpu: true } } },
      [],
    ],
  ])("%s", (_name, given, expected) => {
    expect(check(given)).toEqual(expected);
  });
});
