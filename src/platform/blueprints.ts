import type { z } from "zod";

import type { Caller } from "./caller.ts";
import { created } from "./decode.ts";
import type { Created } from "./decode.ts";
import { record, text, uuid } from "./schema.ts";

/** With deploy=true the spec does not show the answer: then only the id is counted on. */
const blueprint = record({ id: uuid, catalog_url: text, tag: text, environment_id: text });

export type Blueprint = z.output<typeof blueprint>;

export interface BlueprintInput {
  readonly name: string;
  /** The catalogue's tag of one blueprint version. */
  readonly tag: string;
  /** A URI. */
  readonly icon: string;
  readonly variables?: readonly { readonly name: string; readonly value: string; readonly isSecret?: boolean }[];
  /** Overrides over the manifest, in the platform's own spelling, e.g. `engine_version`. */
  readonly specOverrides?: Readonly<Record<string, unknown>>;
}

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
    create: (environmentId, { name, tag, icon, variables, specOverrides }, { deploy }) =>
      caller.write(
        "createBlueprint",
        { environmentId },
        {
          query: { deploy },
          body: {
            name,
            tag,
            icon,
            variables: variables?.map((item) => ({
              name: item.name,
              value: item.value,
              is_secret: item.isSecret ?? false,
            })),
            spec_overrides: specOverrides,
          },
          secrets: (variables ?? []).filter(({ isSecret }) => isSecret === true).map(({ value }) => value),
          answer: created(blueprint),
        },
      ),
  };
}
