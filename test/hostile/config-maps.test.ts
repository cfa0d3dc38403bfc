/**
 * [E14] Whoever has the operator's token writes no ConfigMap of others: not those that hold the rights and settings of
 * the cluster, and none of a tenant. The catalogs and the orphan ledger are written as before.
 */
import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { API_VERSION } from "../../src/api/names.ts";
import { OPERATOR, ORPHANS } from "../../src/config/names.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import { KubeError } from "../../src/kube/api/errors.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { CONFIG_MAP_OUTPUTS } from "../../src/operator/rbac.ts";
import { kubeconfigOf, kubectl } from "../control-plane/access.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { grantRights, withdrawRights } from "../support/env/rights.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

const OURS = { apiVersion: API_VERSION, kind: "PlatformCatalog", name: "catalog", uid: randomUUID(), controller: true };
const THEIRS = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: randomUUID() };
/** Another group whose name begins like ours. */
const ALIKE = { ...OURS, apiVersion: "platform-operator.io.example.com/v1" };

describe("[E14] a ConfigMap, under the admission policy for the operator's token,", () => {
  const controlPlane = inject("controlPlane");
  const id = randomUUID().slice(0, 8);
  const own = `maps-${id}`;
  const tenant = `tenant-${id}`;
  const admin = clientAt(controlPlane.kubeconfigPath, "maps");
  let operator: ConnectedClient;

  const configMap = (name: string, owners: readonly JsonObject[]): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ownerReferences: owners },
    data: { mapRoles: "theirs" },
  });
  const collection = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

  /** @returns "done", or the status and the sentence of the refusal */
  const outcome = async (request: Promise<unknown>): Promise<string> => {
    try {
      await request;
      return "done";
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      return `${String(error.status)} ${error.refusedBy() ?? "the roles"}`;
    }
  };
  const creating = (namespace: string, name: string, owners: readonly JsonObject[] = []): Promise<string> => {
    const query = { dryRun: "All" };
    const body = configMap(name, owners);
    return outcome(operator.request({ method: "POST", path: collection(namespace), query, body }));
  };
  const patching = (namespace: string, name: string, body: JsonObject): Promise<string> =>
    outcome(
      operator.request({ method: "PATCH", path: `${collection(namespace)}/${name}`, query: { dryRun: "All" }, body }),
    );
  const exists = async (namespace: string, name: string, owners: readonly JsonObject[] = []): Promise<void> => {
    await admin.request({ method: "POST", path: collection(namespace), body: configMap(name, owners) });
  };

  beforeAll(async () => {
    for (const name of [own, tenant]) await createNamespace(admin, name);
    const kubeconfig = await kubeconfigOf(controlPlane, own, await grantRights(admin, own));
    operator = clientAt(kubeconfig, "maps");
    await exists("kube-system", `aws-auth-${id}`);
    await exists(tenant, "settings");
    await exists(tenant, "of-a-deployment", [THEIRS]);
    await exists(tenant, "of-another-group", [ALIKE]);
    await exists(tenant, "catalog", [OURS]);
    await exists(own, `${ORPHANS}-0`);
    await exists(own, "settings");
    // Until the policy is in force.
    await vi.waitUntil(async () => (await creating("kube-system", "probe")) !== "done", 30_000);
  });

  afterAll(async () => {
    await kubectl(controlPlane, ["delete", "configmap", "-n", "kube-system", `aws-auth-${id}`]);
    await withdrawRights(admin, own);
    await Promise.all([admin.close(), operator.close()]);
  });

  const POLICY = `ValidatingAdmissionPolicy ${own}-configmaps`;
  const data = { data: { mapRoles: "ours" } };

  it.each<[string, () => Promise<string>]>([
    ["of the rights in kube-system cannot be changed", () => patching("kube-system", `aws-auth-${id}`, data)],
    ["of a tenant cannot be changed", () => patching(tenant, "settings", data)],
    ["that another object owns cannot be changed", () => patching(tenant, "of-a-deployment", data)],
    [
      "whose owner is of a group with a similar name cannot be changed",
      () => patching(tenant, "of-another-group", data),
    ],
    [
      "of a tenant cannot be given an owner of our group",
      () => patching(tenant, "settings", { metadata: { ownerReferences: [OURS] }, ...data }),
    ],
    [
      "of a resource cannot be given another owner",
      () => patching(tenant, "catalog", { metadata: { ownerReferences: [THEIRS] } }),
    ],
    ["in the operator's namespace cannot be changed", () => patching(own, "settings", data)],
  ])("%s (422)", async (_what, request) => {
    expect(await request()).toBe(`422 ${POLICY}`);
  });

  it.each<[string, () => Promise<string>]>([
    ["cannot be created in kube-system, whatever its owner is", () => creating("kube-system", "x", [OURS])],
    ["cannot be created in kube-public", () => creating("kube-public", "x", [OURS])],
    ["cannot be created without an owner", () => creating(tenant, "x")],
    ["cannot be created for an owner of another group", () => creating(tenant, "x", [THEIRS])],
    ["with the name of the orphan ledger cannot be created elsewhere", () => creating(tenant, `${ORPHANS}-0`)],
    ["with another name cannot be created in the operator's namespace", () => creating(own, "x")],
  ])("%s (403)", async (_what, request) => {
    expect(await request()).toBe(`403 ${POLICY}`);
  });

  it.each<[string, () => Promise<string>]>([
    ["can be created for a resource", () => creating(tenant, "x", [OURS])],
    ["of a resource can be changed", () => patching(tenant, "catalog", data)],
    ["of the orphan ledger can be created", () => creating(own, `${ORPHANS}-1`)],
    ["of the orphan ledger can be changed", () => patching(own, `${ORPHANS}-0`, data)],
  ])("%s", async (_what, request) => {
    expect(await request()).toBe("done");
  });
});

describe("[E14] a PlatformCatalog whose ConfigMap the operator may not write", () => {
  const env = createEnv({ surface: "documented", mayRefuse: ["configmaps"] });
  const everywhere = (): string => CONFIG_MAP_OUTPUTS.role.replace(OPERATOR, env.operatorNamespace);

  it("names the policy that refuses the write, and is Ready once the policy is deleted", async () => {
    const metadata = { name: `${env.namespace}-no-maps` };
    const api = "admissionregistration.k8s.io/v1";
    const isHere = `request.namespace == '${env.namespace}' && request.userInfo.username.endsWith('${OPERATOR}')`;
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
    const policy = {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: "here", expression: isHere }],
      validations: [{ expression: "false", message: "no ConfigMaps today" }],
    };
    const items = [
      { apiVersion: api, kind: "ValidatingAdmissionPolicy", metadata, spec: policy },
      {
        apiVersion: api,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata,
        spec: { policyName: metadata.name, validationActions: ["Deny"] },
      },
    ];
    await env.kubectl(["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
    // With an owner, so that the operator's own policy allows it: of two refusals the API server returns either.
    const owned = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", ownerReferences: [OURS] } };
    const creating = () =>
      env.kubectl(["create", "-f", "-", "--dry-run=server", `--as=${userOf(env)}`], { input: JSON.stringify(owned) });
    await vi.waitUntil(
      () =>
        creating().then(
          () => false,
          (error: unknown) => String(error).includes("no ConfigMaps today"),
        ),
      30_000,
    );
    await env.apply(...defaults(env), resource("PlatformCatalog", "catalog", { include: ["CloudProviders"] }));
    const says = `ValidatingAdmissionPolicy ${metadata.name} does not let the operator write ConfigMap "`;
    const { status } = await env.stalled("PlatformCatalog", "catalog", "PermissionDenied", says);
    expect(JSON.stringify(status)).not.toContain("no ConfigMaps today");
    await env.kubectl(["delete", "validatingadmissionpolicybinding,validatingadmissionpolicy", metadata.name]);
    await env.waitFor("PlatformCatalog", "catalog", { status: "True" });
  });

  it("names the role that is missing, and is Ready once the role is bound in the namespace", async () => {
    const unbound = ["patch", "clusterrolebinding", everywhere(), "--type=merge", "-p", '{"subjects":[]}'];
    await env.kubectl(unbound);
    await env.apply(resource("PlatformCatalog", "another", { include: ["CloudProviders"] }));
    const says = /ClusterRole platform-operator-configmap-outputs .* rbac\.configMapOutputs/;
    await env.stalled("PlatformCatalog", "another", "PermissionDenied", says);
    const account = `--serviceaccount=${env.operatorNamespace}:${OPERATOR}`;
    await env.kubectl(["create", "rolebinding", everywhere(), `--clusterrole=${everywhere()}`, account]);
    const { status } = await env.waitFor("PlatformCatalog", "another", { status: "True" });
    expect(status).toMatchObject({ configMap: "another-catalog" });
  });
});

/** @returns the user that the operator of an environment is */
function userOf({ operatorNamespace }: Env): string {
  return `system:serviceaccount:${operatorNamespace}:${OPERATOR}`;
}
