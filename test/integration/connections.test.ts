import { afterAll, describe, expect, it } from "vitest";

import { isObject } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createStage } from "../support/env/env.ts";
import { calm, expectSettled, idOf } from "../support/env/settling.ts";
import { connection, defaults, environment, project, resource, secret, tree } from "../support/kube/manifests.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";

describe("[R1] a connection that is replaced", () => {
  const stage = createStage({ surface: "full" });

  it("by one to the same organization on the same host is the same connection", async () => {
    await stage.apply(...defaults(stage), ...tree(stage, "kept"));
    await expectSettled(stage, "kept");
    await calm(stage);
    const record = await stage.record();
    await stage.remove("PlatformConnection", "default");
    await stage.apply(connection(stage, "default"));
    await stage.waitFor("PlatformConnection", "default", { status: "True" });
    await stage.patch("PlatformEnvironment", "kept", { spec: { mode: "STAGING" } });
    await expectSettled(stage, "kept");
    await calm(stage);
    expect(record.changes().filter((operation) => operation !== "updateEnvironment")).toEqual([]);
  });

  it.each(["host", "organization"] as const)(
    "by one to another %s stalls what was recorded, and writes nothing",
    async (what) => {
      const proxy = await tcpProxy(Number(new URL(stage.platform.url).port));
      const name = `other-${what}`;
      const access = { connectionRef: { name } };
      await stage.apply(
        secret(name, { token: stage.platform.tokens.admin }),
        connection(stage, name),
        ...tree(stage, name, { ...access, lifecycle: { deletionPolicy: "Delete" } }),
      );
      await expectSettled(stage, name);
      const record = await stage.record();
      await stage.remove("PlatformConnection", name);
      const { otherOrganizationId, tokens } = stage.platform;
      const elsewhere: JsonObject =
        what === "host" ? { baseUrl: `http://127.0.0.1:${proxy.port}` } : { organizationId: otherOrganizationId };
      if (what === "organization") await stage.apply(secret(name, { token: tokens.foreign }));
      await stage.apply(connection(stage, name, elsewhere));
      await stage.waitFor("PlatformConnection", name, { status: "True" });
      for (const kind of ["PlatformProject", "PlatformEnvironment", "PlatformApplication"]) {
        await stage.patch(kind, name, { spec: { name: `${name}-renamed` } });
        const stalled = await stage.waitFor(kind, name, { reason: "ConnectionChanged" });
        expect(condition(stalled, "Stalled")).toMatchObject({ status: "True" });
        expect(idOf(stalled)).not.toBe("");
      }
      expect(record.changes()).toEqual([]);
      await proxy.stop();
    },
  );
});

describe("a ClusterPlatformConnection", () => {
  const stage = createStage({ surface: "documented", more: ["labelled", "stranger"] });

  /** Its Secret is in the operator's namespace; its name is this file's own, as all operators of all files see it. */
  const shared = (allowedNamespaces?: JsonObject): readonly Manifest[] => {
    const name = stage.namespace;
    const { spec } = connection(stage, name, allowedNamespaces === undefined ? {} : { allowedNamespaces });
    const token = secret(name, { token: stage.platform.tokens.admin });
    return [
      { ...token, metadata: { name, namespace: stage.operatorNamespace } },
      resource("ClusterPlatformConnection", name, isObject(spec) ? spec : {}),
    ];
  };
  const using = (name: string): Manifest =>
    project(name, { connectionRef: { kind: "ClusterPlatformConnection", name: stage.namespace } });

  afterAll(async () => {
    await stage.kubectl(["delete", "clusterplatformconnection", stage.namespace]);
  });

  it("[E9] serves the namespaces that it names or selects, and no other; consent is asked for again at every pass", async () => {
    const [labelled, stranger] = [stage.at("labelled"), stage.at("stranger")];
    await stage.kubectl(["label", "namespace", labelled.namespace, `team=${stage.namespace}`]);
    await stage.apply(
      ...shared({ names: [stage.namespace], selector: { matchLabels: { team: stage.namespace } } }),
      using("named"),
    );
    await labelled.apply(using("labelled"));
    await stranger.apply(using("stranger"));
    await stage.waitFor("PlatformProject", "named", { status: "True" });
    await labelled.waitFor("PlatformProject", "labelled", { status: "True" });
    const refused = await stranger.waitFor("PlatformProject", "stranger", { status: "False" });
    expect(condition(refused, "Ready")).toMatchObject({
      reason: "ConnectionNotReady",
      message: `ClusterPlatformConnection "${stage.namespace}" does not allow namespace "${stranger.namespace}". A cluster admin can add it to its spec.allowedNamespaces.`,
    });
    const names = [...stage.platform.world().projects.values()].map(({ name }) => name);
    expect(names.toSorted()).toEqual(["labelled", "named"]);

    await stage.apply(...shared({ names: [stranger.namespace] }));
    await stranger.waitFor("PlatformProject", "stranger", { status: "True" });
    const record = await stage.record();
    await stage.patch("PlatformProject", "named", { spec: { description: "no longer allowed" } });
    await stage.waitFor("PlatformProject", "named", { reason: "ConnectionNotReady" });
    expect(record.changes()).toEqual([]);
  });

  it("is not mistaken for a namespaced one, and a child follows its parent's", async () => {
    const stranger = stage.at("stranger");
    await stranger.apply(environment(stage, "child", "stranger"));
    await stranger.waitFor("PlatformEnvironment", "child", { status: "True" });
    const [token, access] = [secret("own", { token: stage.platform.tokens.admin }), connection(stage, "own")];
    await stranger.apply(token, access, environment(stage, "rebel", "stranger", { connectionRef: { name: "own" } }));
    const rebel = await stranger.waitFor("PlatformEnvironment", "rebel", { reason: "InvalidSpec" });
    expect(condition(rebel, "Ready")?.message).toMatch(/but the parent uses ClusterPlatformConnection/);
  });
});

describe("the connection that an object uses", () => {
  const stage = createStage({ surface: "documented" });

  it("is the one that it names, else its parent's, else the namespace's default", async () => {
    const { auth } = stage.platform.sim;
    const { organizationId } = stage.platform;
    const tokens = ["default", "named"].map((name) =>
      auth.createToken({ name: `of ${name}`, organizationId, scopes: ["Admin"] }),
    );
    await stage.apply(
      ...["default", "named"].flatMap((name, index) => [
        secret(name, { token: tokens[index]?.value ?? "" }),
        connection(stage, name),
      ]),
      project("plain"),
      project("choosy", { connectionRef: { name: "named" } }),
      environment(stage, "follows", "choosy"),
      environment(stage, "plain", "plain"),
    );
    for (const name of ["plain", "choosy"]) await stage.waitFor("PlatformProject", name, { status: "True" });
    for (const name of ["plain", "follows"]) await stage.waitFor("PlatformEnvironment", name, { status: "True" });
    const calls = stage.platform
      .journal()
      .flatMap((entry) => (entry.is === "call" && entry.method === "POST" ? [entry] : []));
    const by = calls.map(({ operation, body, principal }) => [operation, JSON.stringify(body), principal].join(" "));
    expect(by.toSorted()).toEqual([
      expect.stringMatching(/^createEnvironment .*"follows".* of named$/),
      expect.stringMatching(/^createEnvironment .*"plain".* of default$/),
      expect.stringMatching(/^createProject .*"choosy".* of named$/),
      expect.stringMatching(/^createProject .*"plain".* of default$/),
    ]);
  });
});
