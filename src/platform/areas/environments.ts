import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { created, json, jsonStringOrText, list, maybe, nothing } from "../codec/decode.ts";
import type { Created } from "../codec/decode.ts";
import { folded, sent } from "../codec/encode.ts";
import type { Extended } from "../codec/encode.ts";
import { overlay } from "../codec/overlay.ts";
import { filled, jsonObject, request, wellFormed } from "../codec/request-schema.ts";
import { date, editable, parent, record, text, uuid } from "../codec/schema.ts";

const environment = editable(
  record({
    id: uuid,
    name: z.string(),
    mode: text,
    cluster_id: text,
    created_at: date,
    updated_at: date,
    project: parent,
  }),
);

const change = {
  name: filled,
  /** The platform's own spelling, e.g. STAGING. */
  mode: wellFormed.optional(),
};
const environmentChange = request(change);
const documentedEnvironment = request({ ...change, clusterId: uuid.optional() });
const extendedEnvironment = documentedEnvironment.transform((body) => ({
  ...body,
  cluster: body.cluster_id,
}));
const helmRequest = request({ source: jsonObject });

export type Environment = z.output<typeof environment>;

export type EnvironmentInput = z.input<typeof documentedEnvironment>;
export type EnvironmentChange = z.input<typeof environmentChange>;

export interface Environments {
  /**
   * A platform that does not read `cluster_id` takes its default cluster: compare `clusterId` of the answer.
   * @param options.extended also sends the cluster as `cluster`, the name that deployed services read
   */
  create(projectId: string, input: EnvironmentInput, options?: Extended): Promise<Created<Environment>>;
  /**
   * Returns the default values of a chart, as YAML. It changes nothing.
   * @param source where the chart comes from, in the platform's own spelling: the spec does not show its two variants
   */
  helmDefaultValues(environmentId: string, source: Readonly<Record<string, unknown>>): Promise<string>;
  /** Full surface: the environments of a project. */
  list(projectId: string, options?: ReadOptions): Promise<readonly Environment[]>;
  /** Full surface. */
  get(environmentId: string, options?: ReadOptions): Promise<Environment>;
  /** Full surface. The cluster of an environment cannot change. Undefined when the answer has no body. */
  update(current: Environment, input: EnvironmentChange): Promise<Environment | undefined>;
  /** Full surface. */
  delete(environmentId: string): Promise<void>;
}

const environmentList = list(environment);

export function environments(caller: Caller): Environments {
  return {
    create: (projectId, input, { extended = false } = {}) =>
      caller.write(
        "createEnvironment",
        { projectId },
        {
          body: extended ? sent(extendedEnvironment, input) : sent(documentedEnvironment, input),
          answer: created(environment, { name: input.name }),
        },
      ),
    helmDefaultValues: (environmentId, source) =>
      caller.fetch(
        "getHelmDefaultValues",
        { environmentId },
        { body: sent(helmRequest, { source }), answer: jsonStringOrText },
      ),
    list: (projectId, options) =>
      caller.read("listEnvironments", { projectId }, { answer: environmentList, ...options }),
    get: (environmentId, options) =>
      caller.read("getEnvironment", { environmentId }, { answer: json(environment), ...options }),
    update: (current, input) =>
      caller.write(
        "updateEnvironment",
        { environmentId: current.id },
        {
          body: folded(sent(environmentChange, input), (body) => overlay(current.record, body)),
          answer: maybe(environment),
        },
      ),
    delete: (environmentId) => caller.write("deleteEnvironment", { environmentId }, { answer: nothing }),
  };
}
