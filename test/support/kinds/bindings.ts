import type { ResolvedNeeds } from "../../../src/engine/contract/kind.ts";
import { platformBinding, type BindingMemory, type BindingSpec } from "../../../src/kinds/binding/crd.ts";
import { shownLayers } from "../../../src/kinds/binding/layers.ts";
import { type BindingContext, bindingInputs, type Observed } from "../../../src/kinds/binding/model.ts";
import type {
  Binding,
  Template,
  TemplateComponent,
  TemplateField,
  TemplateLayer,
} from "../../../src/platform/areas/templates.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { ApiError, type ApiFailure } from "../../../src/platform/transport/errors.ts";
import { type ContextChange, buildContext } from "./contexts.ts";
import { resolvedNeeds } from "./kind-runner.ts";

export const CLUSTER = "00000000-0000-4000-8000-000000000002";
export const NOW = new Date("2026-11-21T10:00:00.400Z");

export function field(key: string, change: Partial<TemplateField> = {}): TemplateField {
  return { key, type: "string", required: false, sensitive: false, label: key, constraints: {}, ...change };
}

export function component(key: string, ...fields: readonly TemplateField[]): TemplateComponent {
  return { key, kind: "HELM", fields: [...fields] };
}

export function layer(key: string, change: Partial<TemplateLayer> = {}): TemplateLayer {
  const components = change.components ?? [];
  return {
    key,
    mandatory: false,
    enabledByDefault: false,
    modes: ["PLATFORM_MANAGED", "CUSTOMER_MANAGED"],
    componentKeys: components.map((each) => each.key),
    ...change,
    components,
  };
}

export function template(...layers: readonly TemplateLayer[]): Template {
  return { key: "essentials", version: "1.2.0", status: "PUBLISHED", layers: [...layers] };
}

/** A template with one layer, and the layers of a platform's answer. */
export const essentials = template(layer("base", { mandatory: true }));
export const enabled = [{ key: "base", status: "ENABLED" }];
export const starting = [{ key: "base", status: "DISABLED", reason: "The layer is being enabled" }];

export function fullBinding(layers: NonNullable<Binding["layers"]>): Binding {
  return { templateKey: "essentials", templateVersion: "1.2.0", layers };
}

/** A failure whose text is "said". */
export function failed(is: ApiFailure["is"], status = 0): ApiError {
  return new ApiError("listTemplates", { is } as ApiFailure, status, "said");
}

/** A parsed spec for template "essentials" version "1.2.0". @param change as a user writes it */
export function bindingSpec(change: object = {}): BindingSpec {
  return platformBinding.spec.parse({
    clusterRef: { externalId: CLUSTER },
    template: { key: "essentials", version: "1.2.0" },
    ...change,
  });
}

/** Returns resolved values by field; the fingerprint is the content itself. */
export function resolved(values: Readonly<Record<string, string>> = {}, clusterId: string = CLUSTER): ResolvedNeeds {
  return resolvedNeeds({ ids: { "spec.clusterRef": clusterId }, values }, (content) => ({
    key: "k",
    digest: JSON.stringify(content),
    sources: "s",
  }));
}

/** @param values the resolved values of the spec's references, by field */
export function bindingContext(
  spec: BindingSpec = bindingSpec(),
  change: ContextChange<BindingContext> = {},
  values: Readonly<Record<string, string>> = {},
): BindingContext {
  const inputs = bindingInputs(spec, resolved(values, spec.clusterRef.externalId));
  const usual = { name: "essentials", now: NOW, adoption: "Never", allowUnverifiedIds: true } as const;
  return buildContext<BindingContext>({ ...usual, spec, inputs }, change);
}

/** The observation on the documented surface, with a matching template. */
export function observedBinding(change: Partial<Observed> = {}): Observed {
  return {
    cluster: { listed: true, kind: undefined },
    template: template(),
    offered: [{ key: "essentials", version: "1.2.0" }],
    problems: [],
    bound: undefined,
    sent: false,
    ...change,
  };
}

export function writtenMemory(context: BindingContext, layers?: Binding["layers"]): BindingMemory {
  const { key, version } = context.spec.template;
  const { clusterId, fingerprint } = context.inputs;
  return { clusterId, templateKey: key, templateVersion: version, layers: shownLayers(layers), written: fingerprint };
}

/** A platform with only the given areas; any other call fails the test. */
export function fakePlatform(areas: { readonly [Area in keyof Platform]?: Partial<Platform[Area]> }): Platform {
  return areas as Platform;
}
