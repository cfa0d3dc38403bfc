import { describe, expect, it } from "vitest";

import {
  applied,
  DELETE,
  effects,
  type Env,
  fail,
  LOST,
  ready,
  remote,
  started,
} from "../../test/support/engine/env.ts";
import { HOUR, MINUTE } from "../../test/support/platform/durations.ts";
import { FINALIZER, INTENT, PAUSED, RECONCILE_REQUESTED_AT } from "../api/names.ts";
import { conditionOf } from "./contract/status.ts";

const messageIn = (env: Env, name: string): string =>
  conditionOf(env.cluster.get("Widget", name), "Ready")?.message ?? "";

const farewells = (env: Env): readonly string[] =>
  env.events.filter(({ action }) => action === "Delete").map(({ type, reason }) => `${type} ${reason}`);

/** What somebody does to the credentials, and what is waited for. */
type Step = (env: Env) => unknown;

/** Deletes the widget "a", which is gone within that time. */
async function removed(env: Env, ms = 5_000): Promise<void> {
  env.cluster.remove("Widget", "a");
  await env.run(ms);
  expect(env.cluster.find("Widget", "a")).toBeUndefined();
}

/** An environment in which the widget "a" and its child exist. */
async function withChild(spec = {}): Promise<Env> {
  const env = await applied(spec);
  env.widget("child", { parentRef: { name: "a" }, ...DELETE });
  await env.run(5_000);
  return env;
}

describe("the deletion of an object", () => {
  it("[C10] under deletionPolicy Stop gives up when a state stays unknown for the progress deadline", async () => {
    const env = await applied({ lifecycle: { deletionPolicy: "Stop", progressDeadline: "20m" } });
    const odd = { ...remote(env), state: "ODD" };
    env.world.remotes.set(odd.id, odd);
    env.cluster.remove("Widget", "a");
    await env.run(19 * MINUTE);
    expect(ready(env)).toBe("Ready=Unknown/UnknownState");
    await env.run(2 * MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(env)).toEqual(["Warning Orphaned"]);
    expect(remote(env)).toEqual(odd);
  });

  it.each([
    ["Delete", "delete", "DeleteFailed", "Normal Deleted"],
    ["Stop", "stop", "StopFailed", "Normal Orphaned"],
  ] as const)("under %s that the platform rejects goes on once it does not", async (policy, op, reason, farewell) => {
    const env = await applied({ lifecycle: { deletionPolicy: policy } });
    const over = fail(env, [op], [{ is: "Invalid" }, 400]);
    env.cluster.remove("Widget", "a");
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain(`Stalled=True/${reason}`);
    const [calls, writes] = [env.world.calls.length, env.cluster.writes.length];
    await env.run(HOUR);
    const sent = env.world.calls.slice(calls).filter((call) => call.op === op).length;
    expect(sent).toBeGreaterThan(1);
    expect(sent).toBeLessThanOrEqual(6);
    expect(env.cluster.writes.length).toBe(writes);
    over();
    await env.run(25 * MINUTE);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(farewells(env)).toEqual([farewell]);
  });

  it("waits for children, and follows the last of them", async () => {
    const env = await withChild(DELETE);
    env.cluster.remove("Widget", "a");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Ready=False/WaitingForChildren");
    expect(env.world.remotes.size).toBe(2);
    const writes = env.cluster.writes.length;
    await env.run(30 * MINUTE);
    expect(env.cluster.writes.length).toBe(writes);
    env.cluster.remove("Widget", "child");
    await env.run(1_000);
    expect(env.cluster.all().filter(({ kind }) => kind === "Widget")).toEqual([]);
    expect(env.world.remotes.size).toBe(0);
  });

  it("honours neither a pause nor a missing parent", async () => {
    const env = await withChild({});
    env.cluster.remove("Widget", "a");
    env.cluster.annotate("Widget", "child", { [PAUSED]: "true" });
    await env.run(5_000);
    env.cluster.remove("Widget", "child");
    await env.run(5_000);
    expect([...env.world.remotes.values()].map(({ name }) => name)).toEqual(["a"]);
  });

  it("leaves an object alone that another resource holds, whatever its own status says", async () => {
    const env = await applied({});
    env.clock.shiftWall(60_000);
    env.widget("b", { externalId: remote(env).id, ...DELETE }, { finalizers: [FINALIZER] });
    env.cluster.status("Widget", "b", env.cluster.get("Widget", "a").status);
    env.cluster.remove("Widget", "b");
    await env.run(5_000);
    expect(env.cluster.find("Widget", "b")).toBeUndefined();
    expect(env.world.remotes.size).toBe(1);
    expect(farewells(env)).toEqual(["Warning Orphaned"]);
  });
});

describe("[K1] the deletion of an object whose connection is", () => {
  it("down: it waits, however long, and deletes then", async () => {
    const env = await applied(DELETE);
    const over = fail(env, "all", [{ is: "Server" }, 503]);
    env.cluster.remove("Widget", "a");
    await env.run(20 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    over();
    await env.run(20_000);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.world.remotes.size).toBe(0);
  });

  const noticed: Step = async ({ clock, cluster, run }) => {
    const asked = { [RECONCILE_REQUESTED_AT]: String(clock.monotonic()) };
    if (cluster.find("Link", "default") !== undefined) cluster.annotate("Link", "default", asked);
    await run(MINUTE);
  };
  const withoutSecret: Step = ({ cluster }) => cluster.secret("token", undefined);
  const withoutLink: Step = ({ cluster }) => cluster.remove("Link", "default");
  const restart: Step = (env) => env.restart();
  const patience: Step = (env) => env.run(20 * MINUTE);
  const revoked: Step = (env) => fail(env, "all", [{ is: "Unauthorized" }, 401]);
  const foreign: Step = (env) => fail(env, "all", [{ is: "Forbidden" }, 403]);
  const narrowed: Step = (env) =>
    fail(env, ["create", "update", "deploy", "stop", "delete"], [{ is: "Forbidden" }, 403]);
  /** Parents first: the order that suits us least. */
  const withoutWidgets: Step = ({ cluster }) => {
    for (const { kind, metadata } of cluster.all()) if (kind === "Widget") cluster.remove(kind, metadata.name);
  };

  /** How the credentials of a whole namespace go before their users do, step by step, and how the deletion ends. */
  type End = "deleted" | "blocked" | "released";
  const ends: readonly (readonly [what: string, steps: readonly Step[], end: End])[] = [
    ["without its Secret: the last good token serves", [withoutSecret, noticed], "deleted"],
    ["gone with its Secret", [withoutSecret, withoutLink], "deleted"],
    ["gone first: it stays until its users are gone", [withoutLink], "deleted"],
    ["gone after its Secret, noticed in between", [withoutSecret, noticed, withoutLink, noticed], "deleted"],
    ["gone at a restart", [withoutLink, restart, noticed], "deleted"],
    ["revoked, unnoticed", [revoked, withoutSecret, withoutLink], "blocked"],
    ["revoked, unnoticed, and gone later", [revoked, withoutWidgets, withoutSecret, patience, withoutLink], "blocked"],
    ["revoked, noticed", [revoked, noticed, withoutSecret, withoutLink], "blocked"],
    ["narrowed, unnoticed", [narrowed, withoutLink], "blocked"],
    ["of another organization", [foreign, noticed, withoutLink], "blocked"],
    ["revoked, and gone while nothing ran", [revoked, withoutWidgets, withoutLink, restart], "blocked"],
    ["without its Secret at a restart", [withoutSecret, restart, noticed, withoutLink], "released"],
    ["without its Secret, all removed while nothing ran", [withoutSecret, withoutWidgets, restart], "released"],
  ];
  const ended = (end: End) => ends.filter(([, , how]) => how === end);
  const objectsIn = ({ cluster }: Env): readonly string[] =>
    cluster.all().map(({ kind, metadata }) => `${kind} ${metadata.name}`);

  it.each(ended("deleted"))("%s, under Delete: all objects are deleted", async (_what, steps) => {
    const env = await withChild(DELETE);
    for (const step of [...steps, withoutWidgets]) await step(env);
    await env.run(18 * MINUTE);
    expect(objectsIn(env).filter((object) => object.startsWith("Widget"))).toEqual([]);
    expect(env.world.remotes.size).toBe(0);
  });

  it.each(ended("blocked"))(
    "%s, under Delete: the deletion is blocked, and nothing is orphaned",
    async (_what, steps) => {
      const env = await withChild(DELETE);
      for (const step of [...steps, withoutWidgets]) await step(env);
      await env.run(2 * HOUR);
      expect(objectsIn(env)).toEqual(expect.arrayContaining(["Widget a", "Widget child"]));
      expect(env.conditions("Widget", "child")).toContain("Stalled=True/DeletionBlocked");
      expect(messageIn(env, "child")).toContain("set spec.lifecycle.deletionPolicy to Retain");
      expect(env.world.remotes.size).toBe(2);
      expect(env.orphans).toEqual([]);
    },
  );

  it.each(ended("released"))(
    "%s, under Delete: all are released after an hour, as told before",
    async (_what, steps) => {
      const env = await withChild(DELETE);
      for (const step of [...steps, withoutWidgets]) await step(env);
      await env.run(59 * MINUTE);
      expect(objectsIn(env)).toEqual(expect.arrayContaining(["Widget a", "Widget child"]));
      expect(messageIn(env, "child")).toContain("After 60 min without them the resource is released");
      await env.run(5 * MINUTE);
      expect(objectsIn(env).filter((object) => object.startsWith("Widget"))).toEqual([]);
      expect(env.world.remotes.size).toBe(2);
      expect(env.orphans.map(({ is, orphan }) => `${is} ${orphan.why}`)).toEqual(
        Array.from({ length: 2 }, () => "recorded ConnectionNotReady"),
      );
      expect(farewells(env)).toEqual(["Warning Orphaned", "Warning Orphaned"]);
    },
  );

  it("without its Secret at a restart, in a namespace that terminates: it is released after five minutes", async () => {
    const env = await applied(DELETE);
    env.isTerminating = true;
    for (const step of [withoutSecret, withoutWidgets, withoutLink, restart]) await step(env);
    await env.run(4 * MINUTE);
    expect(messageIn(env, "a")).toContain("After 5 min without them the resource is released");
    env.clock.shiftWall(-86_400_000);
    await env.run(2 * MINUTE);
    expect(objectsIn(env)).toEqual([]);
    expect(env.world.remotes.size).toBe(1);
  });

  it("without its Secret at a restart: it is deleted once the Secret exists again", async () => {
    const env = await applied(DELETE);
    for (const step of [withoutSecret, withoutWidgets, withoutLink, restart]) await step(env);
    await env.run(30 * MINUTE);
    env.cluster.secret("token", { token: "token-1" });
    await env.run(MINUTE);
    expect(objectsIn(env)).toEqual([]);
    expect(env.world.remotes.size).toBe(0);
  });

  it.each(ends)("%s, under Retain: it goes at once, and the platform is not asked to", async (_what, steps) => {
    const env = await applied();
    for (const step of [...steps, withoutWidgets]) await step(env);
    await env.run(0);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    await env.run(2 * MINUTE);
    expect(env.world.calls.filter(({ op }) => /delete|stop/.test(op))).toEqual([]);
  });
});

describe("a connection that is being deleted", () => {
  const withoutLink = (env: Env): void => env.cluster.remove("Link", "default");

  it("goes at once while no resource needs it for its deletion", async () => {
    const env = await applied();
    withoutLink(env);
    await env.run(1_000);
    expect(env.cluster.find("Link", "default")).toBeUndefined();
  });

  it("serves the resources that it has, and tells which of them need it", async () => {
    const env = await applied(DELETE);
    withoutLink(env);
    env.cluster.spec("Widget", "a", { ...DELETE, name: "a", note: "new" });
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(remote(env).note).toBe("new");
    expect(conditionOf(env.cluster.get("Link", "default"), "Ready")?.message).toContain('Widget "a"');
  });

  it("takes no new work", async () => {
    const env = await applied(DELETE);
    withoutLink(env);
    env.widget("b");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "b")).toContain("Ready=False/ConnectionNotReady");
    expect(messageIn(env, "b")).toContain("is being deleted and takes no new work");
    expect(effects(env)).toEqual(["create"]);
  });

  it("goes once the last resource with a finalizer is gone, or no longer has one", async () => {
    const env = await applied(DELETE);
    env.widget("b", DELETE);
    await env.run(5_000);
    withoutLink(env);
    env.cluster.remove("Widget", "a");
    await env.run(5_000);
    expect(env.cluster.find("Link", "default")).toBeDefined();
    env.cluster.spec("Widget", "b", { name: "b" });
    await env.run(5_000);
    expect(env.cluster.find("Link", "default")).toBeUndefined();
  });
});

it.each([
  ["Full", "after", 0, "Normal Deleted"],
  ["Full", "before", 0, undefined],
  ["Documented", "after", 1, "Warning Orphaned"],
] as const)("[A3] a deletion with an open intent (%s, lost %s) traces first", async (surface, when, left, farewell) => {
  const env = await started({ surface });
  fail(env, ["create"], LOST, { when });
  env.widget("a", DELETE);
  await env.run(0);
  await removed(env, 3 * MINUTE);
  expect(env.world.remotes.size).toBe(left);
  expect(farewells(env)).toEqual(farewell === undefined ? [] : [farewell]);
});

it.each(["Delete", "Retain"])(
  "[R1] a deletion with an unreadable intent, under %s, ends with a warning",
  async (policy) => {
    const meta = { finalizers: [FINALIZER], annotations: { [INTENT]: '{"v":2}' } };
    const env = await applied({ lifecycle: { deletionPolicy: policy } }, meta);
    await removed(env, 10 * MINUTE);
    expect(farewells(env)).toEqual(["Warning Orphaned"]);
  },
);
