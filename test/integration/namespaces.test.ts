/** Each namespace of --watch-namespaces is served by itself: one that cannot be read does not stop the service of the rest. */
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";

import { TYPES } from "../../src/config/kinds.ts";
import { clientAt, createNamespace } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { grantIn, withdrawIn } from "../support/env/rights.ts";
import { TREE } from "../support/env/settling.ts";
import { defaults, project, tree } from "../support/kube/manifests.ts";
import { tcpProxy, type TcpProxy } from "../support/kube/tcp-proxy.ts";
import { figure } from "../support/platform/figure.ts";

const soon = { timeout: 10_000, interval: 100 };
const DELETE = { lifecycle: { deletionPolicy: "Delete" } };

describe("twenty namespaces of --watch-namespaces", () => {
  let proxy: TcpProxy;
  beforeAll(async () => {
    proxy = await tcpProxy(Number(new URL(inject("controlPlane").server).port));
  });
  // It is registered before that of the environment, so it runs after the operator has stopped.
  afterAll(() => proxy.stop());
  const env = createEnv({
    surface: "full",
    limited: true,
    more: Array.from({ length: 19 }, (_, index) => `n${index}`),
    through: () => proxy.port,
    mayRefuse: ["secrets", "events"],
  });

  it("[D8] cost at most 24 connections to the API server, also while each kind of each is listed", async ({ task }) => {
    const last = env.at("n18");
    await last.apply(...defaults(env), project("served"));
    await last.waitFor("PlatformProject", "served", { status: "True" });
    expect(proxy.connections()).toBeLessThanOrEqual(24);
    figure(task, `${proxy.connections()} connections for the watches of 20 namespaces, and all calls`);
  });
});

describe("[B15] a namespace of --watch-namespaces", () => {
  const env = createEnv({
    surface: "full",
    limited: true,
    more: ["gone", "unbound"],
    // The operator serves the ClusterPlatformConnections of other files too. It may not read their Secrets, nor write
    // their events, which belong to the namespace "default".
    mayRefuse: [...TYPES.map(({ plural }) => plural), "secrets", "events"],
  });
  const [gone, unbound] = [env.at("gone"), env.at("unbound")];
  const admin = clientAt(inject("controlPlane").kubeconfigPath, "namespaces");
  afterAll(() => admin.close());

  const path = `/api/v1/namespaces/${gone.namespace}`;
  /** Deletes the namespace as its controller does, which the control plane of the tests does not run. */
  const deleteNamespace = async (): Promise<void> => {
    await withdrawIn(admin, env.operatorNamespace, gone.namespace);
    await admin.request({ method: "DELETE", path });
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name: gone.namespace }, spec: { finalizers: [] } };
    await admin.request({ method: "PUT", path: `${path}/finalize`, body });
  };
  const notServed = async (): Promise<string | undefined> => {
    const text = await (await fetch(`${env.operator.metricsUrl}/metrics`)).text();
    return /^platform_operator_namespaces_not_served (\d+)$/m.exec(text)?.[1];
  };
  const logged = (message: string): readonly unknown[] =>
    env.operator
      .logs()
      .filter((line) => line.message === message)
      .map((line) => line["namespace"]);

  beforeAll(async () => {
    await unbound.apply(...defaults(env), ...tree(env, "kept", DELETE));
    for (const kind of TREE) await unbound.waitFor(kind, "kept", { status: "True" });
    await env.stop();
    await deleteNamespace();
    await withdrawIn(admin, env.operatorNamespace, unbound.namespace);
    await env.start();
  });

  it("that is deleted, or has no RoleBinding, does not stop the service of the other namespaces", async () => {
    await env.apply(...defaults(env), project("served"));
    await env.waitFor("PlatformProject", "served", { status: "True" });
    expect((await fetch(`${env.operator.healthUrl}/readyz`)).status).toBe(200);
  });

  it("that is not served is logged once and counted by a metric", async () => {
    const expected = [gone.namespace, unbound.namespace];
    await vi.waitFor(
      () =>
        expect(
          new Set(logged("a namespace is not served: it was deleted, or the operator has no RoleBinding in it")),
        ).toEqual(new Set(expected)),
      soon,
    );
    expect(await notServed()).toBe("2");
  });

  it("keeps its objects on the platform while it is not served, and is served once its RoleBinding exists again", async () => {
    const names = [...env.platform.world().services.values()].map(({ name }) => name);
    expect(names).toEqual(["kept"]);
    await grantIn(admin, env.operatorNamespace, unbound.namespace);
    await unbound.apply(project("later"));
    await unbound.waitFor("PlatformProject", "later", { status: "True" });
    expect(await notServed()).toBe("1");
    await unbound.remove("PlatformApplication", "kept");
    await unbound.waitGone("PlatformApplication", "kept");
  });

  it("that was deleted is served once it is created again", async () => {
    await createNamespace(admin, gone.namespace);
    await grantIn(admin, env.operatorNamespace, gone.namespace);
    await gone.apply(...defaults(env), project("again"));
    await gone.waitFor("PlatformProject", "again", { status: "True" });
    expect(await notServed()).toBe("0");
  });
});
