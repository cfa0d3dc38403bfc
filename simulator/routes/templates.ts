import { z } from "zod";

import { Problem } from "../base/problems.ts";
import {
  catalogOf,
  cloudVendors,
  clusterModes,
  constraintsOf,
  type TemplateContext,
  type Layer,
  type TemplateVersion,
} from "../model/catalog.ts";
import type { Cluster, Fields } from "../model/world.ts";
import { checkBinding, layersOf, templateFor } from "../request/bindings.ts";
import { checkOrganization, findClusterOf } from "../request/lookups.ts";
import { maskConfig, safe } from "../request/masks.ts";
import { route, type Call } from "../request/route.ts";
import { Id, listOf } from "../request/schemas.ts";
import { Binding as BindingAnswer, Template } from "./template-schemas.ts";

const BindingPath = z.object({ organizationId: Id, clusterId: Id });
const Query = z.object({
  clusterMode: z.enum(clusterModes).optional(),
  cloudProvider: z.enum(cloudVendors).optional(),
});
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));
const Body = z.object({
  templateKey: z.string().min(1),
  templateVersion: z.string().min(1),
  layerSelections: z.record(z.string(), z.boolean()).default({}),
  managedConfig: Config.default({}),
  customerProvidedInputs: z.record(z.string(), z.record(z.string(), z.string())).default({}),
});

export const templateRoutes = [
  route({
    operation: "listPlatformTemplates",
    input: { params: z.object({ organizationId: Id }), query: Query },
    answer: listOf(Template),
    handle({ params, query }, call) {
      checkOrganization(call, params.organizationId);
      const context = contextOf(query);
      checkCatalog(call);
      const templates = catalogOf(call.sim.world.templates, params.organizationId);
      return { body: { results: templates.map((template) => showTemplate(template, context)) } };
    },
  }),
  route({
    operation: "updateClusterPlatformBinding",
    keeps: {
      ...safe("templateKey", "templateVersion", "layerSelections"),
      managedConfig: maskConfig,
      customerProvidedInputs: maskConfig,
    },
    input: { params: BindingPath, body: Body },
    answer: BindingAnswer,
    handle({ params, body }, call) {
      const cluster = findClusterOf(call, params.organizationId, params.clusterId);
      checkCatalog(call);
      const template = templateFor(call.sim, cluster, body.templateKey, body.templateVersion);
      checkBinding(template, cluster, body);
      const { time, settings } = call.sim;
      cluster.binding = { ...body, readyAt: time.virtual() + time.work(settings.durations.layers) };
      call.effect({ bound: cluster.id, template: `${template.key} ${template.version}` });
      return { body: showBinding(call, cluster) };
    },
  }),
  route({
    operation: "getClusterPlatformBinding",
    input: { params: BindingPath },
    answer: BindingAnswer,
    handle({ params }, call) {
      const cluster = findClusterOf(call, params.organizationId, params.clusterId);
      checkCatalog(call);
      return { body: showBinding(call, cluster) };
    },
  }),
];

function contextOf({ clusterMode, cloudProvider }: z.output<typeof Query>): TemplateContext | undefined {
  if (clusterMode !== undefined && cloudProvider !== undefined) return { mode: clusterMode, provider: cloudProvider };
  if (clusterMode === undefined && cloudProvider === undefined) return undefined;
  throw new Problem(400, "clusterMode and cloudProvider must be supplied together");
}

function checkCatalog(call: Call): void {
  const { catalog } = call.sim.settings;
  if (catalog === "failed") throw new Problem(500, "The catalog could not be loaded");
  if (catalog === "unavailable") throw new Problem(503, "A component configuration model is temporarily unavailable");
}

function showTemplate(template: TemplateVersion, context: TemplateContext | undefined): Fields {
  const { key, version, status, description, layers } = template;
  return { key, version, status, description, layers: layers.map((layer) => showLayer(layer, context)) };
}

function showLayer(layer: Layer, context: TemplateContext | undefined): Fields {
  return {
    ...layer,
    componentKeys: layer.components.map((component) => component.key),
    components: layer.components.map((component) => ({
      ...component,
      fields: component.fields.map((field) => {
        const { narrowings: _, ...shown } = field;
        return { ...shown, constraints: constraintsOf(field, context) };
      }),
    })),
  };
}

function showBinding(call: Call, cluster: Cluster): Fields {
  const { binding } = cluster;
  if (binding === null) throw new Problem(404, "No template is bound to the cluster");
  const template = templateFor(call.sim, cluster, binding.templateKey, binding.templateVersion);
  const { readyAt: _, ...stored } = binding;
  return {
    clusterId: cluster.id,
    organizationId: cluster.organizationId,
    ...stored,
    layers: layersOf(call.sim, template, cluster, binding),
  };
}
