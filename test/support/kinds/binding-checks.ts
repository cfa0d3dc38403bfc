/** A template with every type of rule, and a check of specs against it or another template. */
import { problemsOf } from "../../../src/kinds/binding/check.ts";
import { bindingInputs, type ClusterKind } from "../../../src/kinds/binding/model.ts";
import type { Template } from "../../../src/platform/areas/templates.ts";
import { bindingSpec, component, field, layer, resolved, template } from "./bindings.ts";

export const AWS = { mode: "PLATFORM_MANAGED", provider: "AWS" };
export const DOMAIN = { ingress: { domain: { value: "shop.example" } } };

const domain = field("domain", { required: true, constraints: { pattern: String.raw`^[a-z]+\.[a-z]+$` } });
const token = field("token", { sensitive: true });
const replicas = field("replicas", {
  type: "number",
  defaultValue: "2",
  required: true,
  constraints: { min: 1n, max: 9n },
});

export const RULES = template(
  layer("networking", {
    mandatory: true,
    enabledByDefault: true,
    components: [component("ingress", domain, token, replicas)],
  }),
  layer("gpu", {
    modes: ["PLATFORM_MANAGED"],
    providers: ["AWS", "GCP"],
    components: [component("driver", field("version", { required: true }))],
  }),
  layer("logs", { componentKeys: ["collector"] }),
);

export interface Case {
  readonly spec: object;
  readonly values?: Readonly<Record<string, string>>;
  readonly cluster?: ClusterKind;
  readonly of?: Template;
}

export function check({ spec: change, values, cluster, of = RULES }: Case): readonly string[] {
  const spec = bindingSpec(change);
  return problemsOf({ spec, inputs: bindingInputs(spec, resolved(values)), template: of, cluster });
}
