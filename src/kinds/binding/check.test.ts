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
  const fits = { managedConfig: DOMAIN };
  const config = (change: object) => ({ managedConfig: { ingress: { ...DOMAIN.ingress, ...change } } });
  const input = (change: object) => ({ customerProvidedInputs: { ingress: change } });
  const driver = { managedConfig: { ...DOMAIN, driver: { version: { value: "1" } } } };
  const gpu = (isOn: boolean, change: object = fits) => ({ ...change, layerSelections: { gpu: isOn } });
  const layers = (layerSelections: object) => ({ ...fits, layerSelections });
  const secretField = component("c", field("f", { required: true, sensitive: true }));
  const unread = {
    layerSelections: { gpus: true },
    managedConfig: { ingress: { ...DOMAIN.ingress, host: { value: "x" } }, egress: {} },
  };
  const [CONFIG, INPUTS] = ["spec.managedConfig", "spec.customerProvidedInputs"];
  const NO_COMPONENT = "[egress] is no component of the template (it has ingress, driver, collector)";
  const SENSITIVE = "[ingress][token] is sensitive and may come only from a Secret";
  const PATTERN = String.raw`[ingress][domain] must match ^[a-z]+\.[a-z]+$`;
  const UNFIT = "spec.layerSelections[gpu] must not be true: the layer is not available";
  const token = { [`${CONFIG}[ingress][token]`]: "t" };

  it.each<[string, object, (string | undefined)?, Omit<Case, "spec">?]>([
    ["fits", fits],
    [
      "unknown layer",
      layers({ gpus: true }),
      "spec.layerSelections[gpus] is no layer of the template (it has networking, gpu, logs)",
    ],
    [
      "what a template may have of which a layer cannot be read",
      unread,
      undefined,
      { of: { ...RULES, isIncomplete: true } },
    ],
    [
      "mandatory layer deselected",
      layers({ networking: false }),
      "spec.layerSelections[networking] must not be false: the layer is mandatory",
    ],
    ["mandatory layer selected", layers({ networking: true })],
    [
      "unknown component",
      { managedConfig: { ...DOMAIN, egress: { a: { value: 1 }, b: { value: 2 } } } },
      CONFIG + NO_COMPONENT,
    ],
    ["unknown component without fields", { managedConfig: { ...DOMAIN, egress: {} } }, CONFIG + NO_COMPONENT],
    [
      "unknown component of inputs",
      { ...fits, customerProvidedInputs: { egress: { a: { value: "1" } } } },
      INPUTS + NO_COMPONENT,
    ],
    [
      "unknown field",
      config({ host: { value: "x" } }),
      "spec.managedConfig[ingress][host] is no field of the component (it has domain, token, replicas)",
    ],
    ["an input that the catalog does not describe", { ...fits, ...input({ contact: { value: "x" } }) }],
    ["a field of a component that is only named", { managedConfig: { ...DOMAIN, collector: { any: { value: 1 } } } }],
    ["required", {}, `${CONFIG}[ingress][domain] is required`],
    ["required, given as an input", { customerProvidedInputs: DOMAIN }],
    [
      "required and sensitive",
      {},
      `${CONFIG}[c][f] is required, from a Secret`,
      { of: template(layer("l", { mandatory: true, components: [secretField] })) },
    ],
    ["required by a layer that is off", gpu(false), undefined, { cluster: AWS }],
    ["required by a layer that is on", gpu(true), `${CONFIG}[driver][version] is required`, { cluster: AWS }],
    [
      "type",
      config({ replicas: { value: "two" } }),
      `${CONFIG}[ingress][replicas] must be a number, of at most 64 bits`,
    ],
    [
      "bounds, of a value from a ConfigMap",
      config({ replicas: fromConfigMap("c") }),
      `${CONFIG}[ingress][replicas] must be at most 9`,
      { values: { [`${CONFIG}[ingress][replicas]`]: "10" } },
    ],
    ["pattern", config({ domain: { value: "shop" } }), CONFIG + PATTERN],
    ["pattern of an input", input({ domain: { value: "shop" } }), INPUTS + PATTERN],
    ["sensitive, plain", config({ token: { value: "t" } }), CONFIG + SENSITIVE],
    [
      "sensitive, from a ConfigMap, as an input",
      { ...fits, ...input({ token: fromConfigMap("c") }) },
      INPUTS + SENSITIVE,
      { values: { [`${INPUTS}[ingress][token]`]: "t" } },
    ],
    ["sensitive, from a Secret", config({ token: fromSecret("s") }), undefined, { values: token }],
    [
      "mode",
      gpu(true, driver),
      `${UNFIT} for CUSTOMER_MANAGED clusters`,
      { cluster: { mode: "CUSTOMER_MANAGED", provider: "AWS" } },
    ],
    ["provider", gpu(true, driver), `${UNFIT} on DO`, { cluster: { ...AWS, provider: "DO" } }],
    ["mode and provider not known", gpu(true, driver)],
  ])("%s", (_name, spec, expected, more = {}) => {
    expect(check({ spec, ...more })).toEqual(expected === undefined ? [] : [expected]);
  });
});
