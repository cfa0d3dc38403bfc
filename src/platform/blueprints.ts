import { z } from "zod";

import type { Caller } from "./caller.ts";
import { created } from "./decode.ts";
import type { Created } from "./decode.ts";
import { sent } from "./encode.ts";
import { filled, jsonObject, request, uri, wellFormed } from "./request-schema.ts";
import { record, text, uuid } from "./schema.ts";

/** With deploy=true the spec does not show the answer: then only the id is counted on. */
const blueprint = record({ id: uuid, catalog_url: text, tag: text, environment_id: text });

const blueprintRequest = request({
  name: filled,
  /** The catalogue's tag of one blueprint version. */
  tag: filled,
  icon: uri,
  variables: z
    .array(request({ name: filled, value: wellFormed, isSecret: z.boolean().default(false) }))
    .readonly()
    .optional(),
  /** Overrides over the manifest, in the platform's own spelling, e.g. `engine_version`. */
  specOverrides: jsonObject.optional(),
});
const deployQuery = z.object({ deploy: z.boolean() });

export type Blueprint = z.output<typeof blueprint>;
export type BlueprintInput = z.input<typeof blueprintRequest>;

export interface Blueprints {
  /** Creates a service from a blueprint. @param options.deploy starts a deployment right after. */
  create(
    environmentId: string,
    input: BlueprintInput,
    options: { readonly deploy: boolean },
  ): Promise<Created<Blueprint>>;
}

export function blueprints(caller: Caller): Blueprints {
  return {
    create: (environmentId, input, options) =>
      caller.write(
        "createBlueprint",
        { environmentId },
        {
          query: sent(deployQuery, options),
          body: sent(blueprintRequest, input),
          secrets: (input.variables ?? []).filter(({ isSecret }) => isSecret === true).map(({ value }) => value),
          answer: created(blueprint),
        },
      ),
  };
}
