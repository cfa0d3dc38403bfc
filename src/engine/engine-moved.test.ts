/** Resources that come to another connection: by their own reference, by their parent's, or as a connection arrives. */
import { describe, expect, it } from "vitest";

import { DELETE, effects, engineEnv, type Env, fail, ready } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { FINALIZER } from "../api/names.ts";
import type { JsonObject } from "../kube/api/types.ts";

const through = (name: string) => ({ connectionRef: { name } });
const below = (name: string) => ({ parentRef: { name } });

/** An environment with the connections "one" and "two", and no default. */
async function connected(one: JsonObject = {}): Promise<Env> {
  const env = engineEnv({ link: null });
  env.cluster.secret("token", { token: "token-1" });
  env.cluster.create("Link", "one", one);
  env.cluster.create("Link", "two", {});
  await env.run(5_000);
  return env;
}

/** Moves the widget "a" to the connection "two". */
async function moved(env: Env): Promise<void> {
  env.cluster.spec("Widget", "a", { name: "a", ...through("two") });
  await env.run(MINUTE);
  expect(ready(env)).toBe("Ready=True/Available");
}

/** How often the widget "a" is reconciled while that happens. */
async function passesDuring(env: Env, act: () => void, ms: number): Promise<number> {
  const count = () => env.reconciles.filter(({ key }) => key === "Widget/team/a").length;
  const before = count();
  act();
  await env.run(ms);
  return count() - before;
}

const finalizersOf = (env: Env, name: string) => env.cluster.get("Link", name).metadata.finalizers ?? [];
const opened = (env: Env, name: string) => env.engine.connections.last({ kind: "Link", namespace: "team", name });
const openNames = (env: Env): readonly string[] =>
  ["default", "one", "two"].filter((name) => opened(env, name) !== undefined);

describe("a connection whose resource moved to another one", () => {
  it("is closed once its object is deleted", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    await env.run(5_000);
    await moved(env);
    env.cluster.remove("Link", "one");
    await env.run(MINUTE);
    expect(openNames(env)).toEqual(["two"]);
    expect(env.world.closed).toBe(1);
  });

  it("is closed if its object was deleted before", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    await env.run(5_000);
    env.cluster.remove("Link", "one");
    await env.run(5_000);
    expect(openNames(env)).toEqual(["one", "two"]);
    await moved(env);
    expect(openNames(env)).toEqual(["two"]);
  });

  it("does not wake the resource when it recovers", async () => {
    const env = await connected({ surface: "Odd" });
    env.widget("a", through("one"));
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=False/ConnectionNotReady");
    await moved(env);
    expect(await passesDuring(env, () => env.cluster.spec("Link", "one", {}), 10_000)).toBe(0);
  });

  it("does not watch its Secret for the resource that it was denied", async () => {
    const env = await connected();
    const over = fail(env, ["create"], [{ is: "Forbidden" }, 403]);
    env.widget("a", through("one"));
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=False/PermissionDenied");
    over();
    await moved(env);
    await env.run(MINUTE);
    expect(env.due("Link", "one")).toBeGreaterThan(10_000);
    expect(opened(env, "one")?.denied).toEqual(new Set());
    expect(opened(env, "two")?.denied).toEqual(new Set());
  });
});

describe("the connection of a child", () => {
  it("is the one that its parent moves to, at once", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    env.widget("child", { ...below("a"), ...DELETE });
    await env.run(MINUTE);
    expect(finalizersOf(env, "one")).toEqual([FINALIZER]);
    await moved(env);
    expect(finalizersOf(env, "two")).toEqual([FINALIZER]);
    expect(finalizersOf(env, "one")).toEqual([]);
  });

  it("is its parent's, also if the parent is read later", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    env.widget("child", { ...below("a"), ...DELETE });
    await env.run(MINUTE);
    const { cache } = env.cluster;
    const get = cache.get.bind(cache);
    cache.get = (key) => (key.name === "a" || key.kind === "Link" ? undefined : get(key));
    env.restart();
    cache.get = get;
    for (const object of env.cluster.all()) {
      if (object.metadata.name !== "child") env.engine.changed({ type: "added", object }, true);
    }
    await env.run(5_000);
    expect(finalizersOf(env, "one")).toEqual([FINALIZER]);
    env.cluster.remove("Link", "one");
    await env.run(5_000);
    expect(env.conditions("Link", "one")).toContain("Ready=False/WaitingForChildren");
  });

  it("is the recorded one while its parent is gone, also after a restart", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    env.widget("child", { ...below("a"), ...DELETE });
    await env.run(MINUTE);
    env.cluster.remove("Widget", "a");
    await env.run(5_000);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    env.restart();
    await env.run(5_000);
    expect(finalizersOf(env, "one")).toEqual([FINALIZER]);
    env.cluster.remove("Link", "one");
    await env.run(5_000);
    expect(env.conditions("Link", "one")).toContain("Ready=False/WaitingForChildren");
    env.cluster.remove("Widget", "child");
    await env.run(MINUTE);
    expect(effects(env)).toEqual(["create", "create", "delete"]);
    expect(env.cluster.find("Link", "one")).toBeUndefined();
  });
});

describe("a default connection of the namespace that arrives later", () => {
  async function onCluster(): Promise<Env> {
    const env = engineEnv({ link: null });
    env.cluster.secret("token", { token: "token-1" }, "operator");
    env.cluster.secret("token", { token: "token-1" });
    env.cluster.create("ClusterLink", "default", { allowedNamespaces: ["team"] });
    env.widget("a", DELETE);
    env.widget("child", { ...below("a"), ...DELETE });
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    return env;
  }

  it("is kept for the resources that use it from then on", async () => {
    const env = await onCluster();
    env.cluster.create("Link", "default", {});
    await env.run(2_000);
    expect(finalizersOf(env, "default")).toEqual([FINALIZER]);
  });

  it("is not needed by a resource with a connection of its own", async () => {
    const env = await onCluster();
    env.cluster.create("Link", "own", {});
    for (const name of ["child", "a"]) {
      env.cluster.spec("Widget", name, { name, ...DELETE, ...(name === "a" ? through("own") : below("a")) });
    }
    await env.run(MINUTE);
    env.cluster.create("Link", "default", {});
    await env.run(MINUTE);
    expect(finalizersOf(env, "default")).toEqual([]);
    expect(finalizersOf(env, "own")).toEqual([FINALIZER]);
  });
});

describe("the limit of mass changes", () => {
  it("counts all objects of a tree, whichever connection its root named before", async () => {
    const env = await connected();
    env.widget("a", through("one"));
    for (let index = 0; index < 300; index += 1) env.widget(`w${String(index)}`, { ...below("a"), note: "right" });
    await env.run(15 * MINUTE);
    env.cluster.spec("Widget", "a", { name: "a", ...through("two") });
    await env.run(1_000);
    for (const { id, name } of env.world.remotes.values()) if (name !== "a") env.world.change(id, { note: "wrong" });
    await env.run(15 * MINUTE);
    expect(env.world.count("update")).toBe(16);
  });
});
