import { randomUUID } from "node:crypto";

import { afterAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";

import { FINALIZER, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, expectSettled, idOf, TREE } from "../support/env/settling.ts";
import { connectProxy } from "../support/kube/connect-proxy.ts";
import { configMap, connection, defaults, project, resource, secret, shared, tree } from "../support/kube/manifests.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";
import { certificate } from "../support/kube/tls.ts";
import { cli } from "../support/programs/cli.ts";

const env = createEnv({ surface: "full", more: ["labelled", "stranger"] });

describe("[R1] a PlatformConnection that is deleted and created again", () => {
  it("with the same host and organization serves the same objects as before", async () => {
    await env.apply(...defaults(env), ...tree(env, "kept"));
    await expectSettled(env, "kept");
    await calm(env);
    const record = await env.record();
    await env.remove("PlatformConnection", "default");
    await env.ready(connection(env, "default"));
    await env.patch("PlatformEnvironment", "kept", { spec: { mode: "STAGING" } });
    await expectSettled(env, "kept");
    await calm(env);
    expect(record.changes().filter((operation) => operation !== "updateEnvironment")).toEqual([]);
  });

  it.each(["host", "organization"] as const)(
    "with another %s stalls the recorded resources with ConnectionChanged, and writes nothing to the platform",
    async (what) => {
      const proxy = await tcpProxy(Number(new URL(env.platform.url).port));
      const name = `other-${what}`;
      const access = { connectionRef: { name } };
      await env.apply(
        secret(name, { token: env.platform.tokens.admin }),
        connection(env, name),
        ...tree(env, name, { ...access, lifecycle: { deletionPolicy: "Delete" } }),
      );
      await expectSettled(env, name);
      const record = await env.record();
      await env.kubectl(["delete", "--wait=false", `platformconnection/${name}`]);
      // The resources still need the connection, so a person removes its finalizer.
      await env.patch("PlatformConnection", name, { metadata: { finalizers: null } });
      await env.waitGone("PlatformConnection", name);
      const { otherOrganizationId, tokens } = env.platform;
      const elsewhere: JsonObject =
        what === "host" ? { baseUrl: `http://127.0.0.1:${proxy.port}` } : { organizationId: otherOrganizationId };
      if (what === "organization") await env.apply(secret(name, { token: tokens.foreign }));
      await env.ready(connection(env, name, elsewhere));
      for (const kind of TREE) {
        await env.patch(kind, name, { spec: { name: `${name}-renamed` } });
        expect(idOf(await env.stalled(kind, name, "ConnectionChanged"))).not.toBe("");
      }
      expect(record.changes()).toEqual([]);
      await proxy.stop();
    },
  );
});

describe("a ClusterPlatformConnection", () => {
  const using = (name: string): Manifest =>
    project(name, {
      connectionRef: { kind: "ClusterPlatformConnection", name: env.namespace },
      lifecycle: { deletionPolicy: "Delete" },
    });

  afterAll(() => env.remove("ClusterPlatformConnection", env.namespace));

  it("[E9] serves only the namespaces that it names or selects, and checks this at every reconcile", async () => {
    const [labelled, stranger] = [env.at("labelled"), env.at("stranger")];
    await env.kubectl(["label", "namespace", labelled.namespace, `team=${env.namespace}`]);
    await env.apply(
      ...shared(env, env.namespace, { names: [env.namespace], selector: { matchLabels: { team: env.namespace } } }),
      using("named"),
    );
    await labelled.apply(using("labelled"));
    await stranger.apply(using("stranger"));
    const named = await env.waitFor("PlatformProject", "named", { status: "True" });
    await labelled.waitFor("PlatformProject", "labelled", { status: "True" });
    const refused = await stranger.waitFor("PlatformProject", "stranger", { status: "False" });
    expect(condition(refused, "Ready")).toMatchObject({
      reason: "ConnectionNotReady",
      message: `ClusterPlatformConnection "${env.namespace}" does not allow namespace "${stranger.namespace}". A cluster admin can add it to its spec.allowedNamespaces.`,
    });
    const names = new Set([...env.platform.world().projects.values()].map(({ name }) => name));
    expect([...names]).toEqual(expect.arrayContaining(["labelled", "named"]));
    expect([...names]).not.toContain("stranger");

    await env.apply(...shared(env, env.namespace, { names: [stranger.namespace] }));
    await stranger.waitFor("PlatformProject", "stranger", { status: "True" });
    const record = await env.record();
    await env.patch("PlatformProject", "named", { spec: { description: "no longer allowed" } });
    await env.waitFor("PlatformProject", "named", { reason: "ConnectionNotReady" });
    await env.delete(named);
    expect(record.changes()).toEqual([]);
    expect(env.platform.world().projects.has(idOf(named)), "the project on the platform").toBe(true);
    const requests = (await record.requests()).map(({ objectRef }) => objectRef);
    const readIn = requests.flatMap((of) => (of?.resource === "secrets" ? [of.namespace] : []));
    const allowed = new Set([env.namespace, env.operatorNamespace]);
    const others = readIn.filter((namespace) => namespace === undefined || !allowed.has(namespace));
    expect(others, "other namespaces in which Secrets are read").toEqual([]);
  });
});

/** What few other tests need: test/afterwards/rights.test.ts compares the rights with those that the suite used. */
describe("[E14] rights that the operator rarely uses", () => {
  it("let it remove finalizers that have no purpose any more", async () => {
    const name = env.namespace;
    const kind = "ClusterPlatformConnection";
    await env.apply(...shared(env, name, { names: [name] }));
    await env.patch(kind, name, { metadata: { finalizers: [FINALIZER] } });
    await env.annotate(kind, name, { [RECONCILE_REQUESTED_AT]: "now" });
    await env.waitFor(kind, name, ({ metadata }) => metadata.finalizers === undefined);
    await env.waitFor(kind, name, { status: "True" });

    await env.ready(...defaults(env), {
      ...resource("PlatformCatalog", "all", { include: ["Templates"] }),
      metadata: { name: "all", finalizers: [FINALIZER] },
    });
    await env.kubectl(["patch", "configmap", "all-catalog", "--type=merge", "-p", '{"data":{"more":"x"}}']);
    await env.annotate("PlatformCatalog", "all", { [RECONCILE_REQUESTED_AT]: "now" });
    await expect.poll(() => env.kubectl(["get", "configmap", "all-catalog", "-o", "json"])).not.toContain('"more"');
    await env.ready({
      ...resource("PlatformBinding", "kept", {
        clusterRef: { externalId: env.platform.clusterIds[0] ?? "" },
        template: { key: "kubernetes-essentials", version: "1.2.0" },
        managedConfig: { ingress: { domain: { value: "shop.example.com" } } },
      }),
      metadata: { name: "kept", finalizers: [FINALIZER] },
    });
    await env.delete(...(await env.list("PlatformCatalog")), ...(await env.list("PlatformBinding")));
    await env.kubectl(["delete", "clusterplatformconnection", name]);
  });
});

describe("the proxy of a PlatformConnection", () => {
  const says = async (reason: string): Promise<string> => {
    await env.annotate("PlatformConnection", "own", { [RECONCILE_REQUESTED_AT]: randomUUID() });
    const object = await env.waitFor("PlatformConnection", "own", { reason });
    return condition(object, "Ready")?.message ?? "";
  };

  // That of HTTPS_PROXY: test/e2e/proxy.test.ts.
  it("takes all of its requests, and the status names the Secret or ConfigMap that is missing for it", async () => {
    const proxy = await connectProxy(Number(new URL(env.platform.url).port));
    onTestFinished(() => proxy.stop());
    proxy.protect("user:s3cret-right");
    await env.apply(
      secret("own", { token: env.platform.tokens.admin }),
      connection(env, "own", {
        proxy: { url: proxy.url, secretRef: { name: "egress" } },
        caBundle: { configMapKeyRef: { name: "ca" } },
      }),
    );
    expect(await says("CredentialsMissing")).toBe(
      `Secret "egress" in namespace "${env.namespace}" does not exist, but spec.proxy.secretRef refers to it. It needs the keys "username" and "password" of the proxy.`,
    );
    await env.apply(secret("egress", { username: "user", password: "s3cret-wrong" }));
    expect(await says("DependencyNotReady")).toBe(
      `ConfigMap "ca" in namespace "${env.namespace}" does not exist, but spec.caBundle.configMapKeyRef refers to it. Create it with the certificates in PEM, or fix the reference.`,
    );
    await env.apply(configMap("ca", { "ca.crt": "none" }));
    const noCertificate = async () =>
      expect(await says("DependencyNotReady")).toMatch(/refers to, has no certificate in PEM/);
    await vi.waitFor(noCertificate, { timeout: 20_000 });
    await env.apply(configMap("ca", { "ca.crt": certificate }));
    expect(await says("PlatformUnreachable")).toMatch(
      /the proxy of spec.proxy rejects the user name or the password \(407\)/,
    );
    await env.apply(secret("egress", { username: "user", password: "s3cret-right" }));
    const ready = await env.waitFor("PlatformConnection", "own", { status: "True" });
    expect(JSON.stringify(ready)).not.toMatch(/s3cret/);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(env.platform.url).host]));
    await vi.waitFor(() => expect(proxy.open()).toBeLessThanOrEqual(2));

    const before = proxy.asked.length;
    const { kubeconfigPath } = inject("controlPlane");
    const flags = ["--kubeconfig", kubeconfigPath, "-n", env.namespace, "--allow-insecure-platform"];
    const { kubectlPath: kubectl } = inject("controlPlane");
    const listed = await cli(["api", "listProjects", "--connection=pconn/own", ...flags], { kubectl });
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(proxy.asked.slice(before)).toEqual([new URL(env.platform.url).host]);
  });
});
