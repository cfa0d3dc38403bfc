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
  const inputs = (customerProvidedInputs: object) => ({ ...fits, customerProvidedInputs });
  const egress = (fields: object) => ({ managedConfig: { ...DOMAIN, egress: fields } });
  const driver = { managedConfig: { ...DOMAIN, driver: { version: { value: "1" } } } };
  const gpu = (isOn: boolean, change: object = fits) => ({ ...change, layerSelections: { gpu: isOn } });
  const layers = (layerSelections: object) => ({ ...fits, layerSelections });
  const secretField = component("c", field("f", { required: true, sensitive: true }));
  const ofSecret = template(layer("l", { mandatory: true, components: [secretField] }));
  const unread = {
    layerSelections: { gpus: true },
    managedConfig: { ingress: { ...DOMAIN.ingress, host: { value: "x" } }, egress: {} },
  };
  const [CONFIG, INPUTS] = ["spec.managedConfig", "spec.customerProvidedInputs"];
  const NO_LAYER = "spec.layerSelections[gpus] is no layer of the template (it has networking, gpu, logs)";
  const MANDATORY = "spec.layerSelections[networking] must not be false: the layer is mandatory";
  const NO_COMPONENT = "[egress] is no component of the template (it has ingress, driver, collector)";
  const NO_FIELD = `${CONFIG}[ingress][host] is no field of the component (it has domain, token, replicas)`;
  const SENSITIVE = "[ingress][token] is sensitive and may come only from a Secret";
  const PATTERN = String.raw`[ingress][domain] must match ^[a-z]+\.[a-z]+$`;
  const NO_NUMBER = `${CONFIG}[ingress][replicas] must be a number, of at most 64 bits`;
  const TOO_MANY = `${CONFIG}[ingress][replicas] must be at most 9`;
  const UNFIT = "spec.layerSelections[gpu] must not be true: the layer is not available";
  const THEIRS = { ...AWS, mode: "CUSTOMER_MANAGED" };
  const ten = { [`${CONFIG}[ingress][replicas]`]: "10" };
  const token = { [`${CONFIG}[ingress][token]`]: "t" };
  const inputToken = { values: { [`${INPUTS}[ingress][token]`]: "t" } };

  it.each<[string, object, (string | undefined)?, Omit<Case, "spec">?]>([
    ["fits", fits],
    ["unknown layer", layers({ gpus: true }), NO_LAYER],
    ["what may be in a layer that cannot be read", unread, undefined, { of: { ...RULES, isIncomplete: true } }],
    ["mandatory layer deselected", layers({ networking: false }), MANDATORY],
    ["mandatory layer selected", layers({ networking: true })],
    ["unknown component", egress({ a: { value: 1 }, b: { value: 2 } }), CONFIG + NO_COMPONENT],
    ["unknown component without fields", egress({}), CONFIG + NO_COMPONENT],
    ["unknown component of inputs", inputs({ egress: { a: { value: "1" } } }), INPUTS + NO_COMPONENT],
    ["unknown field", config({ host: { value: "x" } }), NO_FIELD],
    ["an input that the catalog does not describe", inputs({ ingress: { contact: { value: "x" } } })],
    ["a field of a component that is only named", { managedConfig: { ...DOMAIN, collector: { any: { value: 1 } } } }],
    ["required", {}, `${CONFIG}[ingress][domain] is required`],
    ["required, given as an input", { customerProvidedInputs: DOMAIN }],
    ["required and sensitive", {}, `${CONFIG}[c][f] is required, from a Secret`, { of: ofSecret }],
    ["required by a layer that is off", gpu(false), undefined, { cluster: AWS }],
    ["required by a layer that is on", gpu(true), `${CONFIG}[driver][version] is required`, { cluster: AWS }],
    ["type", config({ replicas: { value: "two" } }), NO_NUMBER],
    ["bounds, of a value from a ConfigMap", config({ replicas: fromConfigMap("c") }), TOO_MANY, { values: ten }],
    ["pattern", config({ domain: { value: "shop" } }), CONFIG + PATTERN],
    ["pattern of an input", { customerProvidedInputs: { ingress: { domain: { value: "shop" } } } }, INPUTS + PATTERN],
    ["sensitive, plain", config({ token: { value: "t" } }), CONFIG + SENSITIVE],
    ["sensitive, an input", inputs({ ingress: { token: fromConfigMap("c") } }), INPUTS + SENSITIVE, inputToken],
    ["sensitive, from a Secret", config({ token: fromSecret("s") }), undefined, { values: token }],
    ["mode", gpu(true, driver), `${UNFIT} for CUSTOMER_MANAGED clusters`, { cluster: THEIRS }],
    ["provider", gpu(true, driver), `${UNFIT} on DO`, { cluster: { ...AWS, provider: "DO" } }],
    ["mode and provider not known", gpu(true, driver)],
  ])("%s", (_name, spec, expected, more = {}) => {
    expect(check({ spec, ...more })).toEqual(expected === undefined ? [] : [expected]);
  });
});
