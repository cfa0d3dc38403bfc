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

/** Where a chart comes from. The spec does not show the two variants; these are those of deployed services. */
export type HelmSource =
  | {
      readonly gitRepository: {
        readonly url: string;
        readonly branch?: string;
        readonly rootPath?: string;
        readonly gitTokenId?: string;
      };
    }
  | {
      readonly helmRepository: {
        readonly repository: string;
        readonly chartName: string;
        readonly chartVersion: string;
      };
    };

export interface Environments {
  /**
   * The cluster is sent under both names that services read, `cluster_id` (spec) and `cluster`. One that reads
   * neither takes its default cluster: compare `clusterId` of the answer.
   */
  create(projectId: string, input: EnvironmentInput): Promise<Created<Environment>>;
  /** The default values of a chart, as YAML. Changes nothing. */
  helmDefaultValues(environmentId: string, source: HelmSource): Promise<string>;
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
        { body: { name, mode, cluster_id: clusterId, cluster: clusterId }, answer: created(environment) },
      ),
    helmDefaultValues: (environmentId, source) =>
      caller.fetch(
        "getHelmDefaultValues",
        { environmentId },
        { body: { source: helmSource(source) }, answer: jsonStringOrText },
      ),
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

function helmSource(source: HelmSource): object {
  if ("helmRepository" in source) {
    const { repository, chartName, chartVersion } = source.helmRepository;
    return { helm_repository: { repository, chart_name: chartName, chart_version: chartVersion } };
  }
  const { url, branch, rootPath, gitTokenId } = source.gitRepository;
  return { git_repository: { url, branch, root_path: rootPath, git_token_id: gitTokenId } };
}
