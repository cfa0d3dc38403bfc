/** The chart in the place of a manual installation, and for a list of namespaces where Pod Security is enforced. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { LEASE_NAME } from "../../src/operator/config/names.ts";
import { kubectl } from "../control-plane/access.ts";
import { comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { type Env, FOR_TESTS, errorsOf, openEnv } from "./env.ts";
import { CHART, manifestsIn, Rendered } from "./helm.ts";
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
  rbac: { secretOutputs: ["shop"], aggregateActions: false },
};

let env: Env;
let pods: readonly Pod[] = [];
const operators: RunningOperator[] = [];

const admin = (args: readonly string[], input?: string): Promise<string> =>
  kubectl(env.cluster, args, input === undefined ? {} : { input });

beforeAll(async () => {
  env = await openEnv();
  for (const namespace of ["shop", "warehouse", "elsewhere", NAMESPACE])
    await admin(["create", "namespace", namespace]);
  await admin(["label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted"]);
});

afterAll(() => env?.close());

describe("a release in the place of a manual installation", () => {
  const release = ["platform-operator", "--namespace", "platform-operator", "--wait"];
  const install = (...args: readonly string[]): Promise<string> =>
    env.helm.run(["upgrade", "--install", ...release, CHART, ...args]);

  it.each([
    ["README's, for an operator outside of the cluster", ["-f", CRDS, "-f", join(root, "deploy/rbac")], []],
    ["deploy/", ["-k", join(root, "deploy")], ["--server-side"]],
  ])("adopts all objects of %s only with --take-ownership and --force-conflicts", async (_what, files, flags) => {
    await admin(["apply", ...flags, ...files]);
    await expect(install()).rejects.toThrow(/invalid ownership metadata/);
    await expect(install("--take-ownership")).rejects.toThrow(/conflict/);
    expect(await install("--take-ownership", "--force-conflicts")).toContain("STATUS: deployed");
    const { items } = z
      .object({ items: z.array(Rendered) })
      .parse(JSON.parse(await admin(["get", ...files, "-o", "json"])));
    const others = items.filter(
      ({ metadata }) => metadata.annotations?.["meta.helm.sh/release-name"] !== "platform-operator",
    );
    // The chart has no namespace.
    expect(others.map(({ kind }) => kind)).toEqual(["Namespace"]);
    await env.helm.run(["uninstall", ...release]);
    await admin(["delete", "--ignore-not-found", ...files]);
  });
});

describe("a release for some namespaces", () => {
  const install = (...args: readonly string[]): Promise<string> =>
    env.helm.run(["upgrade", "--install", RELEASE, CHART, "--namespace", NAMESPACE, "--wait", ...args], VALUES);

  it("adopts CRDs of another version only with --force-conflicts", async () => {
    await admin(["apply", "--server-side", "-f", CRDS]);
    const crd = await readFile(join(CRDS, "platformprojects.yaml"), "utf8");
    const other = crd.replaceAll(/maxLength: \d+/g, "maxLength: 7");
    await admin(["apply", "--server-side", "-f", "-"], other);
    await expect(install("--take-ownership")).rejects.toThrow(/conflict/);
    expect(await install("--take-ownership", "--force-conflicts")).toContain("STATUS: deployed");
    expect(await admin(["get", "crd", "platformprojects.platform-operator.io", "-o", "yaml"])).not.toContain(
      "maxLength: 7\n",
    );
  });

  it("starts all of its Pods under Pod Security restricted", async () => {
    const found = await comes(async () => {
      const all = await podsOf(env.cluster, NAMESPACE, SELECTOR);
      return all.length === VALUES.replicas ? all : undefined;
    }, 30_000);
    expect(found).toHaveLength(VALUES.replicas);
    pods = found ?? [];
    const hooks = manifestsIn(await env.helm.run(["get", "hooks", RELEASE, "--namespace", NAMESPACE]));
    const test = hooks.filter(({ kind }) => kind === "Pod");
    expect(test).toHaveLength(1);
    expect(await admin(["apply", "--dry-run=server", "-f", "-"], JSON.stringify(test[0]))).toContain("created");
    const bad = { ...test[0], spec: { containers: [{ name: "bad", image: "bad" }] } };
    await expect(admin(["apply", "--dry-run=server", "-f", "-"], JSON.stringify(bad))).rejects.toThrow(/PodSecurity/);
  });

  it("reconciles in each of them without a refused request", async () => {
    for (const pod of pods) operators.push(await env.run(pod));
    await env.quickstart("shop");
    await env.project("warehouse");
    for (const pod of pods) expect(await env.refused(pod)).toEqual([]);
  });

  it("does not see other namespaces", async () => {
    const project = {
      apiVersion: "platform-operator.io/v1alpha1",
      kind: "PlatformProject",
      metadata: { name: "alone" },
    };
    await env.at("elsewhere").apply({ ...project, spec: { name: "alone" } });
    await env.reconciledAgain("shop");
    const { status } = await env.at("elsewhere").get("PlatformProject", "alone");
    expect(status).toEqual({ observedGeneration: -1 });
    const operator = `system:serviceaccount:${NAMESPACE}:${pods[0]?.spec.serviceAccountName}`;
    expect(await can(operator, "get", "secrets", "-n", "elsewhere")).toBe("no");
    expect(await can(operator, "list", "platformprojects.platform-operator.io", "-A")).toBe("no");
    expect(await can(operator, "get", "secrets", "-n", "warehouse")).toBe("yes");
    expect(await can(operator, "create", "secrets", "-n", "shop")).toBe("yes");
    expect(await can(operator, "create", "secrets", "-n", "warehouse")).toBe("no");
  });

  it("grants users rights by the roles of Kubernetes in the namespaces of their bindings", async () => {
    for (const role of ["view", "edit", "admin"]) {
      await admin(["create", "rolebinding", role, `--clusterrole=${role}`, `--user=${role}`, "-n", "shop"]);
      // The controller manager aggregates roles a moment later.
      expect(await comes(async () => ((await mayIn("shop", role))["get"] === "yes" ? true : undefined), 30_000)).toBe(
        true,
      );
    }
    const nothing = { get: "no", create: "no", patch: "no", deletecollection: "no", status: "no", finalizers: "no" };
    const changes = { get: "yes", create: "yes", patch: "yes", deletecollection: "yes" };
    expect(await mayIn("shop", "view")).toEqual({ ...nothing, get: "yes" });
    expect(await mayIn("shop", "edit")).toEqual({ ...nothing, ...changes });
    expect(await mayIn("shop", "admin")).toEqual({ ...nothing, ...changes });
    expect(await mayIn("warehouse", "edit")).toEqual(nothing);
    for (const resource of ["platformclusters", "platformoperations"]) {
      const of = `${resource}.platform-operator.io`;
      expect([await can("edit", "get", of, "-n", "shop"), await can("edit", "create", of, "-n", "shop")]).toEqual([
        "yes",
        "no",
      ]);
    }
  });

  it("grants no rights to ClusterPlatformConnections by these roles, even with a ClusterRoleBinding", async () => {
    await admin(["create", "clusterrolebinding", "everywhere", "--clusterrole=admin", "--user=everywhere"]);
    expect((await mayIn("warehouse", "everywhere"))["patch"]).toBe("yes");
    for (const verb of ["get", "list", "create", "patch", "delete"])
      expect(await can("everywhere", verb, "clusterplatformconnections.platform-operator.io"), verb).toBe("no");
  });

  it("continues with another replica when the leader dies", async () => {
    const holder = await admin(["get", "lease", LEASE_NAME, "-n", NAMESPACE, "-o", "jsonpath={.spec.holderIdentity}"]);
    const leader = pods.findIndex(({ metadata }) => holder.startsWith(`${metadata.name}_`));
    expect(leader).toBeGreaterThanOrEqual(0);
    const done = env.effects();
    await operators[leader]?.kill();
    await env.reconciledAgain("shop");
    expect(env.effects()).toEqual(done);
    expect(operators.flatMap(errorsOf)).toEqual([]);
  });

  it("removes CRDs and custom resources with crds.keep=false, and leaves the platform unchanged", async () => {
    const done = env.effects();
    const crds = ["get", "crd", "-l", `app.kubernetes.io/instance=${RELEASE}`, "-o", "name"];
    expect((await admin(crds)).trim().split("\n")).toHaveLength(13);
    await install("--set=crds.keep=false");
    await Promise.all(operators.map((operator) => operator.kill()));
    await env.helm.run(["uninstall", RELEASE, "--namespace", NAMESPACE, "--wait"]);
    expect(await admin(["get", "crd", "-o", "name"])).not.toContain("platform-operator.io");
    expect(env.effects()).toEqual(done);
  });
});

/** @returns a user's rights to applications of a namespace, by verb or subresource */
async function mayIn(namespace: string, user: string): Promise<Readonly<Record<string, string>>> {
  const applications = "platformapplications.platform-operator.io";
  const rights = [
    ...["get", "create", "patch", "deletecollection"].map((verb) => [verb, verb] as const),
    ...["status", "finalizers"].map((part) => [part, "patch", `--subresource=${part}`] as const),
  ];
  const answers: [string, string][] = [];
  for (const [name, verb, ...more] of rights)
    answers.push([name, await can(user, verb, applications, "-n", namespace, ...more)]);
  return Object.fromEntries(answers);
}

/** @returns kubectl's yes or no. @throws Error for another output */
async function can(user: string, ...words: readonly string[]): Promise<string> {
  const answer = await admin(["auth", "can-i", ...words, `--as=${user}`]).catch((error: unknown) => {
    // A no is also an exit code.
    if (error instanceof Error && "stdout" in error && error.stdout === "no\n") return error.stdout;
    throw error;
  });
  return answer.trim();
}
