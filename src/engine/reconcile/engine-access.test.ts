import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { applied, DELETE, fail, LOST, MINUTE, ready, started, status } from "../../../test/support/engine/widgets.ts";
import { FINALIZER } from "../../api/names.ts";

const FORBIDDEN = [{ is: "Forbidden" }, 403] as const;

describe("[C6] a token that may not do something", () => {
  it("stalls the object alone, and a new token brings it back at once", async () => {
    const env = await applied();
    const over = fail(env, ["create"], FORBIDDEN);
    env.widget("b");
    await env.run(MINUTE);
    expect(env.conditions("Widget", "b")).toContain("Stalled=True/PermissionDenied");
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    const creates = () => env.world.calls.filter(({ op }) => op === "create").length;
    const before = creates();
    await env.run(8 * MINUTE);
    expect(creates()).toBe(before);
    over();
    env.cluster.secret("token", { token: "stronger" });
    await env.run(11_000);
    expect(env.conditions("Widget", "b")).toContain("Ready=True/Available");
  });

  it("not even read, stalls the connection and no dependent", async () => {
    const env = await applied();
    const writes = env.writes("Widget", "a");
    const over = fail(env, ["ping", "list", "get"], FORBIDDEN);
    await env.run(15 * MINUTE);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/PermissionDenied");
    expect(env.writes("Widget", "a")).toBe(writes);
    over();
    await env.run(75_000);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
  });
});

describe("a trace that fails", () => {
  it("leaves the intent open and is tried again", async () => {
    const env = await started();
    fail(env, ["create"], LOST, { when: "after" });
    env.widget("a");
    await env.run(0);
    const over = fail(env, ["list"], [{ is: "BadResponse" }, 200]);
    await env.run(2 * MINUTE);
    expect(env.world.count("create")).toBe(1);
    expect(status(env, "externalId")).toBeUndefined();
    over();
    await env.run(5 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.remotes.size).toBe(1);
  });
});

describe("a process that does not lead", () => {
  it("changes nothing on the platform, and continues when it leads", async () => {
    const env = engineEnv();
    env.leader = false;
    env.widget("a", { note: "n" });
    await env.run(MINUTE);
    expect(env.world.effects).toEqual([]);
    expect(env.cluster.writes.filter(({ what, key }) => what === "checked" && key.startsWith("Widget"))).toEqual([]);
    env.leader = true;
    await env.run(31_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("loses the lease between the intent of an action and its send: sent once, later", async () => {
    const env = await applied();
    env.cluster.hooks.after = ({ what }) => {
      env.leader = what !== "status";
      return Promise.resolve();
    };
    env.cluster.spec("Widget", "a", { name: "a", commit: "c1" });
    await env.run(100);
    expect(env.world.calls.filter(({ op }) => op === "deploy")).toEqual([]);
    expect(status(env, "intent")).toBeDefined();
    env.cluster.hooks.after = () => Promise.resolve();
    env.leader = true;
    await env.run(31_000);
    expect(env.world.count("deploy")).toBe(1);
    expect(status(env, "intent")).toBeUndefined();
  });

  it("loses the lease while the API server confirms the object: a repeatable write is not sent", async () => {
    const env = await applied({ note: "one" });
    const { client } = env.cluster;
    const request = client.request.bind(client);
    client.request = async (one) => {
      const answer = await request(one);
      if (one.method === "GET" && one.path.includes("widgets")) env.leader = false;
      return answer;
    };
    env.cluster.spec("Widget", "a", { name: "a", note: "two" });
    await env.run(1_000);
    expect(env.leader).toBe(false);
    expect(env.world.calls.filter(({ op }) => op === "update")).toEqual([]);
    client.request = request;
    env.leader = true;
    await env.run(31_000);
    expect(env.world.count("update")).toBe(1);
  });
});

describe("an object that is taken over", () => {
  it("gets its finalizer in the same write, where a policy needs it", async () => {
    const env = engineEnv();
    const { id } = env.world.add("a");
    env.widget("a", DELETE);
    await env.run(5_000);
    expect(env.cluster.get("Widget", "a").metadata.finalizers).toEqual([FINALIZER]);
    expect(status(env, "externalId")).toBe(id);
    expect(env.writes("Widget", "a")).toBe(2);
  });

  it("while its resource is deleted is left without an error", async () => {
    const env = await started();
    env.world.hooks.after = ({ op }) => {
      if (op === "create") env.cluster.remove("Widget", "a");
      return Promise.resolve();
    };
    env.widget("a");
    await env.run(5_000);
    expect(env.cluster.find("Widget", "a")).toBeUndefined();
    expect(env.changes.at(-1)).toMatchObject({ op: "create", result: "ok", id: [...env.world.remotes.keys()][0] });
    await env.run(30 * MINUTE);
    expect(env.internal).toEqual([]);
  });

  it("by two resources of the same name at once belongs to one of them", async () => {
    const env = engineEnv();
    env.world.add("shared");
    env.cluster.create("Widget", "first", { name: "shared" });
    env.cluster.create("Widget", "second", { name: "shared" });
    await env.run(15 * MINUTE);
    const told = ["first", "second"].map((name) => env.conditions("Widget", name)[0]);
    expect(new Set(told)).toEqual(new Set(["Ready=False/AlreadyManaged", "Ready=True/Available"]));
    expect(env.world.remotes.size).toBe(1);
  });
});

describe("the end of the process", () => {
  it("closes every client, also one that was replaced", async () => {
    const env = await started();
    env.cluster.spec("Link", "default", { surface: "Full" });
    await env.run(1_000);
    await env.engine.connections.closeAll();
    expect(env.world.closed).toBe(2);
  });
});
