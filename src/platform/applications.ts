import { z } from "zod";

import type { Caller, ReadOptions } from "./caller.ts";
import { created, json, matching, maybe, nothing } from "./decode.ts";
import type { Created, Decode } from "./decode.ts";
import { gitProvider } from "./git-provider.ts";
import { overlay } from "./overlay.ts";
import { count, date, editable, flag, optional, parent, record, results, text, uuid } from "./schema.ts";
import { serviceStatus } from "./service-status.ts";
import type { ServiceStatus } from "./service-status.ts";

const port = record({
  id: text,
  name: text,
  internal_port: z.number(),
  external_port: count,
  protocol: text,
  publicly_accessible: flag,
});

const gitRepository = record({
  url: text,
  branch: text,
  root_path: text,
  provider: text,
  deployed_commit_id: text,
});

const application = editable(
  record({
    id: uuid,
    name: z.string(),
    git_repository: optional(gitRepository),
    build_mode: text,
    dockerfile_path: text,
    cpu: count,
    memory: count,
    min_running_instances: count,
    max_running_instances: count,
    ports: optional(z.array(port)),
    created_at: date,
    updated_at: date,
    environment: parent,
  }),
);

export type Application = z.output<typeof application>;
export type ApplicationPort = z.output<typeof port>;

export interface ApplicationInput {
  readonly name: string;
  readonly gitRepository: GitRepositoryInput;
  readonly buildMode?: string | undefined;
  readonly dockerfilePath?: string | undefined;
  /** Platform units, which the spec does not name. */
  readonly cpu?: number | undefined;
  readonly memory?: number | undefined;
  readonly minRunningInstances?: number | undefined;
  readonly maxRunningInstances?: number | undefined;
  readonly ports?: readonly PortInput[] | undefined;
}

export interface GitRepositoryInput {
  readonly url: string;
  readonly branch?: string | undefined;
  /** In the platform's spelling; derived from the host of `url` when absent. */
  readonly provider?: string | undefined;
  readonly rootPath?: string | undefined;
}

export interface PortInput {
  readonly internalPort: number;
  readonly externalPort?: number | undefined;
  readonly protocol?: string | undefined;
  readonly publiclyAccessible?: boolean | undefined;
}

export interface Applications {
  create(environmentId: string, input: ApplicationInput): Promise<Created<Application>>;
  status(applicationId: string, options?: ReadOptions): Promise<ServiceStatus>;
  /** Starts a deployment of one commit. Undefined when the answer has no body. */
  deploy(applicationId: string, gitCommitId: string): Promise<ServiceStatus | undefined>;
  /** The last lines of the log, raw: they may hold control characters. @param tail number of lines, ≥ 1. */
  log(applicationId: string, tail: number): Promise<readonly string[]>;
  /** Full surface: the applications of an environment. */
  list(environmentId: string, options?: ReadOptions): Promise<readonly Application[]>;
  /** Full surface. */
  get(applicationId: string, options?: ReadOptions): Promise<Application>;
  /** Full surface. Members that `input` lacks stay as in `current`. Undefined when the answer has no body. */
  update(current: Application, input: ApplicationInput): Promise<Application | undefined>;
  /** Full surface. */
  delete(applicationId: string): Promise<void>;
  /** Full surface. Undefined when the answer has no body. */
  stop(applicationId: string): Promise<ServiceStatus | undefined>;
  /** Full surface: restarts what is deployed, applies no settings. Undefined when the answer has no body. */
  restart(applicationId: string): Promise<ServiceStatus | undefined>;
}

export function applications(caller: Caller): Applications {
  return {
    create: (environmentId, input) =>
      caller.write(
        "createApplication",
        { environmentId },
        // Deployed services require healthchecks, which the spec does not show.
        { body: { healthchecks: {}, ...settings(input) }, answer: created(application, { name: input.name }) },
      ),
    status: (applicationId, options) =>
      caller.read("getApplicationStatus", { applicationId }, { answer: json(serviceStatus), ...options }),
    deploy: (applicationId, gitCommitId) =>
      caller.write(
        "deployApplication",
        { applicationId },
        { body: { git_commit_id: gitCommitId }, answer: maybe(serviceStatus) },
      ),
    log: (applicationId, tail) =>
      caller.fetch("getApplicationLog", { applicationId }, { query: { tail }, answer: lastLines(tail) }),
    list: (environmentId, options) =>
      caller.read("listApplications", { environmentId }, { answer: json(results(application)), ...options }),
    get: (applicationId, options) =>
      caller.read("getApplication", { applicationId }, { answer: json(application), ...options }),
    update: (current, input) =>
      caller.write(
        "updateApplication",
        { applicationId: current.id },
        {
          body: overlay({ healthchecks: {}, ...current.record }, settings(input, current)),
          answer: maybe(application),
        },
      ),
    delete: (applicationId) => caller.write("deleteApplication", { applicationId }, { answer: nothing }),
    stop: (applicationId) => caller.write("stopApplication", { applicationId }, { answer: maybe(serviceStatus) }),
    restart: (applicationId) => caller.write("restartApplication", { applicationId }, { answer: maybe(serviceStatus) }),
  };
}

/** The body members of a create or, with `current`, of a PUT. */
function settings(input: ApplicationInput, current?: Application): Record<string, unknown> {
  const { url, branch, provider, rootPath } = input.gitRepository;
  const stored = z.looseObject({}).safeParse(current?.record["git_repository"]).data ?? {};
  return {
    name: input.name,
    git_repository: overlay(stored, { url, branch, provider: provider ?? gitProvider(url), root_path: rootPath }),
    build_mode: input.buildMode,
    dockerfile_path: input.dockerfilePath,
    cpu: input.cpu,
    memory: input.memory,
    min_running_instances: input.minRunningInstances,
    max_running_instances: input.maxRunningInstances,
    ports: input.ports?.map((wanted) => portBody(wanted, current?.ports)),
  };
}

/** A port with an id is changed, one without is new (api-behaviour §2): the same inner port keeps its id. */
function portBody(wanted: PortInput, stored: readonly ApplicationPort[] = []): object {
  return {
    id: stored.find(({ internalPort }) => internalPort === wanted.internalPort)?.id,
    internal_port: wanted.internalPort,
    external_port: wanted.externalPort,
    protocol: wanted.protocol,
    publicly_accessible: wanted.publiclyAccessible ?? false,
  };
}

const logList = results(z.object({ message: z.string() }));

/** `{results: [{message}]}`, else the text as it is; deployed services ignore `tail` and send 1,000 lines. */
function lastLines(tail: number): Decode<readonly string[]> {
  return ({ text: body }) => {
    const messages = matching(logList, body)?.map(({ message }) => message);
    const lines = messages ?? body.replace(/\r?\n$/, "").split(/\r?\n/);
    return lines.slice(-tail);
  };
}
