import { z } from "zod";

import type { Caller } from "../client/caller.ts";
import { crud, read, write } from "../client/endpoints.ts";
import { type Decode, json, matching, jsonOrEmpty, ofText } from "../codec/decode.ts";
import {
  commitText,
  type Encode,
  jsonObject,
  nonBlank,
  overlay,
  request,
  encodeWith,
  wellFormed,
} from "../codec/encode.ts";
import { editable, items, optional, pathId, record, wellShaped } from "../codec/schema.ts";
import { serviceStatus } from "./service-status.ts";

const port = record({
  id: optional.text,
  name: optional.text,
  internal_port: z.number(),
  external_port: optional.number,
  protocol: optional.text,
  publicly_accessible: optional.flag,
  public_path: optional.text,
});
const disk = record({
  type: optional.text,
  size: optional.number,
  mount_point: z.string(),
});

const gitRepository = record({
  url: optional.text,
  branch: optional.text,
  root_path: optional.text,
  provider: optional.text,
  git_token_id: optional.text,
  deployed_commit_id: optional.text,
});

const application = editable(
  record({
    id: pathId,
    name: z.string(),
    git_repository: optional.of(gitRepository),
    build_mode: optional.text,
    dockerfile_path: optional.text,
    cpu: optional.number,
    memory: optional.number,
    min_running_instances: optional.number,
    max_running_instances: optional.number,
    ports: optional.of(items(port)),
    storage: optional.of(items(disk)),
    entrypoint: optional.text,
    arguments: optional.strings,
    healthchecks: optional.of(z.looseObject({})),
    auto_deploy: optional.flag,
    auto_preview: optional.flag,
    created_at: optional.date,
    updated_at: optional.date,
    environment: optional.parent,
  }),
);

const repositoryRequest = request({
  url: nonBlank,
  branch: wellFormed.optional(),
  /** In the platform's spelling. */
  provider: wellFormed.optional(),
  rootPath: wellFormed.optional(),
  gitTokenId: wellFormed.optional(),
});
const withProvider = repositoryRequest.transform((body) => ({
  ...body,
  provider: body.provider ?? gitProvider(body.url),
}));

const portRequest = request({
  name: wellFormed.optional(),
  internalPort: z.int(),
  externalPort: z.int().optional(),
  protocol: wellFormed.optional(),
  publiclyAccessible: z.boolean().default(false),
  publicPath: wellFormed.optional(),
});
/** The type of a disk is the only one of the whole API, in its spelling. */
const diskRequest = request({ mountPoint: nonBlank, size: z.int(), type: wellFormed.default("FAST_SSD") });

const settings = {
  name: nonBlank,
  buildMode: wellFormed.optional(),
  dockerfilePath: wellFormed.optional(),
  // In the platform's units, which the spec does not specify.
  cpu: z.number().optional(),
  memory: z.number().optional(),
  minRunningInstances: z.int().optional(),
  maxRunningInstances: z.int().optional(),
  ports: z.array(portRequest).readonly().optional(),
  // Beyond the specification.
  storage: z.array(diskRequest).readonly().optional(),
  entrypoint: wellFormed.optional(),
  arguments: z.array(wellFormed).readonly().optional(),
  /** In the platform's own spelling. */
  healthchecks: jsonObject.optional(),
  /** Whether the platform deploys each new commit of the branch. */
  autoDeploy: z.boolean().optional(),
  /** Whether the platform makes a preview environment for each pull request. */
  autoPreview: z.boolean().optional(),
};
/** The members of the specification. */
const documentedApplication = request({ ...settings, gitRepository: repositoryRequest });
const applicationRequest = request({ ...settings, gitRepository: withProvider });
/**
 * The body with the members that deployed services require beyond the specification. Their defaults of the two
 * automatisms would deploy other commits than that of the spec, and make preview environments.
 */
const extendedApplication = applicationRequest.transform(({ auto_deploy, auto_preview, ports, ...body }) => ({
  ...body,
  healthchecks: body.healthchecks ?? {},
  ports: ports?.map(withProtocol),
  auto_deploy: auto_deploy ?? false,
  auto_preview: auto_preview ?? false,
}));
/** Returns a port with its protocol, which deployed services require. */
function withProtocol(port: z.output<typeof portRequest>): z.output<typeof portRequest> {
  return { ...port, protocol: port.protocol ?? "HTTP" };
}

const deployRequest = request({ gitCommitId: commitText });
const logQuery = z.object({ tail: z.int().min(1) });

export type Application = z.output<typeof application>;
export type ApplicationPort = z.output<typeof port>;
export type ApplicationDisk = z.output<typeof disk>;
export type ApplicationInput = z.input<typeof applicationRequest>;

/** @returns the operations on git applications: settings, commit, log, state; each function throws ApiError */
export function applications(caller: Caller) {
  return {
    ...crud(caller, ["Application", "Applications"], application, {
      create: documentedApplication,
      extended: extendedApplication,
      update: applicationRequest,
    }),
    status: read(caller, "getApplicationStatus", json(serviceStatus)),
    /** Starts a deployment of one commit. */
    deploy: (applicationId: string, gitCommitId: string) =>
      caller.write("deployApplication", [applicationId], {
        body: encodeWith(deployRequest, { gitCommitId }),
        answer: jsonOrEmpty(serviceStatus),
      }),
    /** The last lines of the log, raw: they may hold control characters. @param tail number of lines, ≥ 1 */
    log: (applicationId: string, tail: number) =>
      caller.fetch("getApplicationLog", [applicationId], {
        query: encodeWith(logQuery, { tail }),
        answer: lastLines(tail),
      }),
    /** Members that `input` lacks stay as in `current`. */
    update: (current: Application, input: ApplicationInput) =>
      caller.write("updateApplication", [current.id], {
        body: changed(current, input),
        answer: jsonOrEmpty(application),
      }),
    stop: write(caller, "stopApplication", jsonOrEmpty(serviceStatus)),
  };
}

/** Returns the body of a PUT over the current record. */
function changed(current: Application, input: ApplicationInput): Encode {
  const { gitRepository: repository, ports: stored, storage: disks } = storedParts.parse(current.record);
  const encode = encodeWith(applicationRequest, input);
  return () => {
    const { git_repository, ports, storage, ...body } = encode();
    return overlay(
      { healthchecks: {}, ...current.record },
      {
        ...body,
        git_repository: overlay(repository ?? {}, git_repository),
        ports: ports?.map((wanted) => changedPort(stored ?? [], wanted)),
        storage: storage?.map((wanted) => changedDisk(disks ?? [], wanted)),
      },
    );
  };
}

/** The nested parts of a record, with all members. An unreadable port is left out, and hides no other port. */
const storedParts = record({
  git_repository: optional.of(z.looseObject({})),
  ports: optional.of(wellShaped(z.looseObject({ internal_port: z.number() }))),
  storage: optional.of(wellShaped(z.looseObject({ mount_point: z.string() }))),
});
type StoredPort = NonNullable<z.output<typeof storedParts>["ports"]>[number];

/**
 * Returns the stored port, if there is one, with the wanted changes. The platform changes a port that has an id, and
 * creates one that has none (docs/project/architecture.md §9).
 * @param wanted undefined members stay as they are stored
 */
function changedPort(stored: readonly StoredPort[], wanted: z.output<typeof portRequest>): object {
  const before: Partial<StoredPort> = stored.find((one) => one.internal_port === wanted.internal_port) ?? {};
  return { id: before["id"], protocol: "HTTP", ...overlay(before, wanted) };
}

type StoredDisk = NonNullable<z.output<typeof storedParts>["storage"]>[number];

/**
 * Returns the stored disk of a mount point, if there is one, with the wanted changes; as for a port. Without its id, the
 * platform would delete the disk with its data, and create an empty one.
 */
function changedDisk(stored: readonly StoredDisk[], wanted: z.output<typeof diskRequest>): object {
  const before: Partial<StoredDisk> = stored.find((one) => one.mount_point === wanted.mount_point) ?? {};
  return { id: before["id"], ...overlay(before, wanted) };
}

const logList = record({ results: wellShaped(record({ message: z.string() })) });

/** Reads `{results: [{message}]}`, else the whole text; deployed services ignore `tail` and send 1,000 lines. */
function lastLines(tail: number): Decode<readonly string[]> {
  return ofText(({ text }) => {
    const messages = matching(logList, text)?.results.map(({ message }) => message);
    return (messages ?? linesAtEnd(text, tail)).slice(-tail);
  });
}

/** Returns the last lines of a text, of which a platform may send a million empty ones. */
function linesAtEnd(text: string, most: number): readonly string[] {
  const whole = text.replace(/\r?\n$/, "");
  let start = whole.length;
  for (let lines = 0; lines < most && start > 0; lines += 1) start = whole.lastIndexOf("\n", start - 1);
  return whole.slice(Math.max(0, start)).split(/\r?\n/);
}

/**
 * The hosting providers, which deployed services require in addition to a repository's URL (docs/project/architecture.md §9);
 * the spec does not name them.
 */
const PROVIDERS = ["GITHUB", "GITLAB", "BITBUCKET"] as const;
const SCP_FORM = /^[^/@]+@([^/:]+):/; // git@host:owner/name.git

/** Derives the provider from the host name, as the public clients do. @returns undefined for other hosts. */
export function gitProvider(url: string): (typeof PROVIDERS)[number] | undefined {
  const host = SCP_FORM.exec(url)?.[1] ?? (URL.canParse(url) ? new URL(url).hostname : "");
  return PROVIDERS.find((provider) => host.toLowerCase().includes(provider.toLowerCase()));
}
