/**
 * Output Secrets and ConfigMaps that a real quota and a real admission policy refuse, or whose content cannot be read. A
 * missing right: clusters.test.ts.
 */
import { beforeAll, describe, expect, it } from "vitest";

import type { JsonObject, KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { defaults, resource } from "../support/kube/manifests.ts";

const env = createEnv({ surface: "full", mayRefuse: ["secrets", "configmaps"] });

beforeAll(async () => {
  await grantSecretOutputs(env);
  await env.apply(...defaults(env, { surface: "Full" }));
});

const OUTPUTS: readonly (readonly [
  what: "Secret" | "ConfigMap",
  kind: string,
  manifest: (name: string) => Manifest,
])[] = [
  [
    "Secret",
    "PlatformCluster",
    (name) =>
      resource("PlatformCluster", name, {
        externalId: env.platform.clusterIds[1] ?? "",
        writeTokenSecretToRef: { name },
      }),
  ],
  ["ConfigMap", "PlatformCatalog", (name) => resource("PlatformCatalog", name, { include: ["Templates"] })],
];
const outputOf = (kind: string, name: string): string => (kind === "PlatformCatalog" ? `${name}-catalog` : name);

const apply = async (object: JsonObject): Promise<void> => {
  await env.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) });
};

describe.each(OUTPUTS)("a %s of a %s", (what, kind, manifest) => {
  const plural = `${what.toLowerCase()}s`;

  it("that a ResourceQuota refuses is told with the name of the quota, and written once there is room", async () => {
    const name = "over";
    const quota = `no-more-${plural}`;
    const hard = { [`count/${plural}`]: "0" };
    await apply({ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: quota }, spec: { hard } });
    // The controller of quotas does not run here.
    const status = JSON.stringify({ status: { hard, used: hard } });
    await env.kubectl(["patch", "resourcequota", quota, "--subresource=status", "--type=merge", "-p", status]);
    await env.apply(manifest(name));
    const found = await env.stalled(kind, name, "PermissionDenied");
    expect(condition(found, "Ready")?.message).toBe(
      `ResourceQuota ${quota} does not let the operator write ${what} "${outputOf(kind, name)}" in this namespace. It tries again.`,
    );
    await env.kubectl(["delete", "resourcequota", quota]);
    await env.waitFor(kind, name, { status: "True" });
    await env.delete(manifest(name));
  });

  it("that a ValidatingAdmissionPolicy refuses is told with the name of the policy, and written once it allows", async () => {
    const name = "against";
    const policy = `no-${plural}-${env.namespace}`;
    const admission = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name: policy } };
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: [plural] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: [{ name: "here", expression: `request.namespace == '${env.namespace}'` }],
      validations: [{ expression: "false", message: "s3cret words" }],
    };
    await apply({ ...admission, kind: "ValidatingAdmissionPolicy", spec });
    await apply({
      ...admission,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: policy, validationActions: ["Deny"] },
    });
    const trial = [
      "create",
      ...(what === "Secret" ? ["secret", "generic"] : ["configmap"]),
      "trial",
      "--dry-run=server",
    ];
    // Until the policy is in force.
    await expect.poll(() => env.kubectl(trial).catch(String), { timeout: 30_000 }).toContain(policy);
    await env.apply(manifest(name));
    const found = await env.stalled(kind, name, "PermissionDenied");
    expect(condition(found, "Ready")?.message).toBe(
      `ValidatingAdmissionPolicy ${policy} does not let the operator write ${what} "${outputOf(kind, name)}" in this namespace. It tries again.`,
    );
    await env.kubectl(["delete", "validatingadmissionpolicybinding", policy]);
    await env.kubectl(["delete", "validatingadmissionpolicy", policy]);
    await env.waitFor(kind, name, { status: "True" });
    await env.delete(manifest(name));
  });
});

it("the ConfigMap of a catalog keeps a section that a new process cannot read, and the others go on", async () => {
  const catalog = resource("PlatformCatalog", "kept", { include: ["Templates", "DatabaseTypes"] });
  const dataOf = async (): Promise<unknown> => {
    const text = await env.kubectl(["get", "configmap", "kept-catalog", "-o", "json"]);
    return (JSON.parse(text) as JsonObject)["data"];
  };
  await env.ready(catalog);
  const before = await dataOf();
  expect(before).toMatchObject({ "templates.json": expect.stringContaining("kubernetes-essentials") as string });
  const answer = { is: "status", status: 500 } as const;
  env.platform.sim.faults.add({ match: { operation: "listPlatformTemplates" }, answer, count: null });
  await env.restart();
  const isTold = (object: KubeObject): boolean =>
    condition(object, "Ready")?.message.includes("Templates was not read, and keeps what is there") === true;
  await env.annotate("PlatformCatalog", "kept", { "platform-operator.io/reconcile-requested-at": "1" });
  const kept = await env.waitFor("PlatformCatalog", "kept", isTold);
  expect(condition(kept, "Ready")).toMatchObject({ status: "True" });
  expect(await dataOf()).toEqual(before);
});
