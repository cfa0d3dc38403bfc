import { describe, expect, it } from "vitest";

import { engineEnv, type Env, fail } from "../../../test/support/engine/env.ts";
import { HOUR, MINUTE } from "../../../test/support/platform/durations.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import { conditionOf } from "../contract/status.ts";

const PARENT = { parentRef: { name: "parent" } };
const CONTENT = { secret: { name: "content", key: "text" } };
const SECOND = { connectionRef: { name: "second" } };
const SHARED = { connectionRef: { kind: "ClusterLink", name: "shared" } };
const ADMITTED = { allowedNamespaces: ["team"] };

/** An object that refers to something that does not exist, and what ends that. */
const CASES: readonly (readonly [what: string, spec: JsonObject, reason: string, mend: (env: Env) => void])[] = [
  ["parent", PARENT, "ParentNotFound", (env) => env.widget("parent")],
  ["Secret", CONTENT, "DependencyNotReady", ({ cluster }) => cluster.secret("content", { text: "x" })],
  ["connection", SECOND, "ConnectionNotReady", ({ cluster }) => cluster.create("Link", "second", {})],
  ["right to use it", SHARED, "ConnectionNotReady", ({ cluster }) => cluster.spec("ClusterLink", "shared", ADMITTED)],
];

const waiting = (reason: string): unknown =>
  expect.arrayContaining([`Ready=False/${reason}`, "Reconciling=True/Progressing"]);
const stalled = (reason: string): unknown =>
  expect.arrayContaining([`Ready=False/${reason}`, `Stalled=True/${reason}`]);

async function startedEnv(): Promise<Env> {
  const env = engineEnv();
  env.cluster.secret("token", { token: "token-1" }, "operator");
  env.cluster.create("ClusterLink", "shared", { allowedNamespaces: [] });
  await env.run(5_000);
  return env;
}

describe("a reference to something that does not exist", () => {
  it.each(CASES)("stalls after ten minutes, over restarts, and is waited for: %s", async (what, spec, reason, mend) => {
    const env = await startedEnv();
    env.widget("child", spec);
    await env.run(5_000);
    expect(env.writes("Widget", "child")).toBe(1);
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await env.run(3 * MINUTE);
      expect(env.conditions("Widget", "child")).toEqual(waiting(reason));
      env.restart();
    }
    expect(env.writes("Widget", "child")).toBe(1);
    await env.run(2 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(stalled(reason));
    expect(env.conditions("Widget", "child").join(" ")).not.toContain("Reconciling");
    const writes = env.cluster.writes.length;
    env.restart();
    await env.run(30 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(stalled(reason));
    expect(env.cluster.writes.length).toBe(writes);
    mend(env);
    // Secrets are not watched.
    await env.run(what === "Secret" ? 40_000 : 2_000);
    expect(env.conditions("Widget", "child")).toContain("Ready=True/Available");
    expect(env.conditions("Widget", "child").join(" ")).not.toContain("Stalled");
  });

  it("is no longer reported once its target exists, even if that is not ready", async () => {
    const env = await startedEnv();
    env.widget("child", PARENT);
    await env.run(11 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(stalled("ParentNotFound"));
    env.widget("parent", CONTENT);
    await env.run(100);
    expect(env.conditions("Widget", "child")).toEqual(waiting("ParentNotReady"));
    // An object that exists is waited for without an end.
    await env.run(HOUR);
    expect(env.conditions("Widget", "child")).toEqual(waiting("ParentNotReady"));
  });

  it("gets another ten minutes after a change of the spec, and after something else was missing", async () => {
    const env = await startedEnv();
    env.widget("child", PARENT);
    await env.run(9 * MINUTE);
    env.cluster.spec("Widget", "child", { name: "child", parentRef: { name: "other" } });
    await env.run(9 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(waiting("ParentNotFound"));
    env.widget("other");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "child")).toContain("Ready=True/Available");
    env.cluster.remove("Widget", "other");
    await env.run(MINUTE);
    expect(conditionOf(env.cluster.get("Widget", "child"), "Stalled")).toBeUndefined();
  });

  it("on the platform, as it answers a create with 404, stalls as well; the create is tried as often as before", async () => {
    const env = await startedEnv();
    const over = fail(env, ["create"], [{ is: "NotFound" }, 404]);
    env.widget("child", { parentRef: { externalId: "00000000-0000-4000-8000-00000000dead" } });
    await env.run(9 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(waiting("ParentNotFound"));
    await env.run(6 * MINUTE);
    expect(env.conditions("Widget", "child")).toEqual(stalled("ParentNotFound"));
    over();
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "child")).toContain("Ready=True/Available");
  });
});
