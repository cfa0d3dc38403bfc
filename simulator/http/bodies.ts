/** The documented bodies, for a platform that refuses every other member. */
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
