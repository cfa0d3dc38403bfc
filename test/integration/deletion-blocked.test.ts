import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { expectSettled, idOf, TREE } from "../support/env/settling.ts";
import { application, connection, defaults, environment, project, secret, tree } from "../support/kube/manifests.ts";
import { tcpProxy } from "../support/kube/tcp-proxy.ts";

const DELETE = { lifecycle: { deletionPolicy: "Delete" } };
const RETAIN = { lifecycle: { deletionPolicy: "Retain" } };

/** The objects of the platform of that name. */
function onPlatform(env: Env, name: string): readonly string[] {
  const { projects, environments, services } = env.platform.world();
  const of = (what: string, records: Iterable<{ readonly name: string }>): readonly string[] =>
    [...records].flatMap((record) => (record.name === name ? [what] : []));
  return [
    ...of("project", projects.values()),
    ...of("environment", environments.values()),
    ...of("application", services.values()),
  ];
}

/** Deletes objects without waiting for their finalizers, as `kubectl delete --wait=false`. */
const deleteAll = (env: Env, ...objects: readonly string[]) => env.kubectl(["delete", "--wait=false", ...objects]);
const treeOf = (name: string): readonly string[] => TREE.map((kind) => `${kind.toLowerCase()}/${name}`);

describe("the deletion of a resource under deletionPolicy Delete, full surface", () => {
  const env = createEnv({ surface: "full", windows: { releaseMs: 600_000 } });

  it("deletes the resource's own object although spec.externalId was mistyped, which can be corrected or removed", async () => {
    await env.apply(...defaults(env), ...tree(env, "typo", DELETE));
    await expectSettled(env, "typo");
    const wrong = "11111111-2222-4333-8444-555555555555";
    await env.patch("PlatformProject", "typo", { spec: { externalId: wrong } });
    await env.stalled("PlatformProject", "typo", "InvalidSpec", "Remove or correct spec.externalId");
    await env.patch("PlatformProject", "typo", { spec: { externalId: null } });
    const corrected = await env.waitFor("PlatformProject", "typo", { status: "True" });
    await env.patch("PlatformProject", "typo", { spec: { externalId: idOf(corrected) } });
    const patch = JSON.stringify({ spec: { externalId: wrong } });
    await expect(env.kubectl(["patch", "platformproject", "typo", "--type=merge", "-p", patch])).rejects.toThrow(
      "spec.externalId cannot be changed or removed once status.externalId records it",
    );
    await env.patch("PlatformEnvironment", "typo", { spec: { externalId: wrong } });
    await env.stalled("PlatformEnvironment", "typo", "InvalidSpec");
    await deleteAll(env, ...treeOf("typo"));
    for (const kind of TREE) await env.waitGone(kind, "typo");
    expect(onPlatform(env, "typo")).toEqual([]);
  });

  it("is blocked while the connection leads to another host, and the message says how to continue", async () => {
    const proxy = await tcpProxy(Number(new URL(env.platform.url).port));
    const name = "moved";
    /** Replaces the connection although the resources need it: a person removes its finalizer. */
    const replaced = async (baseUrl: string): Promise<void> => {
      await deleteAll(env, `platformconnection/${name}`);
      await env.patch("PlatformConnection", name, { metadata: { finalizers: null } });
      await env.waitGone("PlatformConnection", name);
      await env.apply(connection(env, name, { baseUrl }));
    };
    await env.apply(
      secret(name, { token: env.platform.tokens.admin }),
      connection(env, name),
      ...tree(env, name, { ...DELETE, connectionRef: { name } }),
    );
    await expectSettled(env, name);
    await replaced(`http://127.0.0.1:${String(proxy.port)}`);
    await env.stalled("PlatformApplication", name, "ConnectionChanged");
    await deleteAll(env, ...treeOf(name));
    const blocked = await env.stalled("PlatformApplication", name, "DeletionBlocked");
    expect(condition(blocked, "Stalled")?.message).toContain("Change the connection back");
    expect(onPlatform(env, name)).toEqual(["project", "environment", "application"]);
    await replaced(env.platform.url);
    for (const kind of TREE) await env.waitGone(kind, name);
    expect(onPlatform(env, name)).toEqual([]);
    await proxy.stop();
  });

  it("is blocked for a project while Retain keeps an application in it, until a person sets Retain for the project", async () => {
    await env.apply(
      ...defaults(env),
      project("above", DELETE),
      environment(env, "above", "above", RETAIN),
      application("above", "above", RETAIN),
    );
    await expectSettled(env, "above");
    await deleteAll(env, "platformproject/above", "platformenvironment/above");
    await env.waitGone("PlatformEnvironment", "above");
    const below = 'PlatformApplication "above" (deletionPolicy Retain)';
    const waiting = await env.waitFor("PlatformProject", "above", { reason: "WaitingForChildren" });
    await expect
      .poll(async () => condition(await env.get("PlatformProject", "above"), "Ready")?.message)
      .toContain(below);
    expect(waiting.metadata.deletionTimestamp).toBeDefined();
    await deleteAll(env, "platformapplication/above");
    const blocked = await env.stalled("PlatformProject", "above", "DeletionBlocked");
    expect(condition(blocked, "Stalled")?.message).toContain("kubectl platform orphans forget");
    expect(onPlatform(env, "above")).toEqual(["project", "environment", "application"]);
    await env.patch("PlatformProject", "above", { spec: RETAIN });
    await env.waitGone("PlatformProject", "above");
    expect(onPlatform(env, "above")).toEqual(["project", "environment", "application"]);
  });

  it("waits for the connection's Secret that was deleted with it while the operator was killed, and then deletes everything", async () => {
    await env.apply(...defaults(env), ...tree(env, "whole", DELETE));
    await expectSettled(env, "whole");
    await env.kill();
    await deleteAll(env, "secret/default", "platformconnection/default", ...treeOf("whole"));
    await env.start();
    const blocked = await env.stalled("PlatformApplication", "whole", "ConnectionNotReady");
    expect(condition(blocked, "Stalled")?.message).toContain("create them again");
    expect(onPlatform(env, "whole")).toEqual(["project", "environment", "application"]);
    await env.apply(...defaults(env).slice(0, 1));
    for (const kind of TREE) await env.waitGone(kind, "whole");
    await env.waitGone("PlatformConnection", "default");
    expect(onPlatform(env, "whole")).toEqual([]);
  });
});
