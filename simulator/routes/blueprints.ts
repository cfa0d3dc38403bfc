import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { checkOverrides, deployedAnswer } from "../model/blueprints.ts";
import { createdNow, newService } from "../model/creation.ts";
import { markEdited } from "../model/state-changes.ts";
import { addVariable, applicationParent, checkVariableName, removeVariable, variableIn } from "../model/variables.ts";
import type { Blueprint, BlueprintManifest, Fields, Service } from "../model/world.ts";
import { checkNameFree, findEnvironment, findService } from "../request/lookups.ts";
import { maskVariableMap, maskVariables, safe } from "../request/masks.ts";
import { alsoNeeds, route, type Call } from "../request/route.ts";
import { Id, Name, Nothing, ServiceStatus } from "../request/schemas.ts";
import { requestAction, requestServiceDeletion } from "../request/service-actions.ts";

const Body = z.object({
  name: Name,
  tag: z.string().min(1),
  icon: z.url(),
  variables: z
    .array(z.looseObject({ name: z.string(), value: z.string(), is_secret: z.boolean().default(false) }))
    .default([]),
  spec_overrides: z.record(z.string(), z.unknown()).nullish(),
});

/** The body of an update: changes of variables by name and of overrides, as JSON merge patches. */
const Patch = z.object({
  name: Name,
  tag: z.string().min(1),
  icon: z.url(),
  variables: z
    .record(z.string(), z.looseObject({ value: z.string(), is_secret: z.boolean().default(false) }).nullable())
    .default({}),
  spec_overrides: z.record(z.string(), z.unknown()).nullish(),
});

const BlueprintBody = z.object({ id: Id, catalog_url: z.url(), tag: z.string(), environment_id: Id });
const BlueprintPath = z.object({ blueprintId: Id });
const HelmPath = z.object({ helmId: Id });

export const blueprintRoutes = [
  route({
    operation: "createBlueprint",
    keeps: { ...safe("name", "tag", "icon", "spec_overrides"), variables: maskVariables },
    input: {
      params: z.object({ environmentId: Id }),
      query: z.object({ deploy: z.enum(["true", "false"]).default("false") }),
      body: Body,
    },
    answer: BlueprintBody,
    handle({ params, query, body }, call) {
      const { world, ids, settings } = call.sim;
      const deploy = query.deploy === "true";
      if (deploy) alsoNeeds(call, "deploy");
      const environment = findEnvironment(call, params.environmentId);
      const manifest = manifestOf(call, body.tag);
      const overrides = checkOverrides(manifest, body.spec_overrides ?? {});
      for (const { name } of body.variables) checkVariableName(name);
      checkNameFree(call, "blueprint", body.name, blueprintsIn(call, environment.id));

      const id = ids.uuid();
      const kind = manifest.engine === "helm" ? "helm" : "terraform";
      const service = newService(call.sim, environment, kind, body.name, { icon_uri: body.icon, ...overrides }, id);
      const blueprint: Blueprint = {
        ...createdNow(call.sim),
        id,
        environmentId: environment.id,
        serviceId: service.id,
        name: body.name,
        tag: body.tag,
        overrides,
      };
      world.blueprints.set(id, blueprint);
      for (const { name, value, is_secret: secret } of body.variables) {
        addVariable(call.sim, applicationParent(service), { key: name, value, secret });
      }
      call.effect({ created: id });
      const record = showBlueprint(blueprint);
      if (!deploy) return { body: record };
      const status = requestAction(call, service, "deploy", null);
      const shown = deployedAnswer(settings.profile.blueprintDeployed, { blueprint: record, status });
      return { body: shown, publicStatus: 202 };
    },
  }),
  route({
    operation: "updateBlueprint",
    keeps: { ...safe("name", "tag", "icon", "spec_overrides"), variables: maskVariableMap },
    input: { params: BlueprintPath, body: Patch },
    answer: BlueprintBody,
    handle({ params, body }, call) {
      const blueprint = findBlueprint(call, params.blueprintId);
      const service = serviceOf(call, blueprint);
      const manifest = manifestOf(call, body.tag);
      const overrides = checkOverrides(manifest, merged(blueprint.overrides, body.spec_overrides ?? {}));
      checkNameFree(call, "blueprint", body.name, blueprintsIn(call, blueprint.environmentId), blueprint.id);
      for (const name of Object.keys(body.variables)) checkVariableName(name);

      const { name, tag, icon } = body;
      Object.assign(blueprint, { name, tag, overrides });
      service.name = name;
      service.settings = { icon_uri: icon, ...overrides };
      service.updatedAt = createdNow(call.sim).updatedAt;
      markEdited(service);
      const parent = applicationParent(service);
      for (const [key, content] of Object.entries(body.variables)) {
        const existing = variableIn(call.sim.world, parent, key);
        if (existing !== undefined) removeVariable(call.sim, existing);
        if (content !== null) addVariable(call.sim, parent, { key, value: content.value, secret: content.is_secret });
      }
      call.effect({ updated: service.id });
      return { body: showBlueprint(blueprint) };
    },
  }),
  route({
    operation: "deployBlueprint",
    input: { params: BlueprintPath },
    answer: z.object({ deployment_id: Id, execution_id: z.string() }),
    handle({ params }, call) {
      requestAction(call, serviceOf(call, findBlueprint(call, params.blueprintId)), "deploy", null);
      return { body: { deployment_id: call.sim.ids.uuid(), execution_id: `exec-${call.sim.ids.uuid()}` } };
    },
  }),
  route({
    operation: "stopHelm",
    input: { params: HelmPath },
    answer: ServiceStatus,
    handle: ({ params }, call) => ({
      body: requestAction(call, findService(call, params.helmId, "helm"), "stop", null),
    }),
  }),
  route({
    operation: "deleteHelm",
    input: { params: HelmPath },
    answer: Nothing,
    handle({ params }, call) {
      requestServiceDeletion(call, findService(call, params.helmId, "helm"));
      return {};
    },
  }),
  route({
    operation: "deleteTerraform",
    input: {
      params: z.object({ terraformId: Id }),
      query: z.object({ resources_only: z.enum(["true", "false"]).default("false") }),
    },
    answer: Nothing,
    handle({ params, query }, call) {
      if (query.resources_only === "true") throw new Problem(501, "The simulator deletes a service as a whole");
      requestServiceDeletion(call, findService(call, params.terraformId, "terraform"));
      return {};
    },
  }),
  route({
    operation: "createHelmDefaultValues",
    keeps: safe("source"),
    input: {
      params: z.object({ environmentId: Id }),
      body: z.object({ source: z.record(z.string(), z.unknown()) }),
    },
    answer: z.string(),
    handle({ params, body }, call) {
      findEnvironment(call, params.environmentId);
      const variants = Object.keys(body.source);
      const known = variants.length === 1 && ["git_repository", "helm_repository"].includes(variants[0] ?? "");
      if (!known) throw new Problem(400, "source takes either git_repository or helm_repository");
      const values = "replicaCount: 1\nimage:\n  tag: latest\nservice:\n  port: 80\n";
      return { body: values, text: call.sim.settings.profile.helmValues === "text" };
    },
  }),
];

function findBlueprint(call: Call, id: string): Blueprint {
  const blueprint = call.sim.world.blueprints.get(id);
  if (blueprint === undefined) throw new Problem(404, `No blueprint with id ${id}`);
  findEnvironment(call, blueprint.environmentId);
  return blueprint;
}

function serviceOf(call: Call, { serviceId }: Blueprint): Service {
  const service = call.sim.world.services.get(serviceId);
  if (service === undefined) throw new Problem(404, "The blueprint has no service");
  return service;
}

function blueprintsIn(call: Call, environmentId: string): readonly Blueprint[] {
  return [...call.sim.world.blueprints.values()].filter((each) => each.environmentId === environmentId);
}

function manifestOf(call: Call, tag: string): BlueprintManifest {
  const manifest = call.sim.world.manifests.get(tag);
  if (manifest === undefined) throw new Problem(422, [{ field: "tag", message: `${tag} names no blueprint` }]);
  return manifest;
}

function showBlueprint({ id, tag, environmentId }: Blueprint): Fields {
  return { id, catalog_url: `https://catalog.invalid/blueprints/${tag}`, tag, environment_id: environmentId };
}

/** Applies a JSON merge patch (RFC 7396) to the members of an object. */
function merged(record: Fields, patch: Fields): Fields {
  const left = Object.entries({ ...record, ...patch }).filter(([, value]) => value !== null);
  return Object.fromEntries(left);
}
