import { z } from "zod";

import type { Caller, ReadOptions } from "../client/caller.ts";
import { created, type Created, type Decode, json, list, matching, maybe, nothing } from "../codec/decode.ts";
import { type Encode, type Extended, folded, sent } from "../codec/encode.ts";
import { overlay } from "../codec/overlay.ts";
import { commit, filled, request, wellFormed } from "../codec/request-schema.ts";
import {
  count,
  date,
  editable,
  flag,
  optional,
  parent,
  record,
  text,
  uuid,
  wellShapedResults,
} from "../codec/schema.ts";
import { serviceStatus, type ServiceStatus } from "./service-status.ts";

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

const repositoryRequest = request({
  url: filled,
  branch: wellFormed.optional(),
  /** In the platform's spelling. */
  provider: wellFormed.optional(),
  rootPath: wellFormed.optional(),
});
const withProvider = repositoryRequest.transform((body) => ({
  ...body,
  provider: body.provider ?? gitProvider(body.url),
}));

const portRequest = request({
  internalPort: z.int(),
  externalPort: z.int().optional(),
  protocol: wellFormed.optional(),
  publiclyAccessible: z.boolean().default(false),
});

const settings = {
  name: filled,
  buildMode: wellFormed.optional(),
  dockerfilePath: wellFormed.optional(),
  // In units of the platform, which the spec does not name.
  cpu: z.number().optional(),
  memory: z.number().optional(),
  minRunningInstances: z.int().optional(),
  maxRunningInstances: z.int().optional(),
  ports: z.array(portRequest).readonly().optional(),
};
/** The members of the specification. */
const documentedApplication = request({ ...settings, gitRepository: repositoryRequest });
const applicationRequest = request({ ...settings, gitRepository: withProvider });
/** With the members that deployed services require beyond the specification. */
const extendedApplication = applicationRequest.transform((body) => ({ healthchecks: {}, ...body }));
const deployRequest = request({ gitCommitId: commit });
const logQuery = z.object({ tail: z.int().min(1) });

export type Application = z.output<typeof application>;
export type ApplicationPort = z.output<typeof port>;
export type ApplicationInput = z.input<typeof applicationRequest>;

export interface Applications {
  /** @param options.extended also sends the members that deployed services require beyond the specification */
  create(environmentId: string, input: ApplicationInput, options?: Extended): Promise<Created<Application>>;
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

const applicationList = list(application);

export function applications(caller: Caller): Applications {
  return {
    create: (environmentId, input, { extended = false } = {}) =>
      caller.write(
        "createApplication",
        { environmentId },
        {
          body: extended ? sent(extendedApplication, input) : sent(documentedApplication, input),
          answer: created(application, { name: input.name }),
        },
      ),
    status: (applicationId, options) =>
      caller.read("getApplicationStatus", { applicationId }, { answer: json(serviceStatus), ...options }),
    deploy: (applicationId, gitCommitId) =>
      caller.write(
        "deployApplication",
        { applicationId },
        { body: sent(deployRequest, { gitCommitId }), answer: maybe(serviceStatus) },
      ),
    log: (applicationId, tail) =>
      caller.fetch(
        "getApplicationLog",
        { applicationId },
        { query: sent(logQuery, { tail }), answer: lastLines(tail) },
      ),
    list: (environmentId, options) =>
      caller.read("listApplications", { environmentId }, { answer: applicationList, ...options }),
    get: (applicationId, options) =>
      caller.read("getApplication", { applicationId }, { answer: json(application), ...options }),
    update: (current, input) =>
      caller.write(
        "updateApplication",
        { applicationId: current.id },
        { body: changed(current, input), answer: maybe(application) },
      ),
    delete: (applicationId) => caller.write("deleteApplication", { applicationId }, { answer: nothing }),
    stop: (applicationId) => caller.write("stopApplication", { applicationId }, { answer: maybe(serviceStatus) }),
    restart: (applicationId) => caller.write("restartApplication", { applicationId }, { answer: maybe(serviceStatus) }),
  };
}

/**
 * Returns the body of a PUT over the current record. A port with an id is changed, one without is new
 * (docs/architecture.md §9).
 */
function changed(current: Application, input: ApplicationInput): Encode {
  const stored = z.looseObject({}).safeParse(current.record["git_repository"]).data ?? {};
  const idOf = (internalPort: number) => current.ports?.find((port) => port.internalPort === internalPort)?.id;
  return folded(sent(applicationRequest, input), ({ git_repository, ports, ...body }) =>
    overlay(
      { healthchecks: {}, ...current.record },
      {
        ...body,
        git_repository: overlay(stored, git_repository),
        ports: ports?.map((wanted) => ({ id: idOf(wanted.internal_port), ...wanted })),
      },
    ),
  );
}

const logList = wellShapedResults(z.object({ message: z.string() }));

/** Reads `{results: [{message}]}`, else the whole text; deployed services ignore `tail` and send 1,000 lines. */
function lastLines(tail: number): Decode<readonly string[]> {
  return ({ text: body }) => {
    const messages = matching(logList, body)?.map(({ message }) => message);
    const lines = messages ?? body.replace(/\r?\n$/, "").split(/\r?\n/);
    return lines.slice(-tail);
  };
}

/**
 * The hosting provider that deployed services require beside a repository's URL (docs/architecture.md §9); the spec
 * does not name it.
 */
const PROVIDERS = ["GITHUB", "GITLAB", "BITBUCKET"] as const;
const SCP_FORM = /^[^/@]+@([^/:]+):/; // git@host:owner/name.git

/** Derives the provider from the host name, as the public clients do. @returns undefined for other hosts. */
export function gitProvider(url: string): (typeof PROVIDERS)[number] | undefined {
  const host = SCP_FORM.exec(url)?.[1] ?? (URL.canParse(url) ? new URL(url).hostname : "");
  return PROVIDERS.find((provider) => host.toLowerCase().includes(provider.toLowerCase()));
}
