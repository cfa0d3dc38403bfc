import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { write } from "../client/endpoints.ts";
import { type Decode, jsonOrEmpty, matching, ofRecord } from "../codec/decode.ts";
import { nonBlank, jsonObject, request, encodeWith, uri, wellFormed } from "../codec/encode.ts";
import { optional, pathId, record } from "../codec/schema.ts";

/**
 * The specification does not show the answer to a create with deploy=true, so neither a body nor a member is required.
 * An answer with a `state`, but without tag and catalog URL, is the status of the service that the blueprint became:
 * its id is that of the service.
 */
const blueprint = record({
  id: optional.of(pathId),
  catalog_url: optional.text,
  tag: optional.text,
  environment_id: optional.text,
  state: optional.text,
  deployment_request_id: optional.of(pathId),
}).transform(({ id, ...rest }) => {
  if (id === undefined) return rest;
  const isStatus = rest.state !== undefined && rest.tag === undefined && rest.catalogUrl === undefined;
  return isStatus ? { ...rest, serviceId: id } : { ...rest, id };
});

const named = {
  name: nonBlank,
  /** The catalog's tag of one blueprint version. */
  tag: nonBlank,
  icon: uri,
};
const variable = request({ name: nonBlank, value: wellFormed, isSecret: z.boolean().default(false) });
const blueprintRequest = request({
  ...named,
  variables: z.array(variable).readonly().optional(),
  /** Variables that are sent as they are, after the others: the specification shows no member of a variable. */
  variableObjects: z.array(jsonObject).readonly().optional(),
  /** Overrides of the manifest, in the platform's own spelling, e.g. `engine_version`; null is sent as it is. */
  specOverrides: jsonObject.nullable().optional(),
}).transform(({ variables = [], variable_objects: objects = [], ...rest }) => {
  const all = [...variables, ...objects];
  return all.length === 0 ? rest : { ...rest, variables: all };
});

/**
 * The changes of variables by name, and of overrides, by the rules of a JSON merge patch: null removes, and what is absent stays.
 */
const blueprintPatch = request({
  ...named,
  variables: jsonObject.optional(),
  specOverrides: jsonObject.optional(),
});
const deployQuery = z.object({ deploy: z.boolean() });

/** The answer to a create. Without an id, the created object is not known yet. */
export type Blueprint = Readonly<
  Partial<Record<"id" | "catalogUrl" | "tag" | "environmentId" | "state" | "deploymentRequestId" | "serviceId", string>>
>;
export type BlueprintInput = z.input<typeof blueprintRequest>;
export type BlueprintPatch = z.input<typeof blueprintPatch>;

const updated = jsonOrEmpty(record({ id: pathId, catalog_url: optional.text }));
const dispatched = record({ deployment_id: z.string() });

const answered: Decode<Blueprint> = ofRecord(({ text }) => matching(blueprint, text) ?? {});

/** @returns the operations on blueprints; those on the services that they became are in services.ts; each function throws ApiError */
export function blueprints(caller: Caller) {
  return {
    /**
     * Creates a service from a blueprint. Any 2xx is a success.
     * @param options.deploy starts a deployment right after
     */
    create: (environmentId: string, input: BlueprintInput, options: { readonly deploy: boolean }) =>
      caller.write("createBlueprint", [environmentId], {
        query: encodeWith(deployQuery, options),
        body: encodeWith(blueprintRequest, input),
        secrets: (input.variables ?? []).filter(({ isSecret }) => isSecret === true).map(({ value }) => value),
        answer: answered,
      }),
    /** Changes the settings and variables; the answer shows none of them but the tag. */
    update: (id: string, input: BlueprintPatch, secrets: readonly string[]) =>
      caller.write("updateBlueprint", [id], { body: encodeWith(blueprintPatch, input), secrets, answer: updated }),
    /** Deploys the stored settings. The answer names a deployment of the blueprint, which is no deployment request. */
    deploy: write(caller, "deployBlueprint", jsonOrEmpty(dispatched)),
  };
}
