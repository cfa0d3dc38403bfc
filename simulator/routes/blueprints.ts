import { z } from "zod";

import { Problem } from "../base/problems.ts";
import { checkOverrides, deployedAnswer } from "../model/blueprints.ts";
import { createdNow, newService } from "../model/creation.ts";
import { addVariable, checkVariableName, applicationParent } from "../model/variables.ts";
import type { Blueprint } from "../model/world.ts";
import { checkNameFree, findEnvironment } from "../request/lookups.ts";
import { maskVariables, safe } from "../request/masks.ts";
import { alsoNeeds, route } from "../request/route.ts";
import { Id, Name } from "../request/schemas.ts";
import { requestAction } from "../request/service-actions.ts";

const Body = z.object({
  name: Name,
  tag: z.string().min(1),
  icon: z.url(),
  variables: z
    .array(z.looseObject({ name: z.string(), value: z.string(), is_secret: z.boolean().default(false) }))
    .default([]),
  spec_overrides: z.record(z.string(), z.unknown()).nullish(),
});

export const blueprintRoutes = [
  route({
    operation: "createBlueprint",
    keeps: { ...safe("name", "tag", "icon", "spec_overrides"), variables: maskVariables },
    input: {
      params: z.object({ environmentId: Id }),
      query: z.object({ deploy: z.enum(["true", "false"]).default("false") }),
      body: Body,
    },
    answer: z.object({ id: Id, catalog_url: z.url(), tag: z.string(), environment_id: Id }),
    handle({ params, query, body }, call) {
      const { world, ids, settings } = call.sim;
      const deploy = query.deploy === "true";
      if (deploy) alsoNeeds(call, "deploy");
      const environment = findEnvironment(call, params.environmentId);
      const manifest = world.manifests.get(body.tag);
      if (manifest === undefined) throw new Problem(422, [{ field: "tag", message: `${body.tag} names no blueprint` }]);
      const overrides = checkOverrides(manifest, body.spec_overrides ?? {});
      for (const { name } of body.variables) checkVariableName(name);
      const siblings = [...world.blueprints.values()].filter((each) => each.environmentId === environment.id);
      checkNameFree(call, "blueprint", body.name, siblings);

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
      };
      world.blueprints.set(id, blueprint);
      for (const { name, value, is_secret: secret } of body.variables) {
        addVariable(call.sim, applicationParent(service), { key: name, value, secret });
      }
      call.effect({ created: id });
      const record = {
        id,
        catalog_url: `https://catalog.invalid/blueprints/${body.tag}`,
        tag: body.tag,
        environment_id: environment.id,
      };
      if (!deploy) return { body: record };
      const status = requestAction(call, service, "deploy", null);
      const shown = deployedAnswer(settings.profile.blueprintDeployed, { blueprint: record, status });
      return { body: shown, publicStatus: 202 };
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
