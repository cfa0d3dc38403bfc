import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { bindingSpec, component, field, layer, resolved, template } from "../../../test/support/kinds/bindings.ts";
import type { Template } from "../../platform/areas/templates.ts";
import { problemsOf } from "./check.ts";
import { bindingInputs, type ClusterKind } from "./model.ts";

const AWS = { mode: "PLATFORM_MANAGED", provider: "AWS" };
const DOMAIN = { ingress: { domain: { value: "shop.example" } } };

const domain = field("domain", { required: true, constraints: { pattern: String.raw`^[a-z]+\.[a-z]+$` } });
const token = field("token", { sensitive: true });
const bounds = { min: 1n, max: 9n };
const replicas = field("replicas", { type: "number", defaultValue: "2", required: true, constraints: bounds });
const ingress = component("ingress", domain, token, replicas);
const driver = component("driver", field("version", { required: true }));

/** A template with every type of rule. */
const RULES = template(
  layer("networking", { mandatory: true, enabledByDefault: true, components: [ingress] }),
  layer("gpu", { modes: ["PLATFORM_MANAGED"], providers: ["AWS", "GCP"], components: [driver] }),
  layer("logs", { componentKeys: ["collector"] }),
);

interface Case {
  readonly spec: object;
  readonly values?: Readonly<Record<string, string>>;
  readonly cluster?: ClusterKind;
  readonly of?: Template;
}

function check({ spec: change, values, cluster, of = RULES }: Case): readonly string[] {
  const spec = bindingSpec(change);
  return problemsOf({ spec, inputs: bindingInputs(spec, resolved(values)), template: of, cluster });
}

const fromSecret = (name: string) => ({ valueFrom: { secretKeyRef: { name, key: "k" } } });
const fromConfigMap = (name: string) => ({ valueFrom: { configMapKeyRef: { name, key: "k" } } });

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
  const unreadConfig = { ingress: { ...DOMAIN.ingress, host: { value: "x" } }, egress: {} };
  const unread = { layerSelections: { gpus: true }, managedConfig: unreadConfig };
  const [CONFIG, INPUTS] = ["spec.managedConfig", "spec.customerProvidedInputs"];
  const NO_LAYER = "spec.layerSelections[gpus] is no layer of the template (it has networking, gpu, logs)";
  const MANDATORY = "spec.layerSelections[networking] must not be false: the layer is mandatory";
  const NO_COMPONENT = "[egress] is no component of the template (it has ingress, driver, collector)";
  const NO_FIELD = `${CONFIG}[ingress][host] is no field of the component (it has domain, token, replicas)`;
  const SENSITIVE = "[ingress][token] is sensitive and may come only from a Secret";
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
    ["layer selected in a form that the specification does not show", layers({ gpu: { size: "large" } })],
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
    ["bounds, of a value from a ConfigMap", config({ replicas: fromConfigMap("c") }), TOO_MANY, { values: ten }],
    ["a pattern that only the platform tests", { managedConfig: { ingress: { domain: { value: "shop" } } } }],
    ["sensitive, an input", inputs({ ingress: { token: fromConfigMap("c") } }), INPUTS + SENSITIVE, inputToken],
    ["sensitive, from a Secret", config({ token: fromSecret("s") }), undefined, { values: token }],
    ["mode", gpu(true, driver), `${UNFIT} for CUSTOMER_MANAGED clusters`, { cluster: THEIRS }],
    ["provider", gpu(true, driver), `${UNFIT} on DO`, { cluster: { ...AWS, provider: "DO" } }],
    ["mode and provider not known", gpu(true, driver)],
  ])("%s", (_name, spec, expected, more = {}) => {
    expect(check({ spec, ...more })).toEqual(expected === undefined ? [] : [expected]);
  });
});

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
    const ingress = { replicas: { value: 99 } };
    const spec = { layerSelections: { b: true, a: true }, managedConfig: { z: {}, ingress } };
    const reversed = { layerSelections: { a: true, b: true }, managedConfig: { ingress, z: {} } };
    const found = check({ spec });
    const layers = ["spec.layerSelections[a]", "spec.layerSelections[b]"];
    const config = ["[ingress][domain]", "[ingress][replicas]", "[z]"].map((path) => `spec.managedConfig${path}`);
    expect(found.map((problem) => problem.split(" ")[0])).toEqual([...layers, ...config]);
    expect(check({ spec: reversed })).toEqual(found);
  });

  it("shows the texts of a hostile catalog in one clean line", () => {
    const of = template(layer("a\n\u202Eb\u0000c"));
    const problem = "spec.layerSelections[x] is no layer of the template (it has a b c)";
    expect(check({ spec: { layerSelections: { x: true } }, of })).toEqual([problem]);
  });

  it("knows no layer, component or field by the names that every object has", () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf"];
    const layerSelections = Object.fromEntries(names.map((name) => [name, true]));
    const managedConfig = { ...DOMAIN, ...Object.fromEntries(names.map((name) => [name, {}])) };
    expect(check({ spec: { layerSelections, managedConfig } })).toHaveLength(2 * names.length);
    const ingress = { ...DOMAIN.ingress, constructor: { value: 1 } };
    expect(check({ spec: { managedConfig: { ingress } } })).toHaveLength(1);
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
  const allowedValues = fc.array(fc.string(), { maxLength: 3 });
  const constraints = { allowedValues, min: bound, max: bound, minLength: length, maxLength: length, pattern };
  const fieldOf = fc.record({
    key,
    type: fc.oneof(fc.constantFrom("string", "number", "bool"), fc.string()),
    required: fc.boolean(),
    sensitive: fc.boolean(),
    label: fc.string(),
    constraints: fc.record(constraints, { requiredKeys: [] }),
  });
  const componentOf = fc.record({ key, kind: fc.string(), fields: fc.array(fieldOf, { maxLength: 3 }) });
  const layerOf = fc.record({
    key,
    mandatory: fc.boolean(),
    enabledByDefault: fc.boolean(),
    modes: fc.array(fc.string(), { maxLength: 2 }),
    providers: fc.array(fc.string(), { maxLength: 2 }),
    componentKeys: fc.array(key, { maxLength: 3 }),
    components: fc.array(componentOf, { maxLength: 3 }),
  });
  const odd = fc.constantFrom(`${"a".repeat(4000)}!`, "9007199254740993");
  const value = fc.oneof(odd, fc.string(), fc.boolean(), fc.maxSafeInteger());
  const config = fc.dictionary(key, fc.dictionary(key, fc.record({ value }), { maxKeys: 3 }), { maxKeys: 3 });

  it("is checked without an error, and without quoting anything at length", () => {
    const layers = fc.array(layerOf, { maxLength: 4 });
    fc.assert(
      fc.property(layers, fc.dictionary(key, fc.boolean()), config, (catalog, layerSelections, managedConfig) => {
        const of = template(...(catalog as Template["layers"]));
        const problems = check({ spec: { layerSelections, managedConfig }, of, cluster: AWS });
        expect(problems.every((problem) => problem.length <= 300)).toBe(true);
        expect(problems).toEqual([...new Set(problems)].toSorted());
        expect("polluted" in {}).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
