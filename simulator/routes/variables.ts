import { z } from "zod";

import { Problem } from "../base/problems.ts";
import {
  addVariable,
  changeVariable,
  checkVariableName,
  applicationParent,
  importParent,
  removeVariable,
  variableIn,
  visibleVariables,
  type VariableParent,
} from "../model/variables.ts";
import type { Fields, Service, Variable } from "../model/world.ts";
import { findService, listed } from "../request/lookups.ts";
import { maskVariables, safe } from "../request/masks.ts";
import { route, type Call } from "../request/route.ts";
import { Id, listOf, Nothing, Secret, Text, Variable as VariableBody } from "../request/schemas.ts";

const ApplicationPath = z.object({ applicationId: Id });
const VariablePath = z.object({ applicationId: Id, variableId: Id });
const SecretPath = z.object({ applicationId: Id, secretId: Id });
const Creation = z.object({ key: z.string().min(1), value: z.string().default(""), description: Text });
const Update = z.object({ key: z.string().min(1), value: z.string().default("") });
const Import = z.object({
  overwrite: z.boolean().default(false),
  vars: z.array(
    z.object({ name: z.string().min(1), value: z.string(), is_secret: z.boolean(), scope: z.string().optional() }),
  ),
});

export const variableRoutes = [
  route({
    operation: "listApplicationVariables",
    input: { params: ApplicationPath },
    answer: listOf(VariableBody),
    handle: ({ params }, call) => list(call, params.applicationId, false),
  }),
  route({
    operation: "createApplicationVariable",
    keeps: safe("key", "value", "description"),
    input: { params: ApplicationPath, body: Creation },
    answer: VariableBody,
    handle: ({ params, body }, call) => create(call, params.applicationId, { ...body, secret: false }),
  }),
  route({
    operation: "updateApplicationVariable",
    keeps: safe("key", "value"),
    input: { params: VariablePath, body: Update },
    answer: VariableBody,
    handle: ({ params, body }, call) => update(call, params.applicationId, params.variableId, false, body),
  }),
  route({
    operation: "deleteApplicationVariable",
    input: { params: VariablePath },
    answer: Nothing,
    handle: ({ params }, call) => remove(call, params.applicationId, params.variableId, false),
  }),
  route({
    operation: "listApplicationSecrets",
    input: { params: ApplicationPath },
    answer: listOf(Secret),
    handle: ({ params }, call) => list(call, params.applicationId, true),
  }),
  route({
    operation: "createApplicationSecret",
    keeps: safe("key", "description"),
    input: { params: ApplicationPath, body: Creation },
    answer: Secret,
    handle: ({ params, body }, call) => create(call, params.applicationId, { ...body, secret: true }),
  }),
  route({
    operation: "updateApplicationSecret",
    keeps: safe("key"),
    input: { params: SecretPath, body: Update },
    answer: Secret,
    handle: ({ params, body }, call) => update(call, params.applicationId, params.secretId, true, body),
  }),
  route({
    operation: "deleteApplicationSecret",
    input: { params: SecretPath },
    answer: Nothing,
    handle: ({ params }, call) => remove(call, params.applicationId, params.secretId, true),
  }),
  route({
    operation: "importEnvironmentVariable",
    keeps: { ...safe("overwrite"), vars: maskVariables },
    input: { params: ApplicationPath, body: Import },
    answer: z.object({
      total_variables_to_import: z.int(),
      successful_imported_variables: z.array(
        z.object({ name: z.string(), is_secret: z.boolean(), value: z.string(), scope: z.string().optional() }),
      ),
    }),
    handle({ params, body }, call) {
      const service = find(call, params.applicationId);
      const items = body.vars.map((item) => ({ item, parent: importParent(call.sim, service, item.scope) }));
      for (const { name } of body.vars) checkVariableName(name);
      const imported = items.filter(({ item, parent }) => importOne(call, parent, item, body.overwrite));
      call.effect({ imported: service.id, names: imported.map(({ item }) => item.name) });
      const isPublic = call.sim.settings.profile.records === "public";
      return {
        body: {
          total_variables_to_import: body.vars.length,
          successful_imported_variables: imported.map(({ item: { name, is_secret, value }, parent }) => ({
            name,
            is_secret,
            value,
            ...(isPublic && { scope: parent.scope }),
          })),
        },
      };
    },
  }),
];

/** @returns whether it was imported: an existing variable is overwritten only on request, a secret never */
function importOne(
  call: Call,
  parent: VariableParent,
  { name, value, is_secret: secret }: z.output<typeof Import>["vars"][number],
  overwrite: boolean,
): boolean {
  if (call.sim.settings.refusedVariables.includes(name)) return false;
  const existing = variableIn(call.sim.world, parent, name);
  if (existing !== undefined && (!overwrite || existing.secret)) return false;
  if (existing !== undefined && !secret) {
    changeVariable(call.sim, existing, { value });
    return true;
  }
  if (existing !== undefined) removeVariable(call.sim, existing);
  addVariable(call.sim, parent, { key: name, value, secret });
  return true;
}

function list(call: Call, applicationId: string, secret: boolean): { body: Fields } {
  const service = find(call, applicationId);
  const variables = listed(call, visibleVariables(call.sim.world, service, secret));
  return { body: { results: variables.map((variable) => show(call, service, variable)) } };
}

function create(
  call: Call,
  applicationId: string,
  content: { key: string; value: string; secret: boolean; description?: string | null | undefined },
): { body: Fields } {
  const service = find(call, applicationId);
  checkVariableName(content.key);
  checkKeyFree(call, service, content.key);
  const variable = addVariable(call.sim, applicationParent(service), content);
  call.effect({ created: variable.id });
  return { body: show(call, service, variable) };
}

function update(
  call: Call,
  applicationId: string,
  id: string,
  secret: boolean,
  content: { key: string; value: string },
): { body: Fields } {
  const { service, variable } = findOwn(call, applicationId, id, secret);
  checkVariableName(content.key);
  checkKeyFree(call, service, content.key, variable.id);
  changeVariable(call.sim, variable, content);
  call.effect({ updated: variable.id });
  return { body: show(call, service, variable) };
}

function remove(call: Call, applicationId: string, id: string, secret: boolean): { body?: undefined } {
  const { variable } = findOwn(call, applicationId, id, secret);
  removeVariable(call.sim, variable);
  call.effect({ deleted: variable.id });
  return {};
}

function find(call: Call, id: string): Service {
  return findService(call, id, "application");
}

/** Finds one of the application's own variables: an application cannot change inherited variables. */
function findOwn(
  call: Call,
  applicationId: string,
  id: string,
  secret: boolean,
): { service: Service; variable: Variable } {
  const service = find(call, applicationId);
  const variable = call.sim.world.variables.get(id);
  if (variable === undefined || variable.parentId !== service.id || variable.secret !== secret) {
    throw new Problem(404, `No ${secret ? "secret" : "variable"} with id ${id}`);
  }
  if (variable.scope !== "APPLICATION") throw new Problem(400, "Built-in variables cannot be changed");
  return { service, variable };
}

function checkKeyFree(call: Call, service: Service, key: string, self?: string): void {
  const taken = variableIn(call.sim.world, applicationParent(service), key);
  if (taken !== undefined && taken.id !== self) throw new Problem(409, `The variable ${key} exists already`);
}

/** Returns a variable for the answer, without the value of a secret. */
function show(call: Call, service: Service, variable: Variable): Fields {
  const isPublic = call.sim.settings.profile.records === "public";
  return {
    id: variable.id,
    key: variable.key,
    created_at: variable.createdAt,
    updated_at: variable.updatedAt,
    ...(variable.secret
      ? { description: variable.description ?? "", owned_by: "PLATFORM", enable_interpolation_in_file: false }
      : { value: variable.value }),
    ...(variable.secret && !isPublic && { service_id: service.id, service_name: service.name }),
    ...(isPublic && {
      scope: variable.scope,
      variable_type: variable.scope === "BUILT_IN" ? "BUILT_IN" : "VALUE",
    }),
  };
}
