/**
 * [E14] According to the API server, the operator's token has exactly the rights of src/operator/rbac.ts.
 * test/afterwards/rights.test.ts compares these with those that the whole suite used.
 */
import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { LEASE_NAME, OPERATOR } from "../../src/config/names.ts";
import type { ConnectedClient } from "../../src/kube/api/client.ts";
import type { KubeRequest } from "../../src/kube/api/transport.ts";
import { CONFIG_MAP_OUTPUTS, type Grant, GRANTS } from "../../src/operator/rbac.ts";
import { kubeconfigOf } from "../control-plane/access.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { grantRights, withdrawRights } from "../support/env/rights.ts";

const texts = z.array(z.string());
const Rule = z.object({ verbs: texts, apiGroups: texts, resources: texts, resourceNames: texts.default([]) });
const Rules = z.object({ status: z.object({ incomplete: z.boolean(), resourceRules: z.array(Rule) }) });

describe("[E14] the operator's token", () => {
  const controlPlane = inject("controlPlane");
  const namespace = `rights-${randomUUID().slice(0, 8)}`;
  const admin = clientAt(controlPlane.kubeconfigPath, "rights");
  let operator: ConnectedClient;

  beforeAll(async () => {
    await createNamespace(admin, namespace);
    const kubeconfig = await kubeconfigOf(controlPlane, namespace, await grantRights(admin, namespace));
    operator = clientAt(kubeconfig, "rights");
  });

  afterAll(async () => {
    await withdrawRights(admin, namespace);
    await Promise.all([admin.close(), operator.close()]);
  });

  const rulesIn = async (reviewed: string): Promise<readonly string[]> => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    const kind = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview" };
    const review = { ...kind, spec: { namespace: reviewed } };
    const { status } = Rules.parse(await operator.request({ method: "POST", path, body: review }));
    expect(status.incomplete).toBe(false);
    const rights = status.resourceRules.flatMap(({ verbs, apiGroups, resources, resourceNames }) =>
      apiGroups.flatMap((group) => resources.flatMap((of) => verbs.map((verb) => [verb, group, of, ...resourceNames]))),
    );
    // Kubernetes lets everybody review their own identity and rights.
    return rights
      .filter(([, group = ""]) => !/^auth(entication|orization)\.k8s\.io$/.test(group))
      .map(String)
      .toSorted();
  };
  const granted = (...where: readonly Grant["where"][]): readonly string[] =>
    [...GRANTS, { ...CONFIG_MAP_OUTPUTS, where: "everywhere" as const }]
      .filter((grant) => where.includes(grant.where))
      .flatMap(({ group, resources, verbs, names = [] }) =>
        resources.flatMap((of) => verbs.map((verb) => String([verb, group, of, ...names]))),
      )
      .toSorted();

  it("has exactly the declared rights, in its own namespace and in others, and no wildcard", async () => {
    expect(await rulesIn(namespace)).toEqual(granted("everywhere", "cluster", "operator's namespace"));
    expect(await rulesIn("default")).toEqual(granted("everywhere", "cluster"));
    expect((await rulesIn(namespace)).filter((right) => right.includes("*"))).toEqual([]);
  });

  const here = `/api/v1/namespaces/${namespace}`;
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const ours = "/apis/platform-operator.io/v1alpha1";
  const body = { metadata: { name: "x" } };
  const refused: readonly (readonly [string, KubeRequest])[] = [
    ["list the Secrets of a namespace", { method: "GET", path: `${here}/secrets` }],
    ["list all Secrets", { method: "GET", path: "/api/v1/secrets" }],
    ["watch Secrets", { method: "GET", path: `${here}/secrets`, query: { watch: "true" } }],
    ["create a Secret", { method: "POST", path: `${here}/secrets`, body }],
    ["patch a Secret", { method: "PATCH", path: `${here}/secrets/x`, body: {} }],
    ["delete a Secret", { method: "DELETE", path: `${here}/secrets/x` }],
    ["list pods", { method: "GET", path: `${here}/pods` }],
    ["create a pod", { method: "POST", path: `${here}/pods`, body }],
    ["run a command in a pod", { method: "POST", path: `${here}/pods/x/exec` }],
    ["get a token for itself", { method: "POST", path: `${here}/serviceaccounts/${OPERATOR}/token`, body: {} }],
    ["list nodes", { method: "GET", path: "/api/v1/nodes" }],
    ["list namespaces", { method: "GET", path: "/api/v1/namespaces" }],
    ["list Deployments", { method: "GET", path: `/apis/apps/v1/namespaces/${namespace}/deployments` }],
    ["read CRDs", { method: "GET", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" }],
    ["read roles", { method: "GET", path: `${rbac}/clusterroles` }],
    ["bind a role", { method: "POST", path: `${rbac}/clusterrolebindings`, body }],
    ["create a custom resource", { method: "POST", path: `${ours}/namespaces/${namespace}/platformprojects`, body }],
    ["delete a custom resource", { method: "DELETE", path: `${ours}/namespaces/${namespace}/platformprojects/x` }],
    ["read another lease", { method: "GET", path: `${leases}/x` }],
    ["delete its lease", { method: "DELETE", path: `${leases}/${LEASE_NAME}` }],
    ["read a lease of another namespace", { method: "GET", path: leases.replace(namespace, "default") }],
  ];

  it.each(refused)("may not %s", async (_what, request) => {
    await expect(operator.request(request)).rejects.toMatchObject({ failure: "Forbidden", status: 403 });
  });
});
