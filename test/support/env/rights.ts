/** Applies deploy/rbac for the operator of one environment. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parseAllDocuments } from "yaml";

import { OPERATOR } from "../../../src/config/names.ts";
import { member, stringMember } from "../../../src/kube/api/json.ts";
import type { KubeClient } from "../../../src/kube/api/transport.ts";
import type { Json, JsonObject } from "../../../src/kube/api/types.ts";
import { GRANTS, type Grant, SECRET_OUTPUTS } from "../../../src/operator/rbac.ts";
import type { Env } from "./env.ts";

const RBAC = join(import.meta.dirname, "../../../deploy/rbac");

/** A manifest of deploy/rbac. */
type Right = JsonObject & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string };
  readonly rules?: readonly JsonObject[];
  readonly roleRef?: JsonObject & { readonly kind: string; name: string };
  readonly subjects?: readonly (JsonObject & { namespace: string })[];
};

/** The lifetime of its token: longer than any run. */
const DAY_SECONDS = 24 * 3_600;

/**
 * Creates the objects of deploy/rbac/operator.yaml in another namespace; cluster-scoped ones are named after it.
 * @param limitedTo the namespaces in which it gets a Role, as the chart's value watchNamespaces does; all by default
 * @returns a token of the ServiceAccount (Kubernetes: "TokenRequest")
 */
export async function grantRights(
  client: KubeClient,
  namespace: string,
  limitedTo?: readonly string[],
): Promise<string> {
  const rights = rightsIn(namespace).map((right) =>
    limitedTo !== undefined && right.kind === "ClusterRole" && right.metadata.name === namespace
      ? { ...right, rules: rulesOf("cluster") }
      : right,
  );
  await create(client, rights);
  for (const to of limitedTo ?? []) await grantIn(client, namespace, to);
  const answer = await client.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${OPERATOR}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: DAY_SECONDS } },
  });
  return stringMember(member(answer, "status"), "token") ?? "";
}

/** Creates the Role of a watched namespace and binds it to the operator of `namespace`, as the chart does. */
export async function grantIn(client: KubeClient, namespace: string, to: string): Promise<void> {
  const metadata = { name: namespace, namespace: to };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  await create(client, [
    { apiVersion, kind: "Role", metadata, rules: rulesOf("everywhere") },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: namespace },
      subjects: [{ kind: "ServiceAccount", name: OPERATOR, namespace }],
    },
  ]);
}

/** Removes what `grantIn` created. */
export async function withdrawIn(client: KubeClient, namespace: string, from: string): Promise<void> {
  for (const plural of ["rolebindings", "roles"]) {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${from}/${plural}/${namespace}`;
    await client.request({ method: "DELETE", path });
  }
}

async function create(client: KubeClient, rights: readonly Right[]): Promise<void> {
  await Promise.all(rights.map((right) => client.request({ method: "POST", path: collectionOf(right), body: right })));
}

function rulesOf(where: Grant["where"]): readonly JsonObject[] {
  return GRANTS.filter((grant) => grant.where === where).map(({ group, resources, verbs, names }) => ({
    apiGroups: [group],
    resources: [...resources],
    verbs: [...verbs],
    ...(names !== undefined && { resourceNames: [...names] }),
  }));
}

/** Binds deploy/rbac/secret-outputs.yaml in the namespace, as in docs/reference/permissions.md. */
export async function grantSecretOutputs(env: Env): Promise<void> {
  await env.kubectl(["apply", "-f", join(RBAC, "secret-outputs.yaml")]);
  const account = `${env.operatorNamespace}:${OPERATOR}`;
  const { role } = SECRET_OUTPUTS;
  await env.kubectl(["create", "rolebinding", role, `--clusterrole=${role}`, `--serviceaccount=${account}`]);
}

/** Removes the cluster-scoped objects; the others are in a namespace that nothing else uses. */
export async function withdrawRights(client: KubeClient, namespace: string): Promise<void> {
  const shared = rightsIn(namespace).filter(({ metadata }) => metadata.namespace === undefined);
  await Promise.all(
    shared.map((right) => client.request({ method: "DELETE", path: `${collectionOf(right)}/${right.metadata.name}` })),
  );
}

function rightsIn(namespace: string): readonly Right[] {
  const text = readFileSync(join(RBAC, "operator.yaml"), "utf8");
  return parseAllDocuments(text).map((document) => {
    const { spec, ...right } = document.toJS() as Right;
    const { metadata, roleRef, subjects } = right;
    if (metadata.namespace === undefined) metadata.name = renamed(metadata.name, namespace);
    else metadata.namespace = namespace;
    if (roleRef?.kind === "ClusterRole") roleRef.name = renamed(roleRef.name, namespace);
    for (const subject of subjects ?? []) subject.namespace = namespace;
    return spec === undefined ? right : { ...right, spec: placed(spec, namespace) };
  });
}

/** The names of cluster-scoped objects begin with that of the operator. */
function renamed(name: string, namespace: string): string {
  return name.replace(OPERATOR, namespace);
}

/** Returns the spec of an admission policy, or of its binding, for the operator of the namespace. */
function placed(spec: Json, namespace: string): Json {
  return JSON.parse(JSON.stringify(spec), (name, value: unknown) => {
    if (typeof value !== "string") return value;
    if (name === "policyName") return renamed(value, namespace);
    return value
      .replaceAll(`system:serviceaccount:${OPERATOR}:`, `system:serviceaccount:${namespace}:`)
      .replaceAll(`request.namespace == '${OPERATOR}'`, `request.namespace == '${namespace}'`);
  }) as Json;
}

function collectionOf({ apiVersion, kind, metadata: { namespace } }: Right): string {
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, "ies");
  return `${group}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${plural}`;
}
