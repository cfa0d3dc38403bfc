import { z } from "zod";

import type { Caller, ReadOptions } from "./caller.ts";
import { created, json, jsonStringOrText, maybe, nothing } from "./decode.ts";
import type { Created } from "./decode.ts";
import { overlay } from "./overlay.ts";
import { date, editable, parent, record, results, text, uuid } from "./schema.ts";

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

export type Environment = z.output<typeof environment>;

export interface EnvironmentInput {
  readonly name: string;
  /** The platform's own spelling, e.g. STAGING. */
  readonly mode?: string;
  readonly clusterId?: string;
}

export interface Environments {
  /**
   * The cluster is sent under both names that services read, `cluster_id` (spec) and `cluster`. One that reads
   * neither takes its default cluster: compare `clusterId` of the answer.
   */
  create(projectId: string, input: EnvironmentInput): Promise<Created<Environment>>;
  /**
   * The default values of a chart, as YAML. Changes nothing.
   * @param source where the chart comes from, in the platform's own spelling: the spec does not show its two variants.
   */
  helmDefaultValues(environmentId: string, source: Readonly<Record<string, unknown>>): Promise<string>;
  /** Full surface: the environments of a project. */
  list(projectId: string, options?: ReadOptions): Promise<readonly Environment[]>;
  /** Full surface. */
  get(environmentId: string, options?: ReadOptions): Promise<Environment>;
  /** Full surface. The cluster of an environment cannot change. Undefined when the answer has no body. */
  update(current: Environment, input: Pick<EnvironmentInput, "name" | "mode">): Promise<Environment | undefined>;
  /** Full surface. */
  delete(environmentId: string): Promise<void>;
}

export function environments(caller: Caller): Environments {
  return {
    create: (projectId, { name, mode, clusterId }) =>
      caller.write(
        "createEnvironment",
        { projectId },
        { body: { name, mode, cluster_id: clusterId, cluster: clusterId }, answer: created(environment, { name }) },
      ),
    helmDefaultValues: (environmentId, source) =>
      caller.fetch("getHelmDefaultValues", { environmentId }, { body: { source }, answer: jsonStringOrText }),
    list: (projectId, options) =>
      caller.read("listEnvironments", { projectId }, { answer: json(results(environment)), ...options }),
    get: (environmentId, options) =>
      caller.read("getEnvironment", { environmentId }, { answer: json(environment), ...options }),
    update: (current, { name, mode }) =>
      caller.write(
        "updateEnvironment",
        { environmentId: current.id },
        { body: overlay(current.record, { name, mode }), answer: maybe(environment) },
      ),
    delete: (environmentId) => caller.write("deleteEnvironment", { environmentId }, { answer: nothing }),
  };
}
