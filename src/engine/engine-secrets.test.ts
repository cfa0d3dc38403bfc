import { describe, expect, it } from "vitest";

import { engineEnv, type Env } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { INSTALLATION_KEY } from "../api/names.ts";
import { conditionOf } from "./contract/status.ts";

const SHARED = { connectionRef: { kind: "ClusterLink", name: "shared" } };

/** A connection of the cluster, whose Secret is "token" in the operator's namespace. */
async function withShared(): Promise<Env> {
  const env = engineEnv({ link: null });
  env.cluster.secret("token", { token: "token-1" }, "operator");
  env.cluster.create("ClusterLink", "shared", { allowedNamespaces: ["team", "operator"] });
  await env.run(5_000);
  return env;
}

describe("[E9] the Secret of a connection of the cluster", () => {
  it("is refused as the source of a value beside it, in the operator's namespace", async () => {
    const env = await withShared();
    const spec = { name: "thief", ...SHARED, secret: { name: "token", key: "token" } };
    env.cluster.apply({ kind: "Widget", metadata: { name: "thief" }, spec }, "operator");
    await env.run(MINUTE);
    const thief = env.cluster.find("Widget", "thief", "operator");
    const stalled = thief && conditionOf(thief, "Stalled");
    expect(stalled?.message).toContain('is used by ClusterLink "shared"');
    expect(stalled?.reason).toBe("SecretNotAllowed");
    expect(env.world.effects).toEqual([]);
  });

  it("is refused like the key of the installation, which is beside it", async () => {
    const env = await withShared();
    env.cluster.secret(INSTALLATION_KEY, { key: "the key" }, "operator");
    const spec = { name: "thief", ...SHARED, secret: { name: INSTALLATION_KEY, key: "key" } };
    env.cluster.apply({ kind: "Widget", metadata: { name: "thief" }, spec }, "operator");
    await env.run(MINUTE);
    const thief = env.cluster.find("Widget", "thief", "operator");
    const stalled = thief && conditionOf(thief, "Stalled");
    expect(stalled?.message).toContain(`Secret "${INSTALLATION_KEY}" is used by the operator itself`);
  });

  it("does not reserve its name in other namespaces", async () => {
    const env = await withShared();
    env.cluster.secret("token", { token: "a value" });
    env.widget("user", { ...SHARED, secret: { name: "token", key: "token" } });
    await env.run(MINUTE);
    expect(env.conditions("Widget", "user")).toContain("Ready=True/Available");
  });
});

describe("[E9] a resource that refers to the Secret of a connection", () => {
  it("recovers once no connection uses the Secret any more", async () => {
    const env = await withShared();
    env.cluster.secret("token", { token: "a value" });
    env.cluster.create("Link", "other", {});
    env.widget("user", { ...SHARED, secret: { name: "token", key: "token" } });
    await env.run(MINUTE);
    expect(env.conditions("Widget", "user")).toContain("Stalled=True/SecretNotAllowed");
    env.cluster.remove("Link", "other");
    await env.run(15 * MINUTE);
    expect(env.conditions("Widget", "user")).toContain("Ready=True/Available");
  });

  it("can be deleted, as a deletion needs no values", async () => {
    const env = await withShared();
    const spec = { ...SHARED, lifecycle: { deletionPolicy: "Delete" } };
    env.cluster.secret("values", { key: "a value" });
    env.widget("user", { ...spec, secret: { name: "values", key: "key" } });
    await env.run(MINUTE);
    env.cluster.secret("token", { token: "token-1" });
    env.cluster.create("Link", "other", {});
    env.cluster.spec("Widget", "user", { ...spec, name: "user", secret: { name: "token", key: "token" } });
    await env.run(MINUTE);
    expect(env.conditions("Widget", "user")).toContain("Stalled=True/SecretNotAllowed");
    env.cluster.remove("Widget", "user");
    await env.run(MINUTE);
    expect(env.world.count("delete")).toBe(1);
  });
});
