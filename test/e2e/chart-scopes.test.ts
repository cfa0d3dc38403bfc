/** The chart in the place of a manual installation, and for a list of namespaces where Pod Security is enforced. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { FOR_TESTS, errorsOf, openEnv } from "./env.ts";
import { CHART, Rendered } from "./helm.ts";
import { type Pod, podsOf } from "./pod.ts";

const root = join(import.meta.dirname, "../..");
const CRDS = join(root, "crds");
const RELEASE = "team";
const NAMESPACE = "team-operator";
const SELECTOR = `app.kubernetes.io/name=platform-operator,app.kubernetes.io/instance=${RELEASE}`;
const VALUES = {
  ...FOR_TESTS,
  replicas: 2,
  watchNamespaces: ["shop", "warehouse"],
  rbac: { configMapOutputs: ["shop"], secretOutputs: ["shop"], aggregateActions: false },
};

/** All namespaces, in a question about rights. */
const EVERYWHERE = "";

const env = await openEnv();
let pods: readonly Pod[] = [];
const operators: RunningOperator[] = [];

beforeAll(async () => {
  for (const namespace of ["shop", "warehouse", "elsewhere", NAMESPACE])
    await env.admin(["create", "namespace", namespace]);
  await env.admin(["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"]);
});

describe("a release in the place of a manual installation", () => {
  const release = ["platform-operator", "--namespace", "platform-operator", "--wait"];
  const install = (...args: readonly string[]): Promise<string> =>
    env.helm.run(["upgrade", "--install", ...release, CHART, ...args]);

  it.each([
    ["README's, for an operator outside of the cluster", ["-f", CRDS, "-f", join(root, "deploy/rbac")], []],
    ["deploy/", ["-k", join(root, "deploy")], ["--server-side"]],
  ])("adopts all objects of %s only with --take-ownership and --force-conflicts", async (_what, files, flags) => {
    await env.admin(["apply", ...flags, ...files]);
    // Of another version.
    const crd = await readFile(join(CRDS, "platformprojects.yaml"), "utf8");
    await env.admin(["apply", ...flags, "-f", "-"], crd.replaceAll(/maxLength: \d+/g, "maxLength: 7"));
    await expect(install()).rejects.toThrow(/invalid ownership metadata/);
    await expect(install("--take-ownership")).rejects.toThrow(/conflict/);
    expect(await install("--take-ownership", "--force-conflicts")).toContain("STATUS: deployed");
    const { items } = z
      .object({ items: z.array(Rendered) })
      .parse(JSON.parse(await env.admin(["get", ...files, "-o", "json"])));
    const others = items.filter(
      ({ metadata }) => metadata.annotations?.["meta.helm.sh/release-name"] !== "platform-operator",
    );
    // The chart has no namespace.
    expect(others.map(({ kind }) => kind)).toEqual(["Namespace"]);
    expect(JSON.stringify(items)).not.toMatch(/"maxLength":7\b/);
    await env.helm.run(["uninstall", ...release]);
    // kubectl repeats a list until the API server has initialized the storage of a changed CRD. Before that, the deletion
    // of the CRD can fail with "storage is (re)initializing", and is repeated only after the resync, five minutes later
    // (apiextensions-apiserver, pkg/controller/finalizer).
    const crds = items.filter(({ kind }) => kind === "CustomResourceDefinition").map(({ metadata }) => metadata.name);
    await env.admin(["get", crds.join(","), "-A"]);
    await env.admin(["delete", "--ignore-not-found", ...files]);
  });
});

describe("a release for some namespaces", () => {
  const install = (...args: readonly string[]): Promise<string> =>
    env.helm.run(["upgrade", "--install", RELEASE, CHART, "--namespace", NAMESPACE, "--wait", ...args], VALUES);

  it("starts all of its Pods under Pod Security restricted", async () => {
    expect(await install()).toContain("STATUS: deployed");
    const found = await comes(async () => {
      const all = await podsOf(env.cluster, NAMESPACE, SELECTOR);
      return all.length === VALUES.replicas ? all : undefined;
    }, 30_000);
    expect(found).toHaveLength(VALUES.replicas);
    pods = found ?? [];
  });

  it("reconciles in each of them without a refused request", async () => {
    for (const pod of pods) operators.push(await env.run(pod));
    await env.quickstart("shop");
    await env.at("warehouse").ready(...defaults(env), project("warehouse"));
    for (const pod of pods) expect(await env.refused(pod)).toEqual([]);
    expect(operators.flatMap(errorsOf)).toEqual([]);
  });

  it("[E14] does not see other namespaces", async () => {
    await env.at("elsewhere").apply(project("alone"));
    await env.reconciledAgain("shop");
    const { status } = await env.at("elsewhere").get("PlatformProject", "alone");
    expect(status).toEqual({ observedGeneration: -1 });
    const operator = `system:serviceaccount:${NAMESPACE}:${pods[0]?.spec.serviceAccountName}`;
    const writes = ["create secrets", "create configmaps", "patch configmaps"];
    const rights = ["get secrets", "list platformprojects", ...writes];
    expect(await rightsIn("elsewhere", operator, rights)).toEqual([]);
    expect(await rightsIn(EVERYWHERE, operator, rights)).toEqual([]);
    expect(await rightsIn("warehouse", operator, rights)).toEqual(["get secrets", "list platformprojects"]);
    expect(await rightsIn("shop", operator, rights)).toEqual(rights);
  });

  it("grants users rights by the roles of Kubernetes in the namespaces of their bindings", async () => {
    const reads = ["get platformapplications", "get platformclusters"];
    const changes = ["create", "patch", "deletecollection"].map((verb) => `${verb} platformapplications`);
    const others = ["patch platformapplications/status", "patch platformapplications/finalizers"];
    // Without rbac.aggregateActions.
    const actions = ["create platformclusters"];
    const rightsOf = (user: string, namespace = "shop"): Promise<readonly string[]> =>
      rightsIn(namespace, user, [...reads, ...changes, ...others, ...actions]);
    for (const role of ["view", "edit", "admin"]) {
      await env.admin(["create", "rolebinding", role, `--clusterrole=${role}`, `--user=${role}`, "-n", "shop"]);
      // The controller manager aggregates roles a moment later.
      expect(await comes(async () => (await rightsOf(role)).at(0), 30_000)).toBe(reads[0]);
    }
    expect(await rightsOf("view")).toEqual(reads);
    expect(await rightsOf("edit")).toEqual([...reads, ...changes]);
    expect(await rightsOf("admin")).toEqual([...reads, ...changes]);
    expect(await rightsOf("edit", "warehouse")).toEqual([]);
  });

  it("grants no rights to ClusterPlatformConnections by these roles, even with a ClusterRoleBinding", async () => {
    await env.admin(["create", "clusterrolebinding", "everywhere", "--clusterrole=admin", "--user=everywhere"]);
    const rights = ["get", "list", "create", "patch", "delete"].map((verb) => `${verb} clusterplatformconnections`);
    const wanted = ["patch platformapplications", ...rights];
    expect(await rightsIn(EVERYWHERE, "everywhere", wanted)).toEqual(["patch platformapplications"]);
  });

  it("removes CRDs and custom resources with crds.keep=false, and leaves the platform unchanged", async () => {
    const done = env.effects();
    const crds = ["get", "crd", "-l", `app.kubernetes.io/instance=${RELEASE}`, "-o", "name"];
    expect((await env.admin(crds)).trim().split("\n")).toHaveLength(12);
    await install("--set=crds.keep=false");
    await Promise.all(operators.map((operator) => operator.kill()));
    await env.helm.run(["uninstall", RELEASE, "--namespace", NAMESPACE, "--wait"]);
    expect(await env.admin(["get", "crd", "-o", "name"])).not.toContain("platform-operator.io");
    expect(env.effects()).toEqual(done);
  });
});

/** @returns which of the rights, e.g. "patch platformapplications/status", a user has in a namespace or everywhere */
async function rightsIn(namespace: string, user: string, rights: readonly string[]): Promise<readonly string[]> {
  const reviews = rights.map((right) => {
    const [verb, resource = "", subresource = ""] = right.split(/[ /]/);
    const group = ["secrets", "configmaps"].includes(resource) ? "" : "platform-operator.io";
    const spec = { user, resourceAttributes: { verb, group, resource, subresource, namespace } };
    return { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  });
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: reviews });
  const answers = (await env.admin(["create", "-f", "-", "-o", "jsonpath={.status.allowed} "], list)).split(" ");
  return rights.filter((_, index) => answers[index] === "true");
}
