import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { crud } from "../client/endpoints.ts";
import { jsonOrEmpty, jsonStringOrText } from "../codec/decode.ts";
import { nonBlank, jsonObject, request, encodeWith, wellFormed } from "../codec/encode.ts";
import { editable, optional, pathId, record } from "../codec/schema.ts";

const environment = editable(
  record({
    id: pathId,
    name: z.string(),
    mode: optional.text,
    cluster_id: optional.text,
    created_at: optional.date,
    updated_at: optional.date,
    project: optional.parent,
  }),
);

const change = {
  name: nonBlank,
  /** The platform's own spelling, e.g. STAGING. */
  mode: wellFormed.optional(),
};
const environmentChange = request(change);
const documentedEnvironment = request({ ...change, clusterId: pathId.optional() });
const extendedEnvironment = documentedEnvironment.transform((body) => ({
  ...body,
  cluster: body.cluster_id,
}));
const helmRequest = request({ source: jsonObject });

export type Environment = z.output<typeof environment>;

/** @returns the operations on environments, and the default values of a helm chart; each function throws ApiError */
export function environments(caller: Caller) {
  return {
    /**
     * A platform that does not read `cluster_id` takes its default cluster: the caller must compare `clusterId` of the
     * answer. With `extended`, the cluster is also sent as `cluster`, the name that deployed services read. The cluster
     * cannot change later.
     */
    ...crud(caller, ["Environment", "Environments"], environment, {
      create: documentedEnvironment,
      extended: extendedEnvironment,
      update: environmentChange,
    }),
    /** Sends the changes alone: both members are optional, and a PUT does not take every mode that a read shows. */
    update: (current: Environment, input: z.input<typeof environmentChange>): Promise<Environment | undefined> =>
      caller.write("updateEnvironment", [current.id], {
        body: encodeWith(environmentChange, input),
        answer: jsonOrEmpty(environment),
      }),
    /**
     * Returns the default values of a chart, as YAML. It changes nothing.
     * @param source where the chart comes from, in the platform's own spelling: the spec does not show its two variants
     */
    helmDefaultValues: (environmentId: string, source: Readonly<Record<string, unknown>>) =>
      caller.fetch("getHelmDefaultValues", [environmentId], {
        body: encodeWith(helmRequest, { source }),
        answer: jsonStringOrText,
      }),
  };
}
