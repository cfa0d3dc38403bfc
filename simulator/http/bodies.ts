/** The bodies of both surfaces, for a platform that refuses what its description does not have. */
import { z } from "zod";

import type { OperationId } from "../base/operations.ts";
import { Problem, type FieldProblem } from "../base/problems.ts";

/** Members of a body: `true` for any value, a table for an object or for each object of a list. */
interface Members {
  readonly [member: string]: true | Members;
}

const ANY = true;

const DOCUMENTED: Partial<Record<OperationId, Members>> = {
  updateClusterPlatformBinding: {
    templateKey: ANY,
    templateVersion: ANY,
    layerSelections: ANY,
    managedConfig: ANY,
    customerProvidedInputs: ANY,
  },
  importEnvironmentVariable: { overwrite: ANY, vars: { name: ANY, value: ANY, is_secret: ANY } },
  createHelmDefaultValues: { source: ANY },
  createBlueprint: { name: ANY, tag: ANY, icon: ANY, variables: ANY, spec_overrides: ANY },
  deployApplication: { git_commit_id: ANY },
  createProject: { name: ANY, description: ANY },
  createEnvironment: { name: ANY, mode: ANY, cluster_id: ANY },
  createApplication: {
    name: ANY,
    git_repository: { url: ANY, branch: ANY },
    build_mode: ANY,
    dockerfile_path: ANY,
    cpu: ANY,
    memory: ANY,
    min_running_instances: ANY,
    max_running_instances: ANY,
    ports: { internal_port: ANY, external_port: ANY, protocol: ANY, publicly_accessible: ANY },
  },
  createApplicationVariable: { key: ANY, value: ANY },
  createApplicationSecret: { key: ANY, value: ANY },
  createDatabase: { name: ANY, type: ANY, version: ANY, mode: ANY, cpu: ANY, memory: ANY, storage: ANY },
  createWebhook: { target_url: ANY, events: ANY, enabled: ANY },
};

/** @throws Problem 400 that names each member which the documentation of the operation does not have. */
export function checkDocumentedBody(operation: OperationId, body: unknown): void {
  const unknown = unknownMembers(body, DOCUMENTED[operation] ?? {}, "");
  if (unknown.length > 0) throw new Problem(400, unknown);
}

function unknownMembers(value: unknown, known: Members, path: string): readonly FieldProblem[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => unknownMembers(item, known, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    const at = path === "" ? name : `${path}.${name}`;
    if (inner === undefined) return [{ field: at, message: "is not documented" }];
    return inner === ANY ? [] : unknownMembers(member, inner, at);
  });
}

const id = z.guid();
const text = z.string();
const repository = z.looseObject({
  url: text,
  provider: z.enum(["BITBUCKET", "GITHUB", "GITLAB"]),
  branch: text.optional(),
  git_token_id: id.nullish(),
  root_path: text.optional(),
});
const port = z.looseObject({
  internal_port: z.int(),
  external_port: z.int().optional(),
  publicly_accessible: z.boolean(),
  protocol: z.enum(["HTTP", "GRPC", "TCP", "UDP"]),
});
const application = z.looseObject({
  name: text,
  git_repository: repository,
  healthchecks: z.looseObject({}),
  build_mode: z.literal("DOCKER").optional(),
  cpu: z.int().optional(),
  memory: z.int().optional(),
  min_running_instances: z.int().optional(),
  max_running_instances: z.int().optional(),
  ports: z.array(port).optional(),
  storage: z.array(z.looseObject({ type: z.literal("FAST_SSD"), size: z.int(), mount_point: text })).optional(),
  entrypoint: text.optional(),
  arguments: z.array(text).optional(),
  auto_deploy: z.boolean().optional(),
  auto_preview: z.boolean().optional(),
});
const database = z.looseObject({
  name: text.optional(),
  version: text.optional(),
  accessibility: z.enum(["PRIVATE", "PUBLIC"]).optional(),
  cpu: z.int().optional(),
  memory: z.int().optional(),
  storage: z.int().optional(),
  instance_type: text.optional(),
  disk_type: z.enum(["gp2", "gp3"]).optional(),
});
const mode = z.enum(["DEVELOPMENT", "PRODUCTION", "STAGING"]).optional();
const webhook = z.looseObject({
  kind: z.enum(["STANDARD", "SLACK"]),
  target_url: text,
  events: z.array(
    z.enum(["DEPLOYMENT_STARTED", "DEPLOYMENT_CANCELLED", "DEPLOYMENT_FAILURE", "DEPLOYMENT_SUCCESSFUL"]),
  ),
  enabled: z.boolean().optional(),
  target_secret: text.optional(),
  description: text.optional(),
  project_names_filter: z.array(text).optional(),
  environment_types_filter: z.array(z.enum(["DEVELOPMENT", "PREVIEW", "PRODUCTION", "STAGING"])).optional(),
});
const variable = z.looseObject({ key: text, value: text });
const project = z.looseObject({ name: text, description: text.optional() });

/**
 * The required members and the values of enumerations by the public description of the whole API. Unknown members are
 * ignored there. A new port has no `id` in the text of the description, so none is required.
 */
const FULL: Partial<Record<OperationId, z.ZodType>> = {
  updateClusterPlatformBinding: z.looseObject({ templateKey: text, templateVersion: text }),
  importEnvironmentVariable: z.looseObject({
    overwrite: z.boolean(),
    vars: z.array(z.looseObject({ name: text, value: text, scope: text, is_secret: z.boolean() })),
  }),
  createBlueprint: z.looseObject({
    name: text,
    tag: text,
    icon: z.url(),
    variables: z.array(z.looseObject({ name: text, value: text, is_secret: z.boolean().optional() })).optional(),
  }),
  updateBlueprint: z.looseObject({
    name: text,
    tag: text,
    icon: z.url(),
    variables: z.record(text, z.looseObject({ value: text, is_secret: z.boolean().optional() }).nullable()).optional(),
    spec_overrides: z.record(text, z.unknown()).nullish(),
  }),
  deployApplication: z.looseObject({ git_commit_id: text }),
  createProject: project,
  updateProject: project,
  createEnvironment: z.looseObject({ name: text, cluster: id.optional(), mode }),
  updateEnvironment: z.looseObject({ name: text.optional(), mode }),
  createApplication: application,
  updateApplication: application,
  createApplicationVariable: variable,
  updateApplicationVariable: variable,
  createApplicationSecret: variable,
  updateApplicationSecret: variable,
  createDatabase: database.required({ name: true, version: true }).extend({
    type: z.enum(["MONGODB", "MYSQL", "POSTGRESQL", "REDIS"]),
    mode: z.enum(["CONTAINER", "MANAGED"]),
  }),
  updateDatabase: database,
  createWebhook: webhook,
  updateWebhook: webhook,
};

/** @throws Problem 400 that names each member which the description of the whole API requires or does not take. */
export function checkFullBody(operation: OperationId, body: unknown): void {
  const issues = FULL[operation]?.safeParse(body).error?.issues ?? [];
  const found = issues.map(({ path, message }) => ({ field: path.join("."), message: `is refused: ${message}` }));
  if (found.length > 0) throw new Problem(400, found);
}
