import { API_VERSION } from "../../../src/api/names.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";

export type Fixtures = { readonly platform: Pick<Env["platform"], "url" | "organizationId" | "tokens" | "clusterIds"> };

/** Two commits with different beginnings. */
export const COMMIT = "0123456789abcdef0123456789abcdef01234567";
export const NEXT_COMMIT = "89abcdef0123456789abcdef0123456789abcdef";

/** A Secret. Apply it again with another value to rotate it. */
export function secret(name: string, values: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { ...values } };
}

export function configMap(name: string, data: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { ...data } };
}

/** A connection to the environment's platform, with the token in the Secret of the same name, and a high rate limit. */
export function connection(env: Fixtures, name: string, spec: JsonObject = {}): Manifest {
  return resource("PlatformConnection", name, {
    baseUrl: env.platform.url,
    organizationId: env.platform.organizationId,
    auth: { tokenSecretRef: { name } },
    rateLimit: { requestsPerSecond: 1_000, burst: 1_000 },
    ...spec,
  });
}

export function defaults(env: Fixtures, spec: JsonObject = {}): readonly Manifest[] {
  return [secret("default", { token: env.platform.tokens.admin }), connection(env, "default", spec)];
}

/** A ClusterPlatformConnection named after the namespace, and its Secret, which is in the operator's namespace. */
export function shared(env: Env, secretName: string, allowedNamespaces: JsonObject): readonly Manifest[] {
  const metadata = { name: secretName, namespace: env.operatorNamespace };
  const spec = { allowedNamespaces, auth: { tokenSecretRef: { name: secretName } } };
  return [
    { ...secret(secretName, { token: env.platform.tokens.admin }), metadata },
    { ...connection(env, env.namespace, spec), kind: "ClusterPlatformConnection" },
  ];
}

/** This and the following have the same name on the platform as in the cluster, and only required members. */
export function project(name: string, spec: JsonObject = {}): Manifest {
  return resource("PlatformProject", name, { name, ...spec });
}

export function environment(env: Fixtures, name: string, parent: string, spec: JsonObject = {}): Manifest {
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  return resource("PlatformEnvironment", name, { name, projectRef: { name: parent }, clusterRef, ...spec });
}

export function application(name: string, parent: string, spec: JsonObject = {}): Manifest {
  return resource("PlatformApplication", name, {
    name,
    environmentRef: { name: parent },
    gitRepository: { url: "https://github.com/acme/web.git", branch: "main" },
    buildMode: "DOCKER",
    deploy: { gitCommitId: COMMIT },
    ...spec,
  });
}

/** A blueprint from the simulated catalog's Helm blueprint, deployed by default. */
export function blueprint(name: string, parent: string, spec: JsonObject = {}): Manifest {
  return resource("PlatformBlueprint", name, {
    name,
    environmentRef: { name: parent },
    tag: "redis/3.0.0",
    icon: "https://icons.example.com/redis.svg",
    deployOnCreate: true,
    ...spec,
  });
}

export function database(name: string, parent: string, spec: JsonObject = {}): Manifest {
  return resource("PlatformDatabase", name, {
    name,
    environmentRef: { name: parent },
    type: "POSTGRESQL",
    mode: "CONTAINER",
    version: "16",
    ...spec,
  });
}

/** A project, its environment and its application, all of one name; `lifecycle` and further members go into each. */
export function tree(env: Fixtures, name: string, spec: JsonObject = {}): readonly Manifest[] {
  return [project(name, spec), environment(env, name, name, spec), application(name, name, spec)];
}

/** A merge patch that makes an application deploy another commit. */
export const deploying = (gitCommitId: string): JsonObject => ({ spec: { deploy: { gitCommitId } } });

export function resource(kind: string, name: string, spec: JsonObject): Manifest {
  return { apiVersion: API_VERSION, kind, metadata: { name }, spec };
}
