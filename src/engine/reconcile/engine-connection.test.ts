import { describe, expect, it } from "vitest";

import { engineEnv } from "../../../test/support/engine/env.ts";
import { outage, withFleet, writesOf } from "../../../test/support/engine/fleet.ts";
import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { conditionOf } from "../contract/status.ts";

const MINUTE = 60_000;

describe("the token", () => {
  it("that changes in the Secret is used at once, and wakes the rejected objects", async () => {
    const env = await withFleet(1);
    const over = outage(env, { is: "Unauthorized" }, 401);
    env.widget("pending");
    await env.run(2 * MINUTE);
    env.cluster.secret("token", { token: "token-2" });
    over();
    await env.run(11_000);
    expect(env.world.tokens.at(-1)).toBe("token-2");
    expect(env.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });

  it("whose Secret is deleted and created again with the same content is used again at once", async () => {
    const env = await withFleet(1);
    env.cluster.secret("token", undefined);
    env.cluster.annotate("Widget", "w0", { [RECONCILE_REQUESTED_AT]: "1" });
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
    env.cluster.secret("token", { token: "token-1" });
    await env.run(15_000);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
  });

  it("that never existed is named to the objects that wait", async () => {
    const env = engineEnv();
    env.cluster.secret("token", undefined);
    env.widget("a");
    await env.run(MINUTE);
    const ready = conditionOf(env.cluster.get("Widget", "a"), "Ready");
    expect(ready?.message).toBe('Waiting for Link "team/default" (reason CredentialsMissing).');
  });

  it("that does not exist at the start is waited for", async () => {
    const env = engineEnv({ bare: true });
    env.cluster.create("Link", "default", {});
    env.widget("a");
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
    expect(env.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    const writes = env.cluster.writes.length;
    await env.run(10 * MINUTE);
    expect(env.cluster.writes.length).toBe(writes);
    env.cluster.secret("token", { token: "t" });
    await env.run(6_000);
    expect(env.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("a connection's own status", () => {
  it("that could not be written is written soon", async () => {
    const env = await withFleet(1);
    const over = outage(env);
    await env.run(12 * MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    let failures = 2;
    env.cluster.hooks.before = ({ key }) => {
      if (!key.startsWith("Link/") || failures === 0) return Promise.resolve();
      failures -= 1;
      return Promise.reject(
        failures === 1 ? new KubeError("Server", 500, "etcd") : new KubeError("Conflict", 409, "moved"),
      );
    };
    over();
    await env.run(30_000);
    expect(failures).toBe(0);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
  });

  it("follows its poll interval", async () => {
    const env = engineEnv();
    env.cluster.annotate("Link", "default", { "platform-operator.io/poll-interval": "1m" });
    await env.run(10 * MINUTE);
    expect(env.world.calls.filter(({ op }) => op === "ping").length).toBeGreaterThan(8);
  });

  it("is found by an object that waits for it once it is created", async () => {
    const env = engineEnv();
    await env.run(1_000);
    env.widget("a", { connectionRef: { name: "second" } });
    await env.run(20_000);
    expect(env.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    env.cluster.create("Link", "second", {});
    await env.run(2_000);
    expect(env.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("leaves the calls under way to the client that is replaced", async () => {
    const env = await withFleet(1);
    env.cluster.spec("Link", "default", { surface: "Full" });
    await env.run(10_000);
    expect(env.world.closed).toBe(0);
    await env.run(30_000);
    expect(env.world.closed).toBe(1);
  });

  it("waits between reconciles while no request has shown whether a rate limit is over", async () => {
    const env = await withFleet(1);
    const looks = () => env.passes.filter(({ key }) => key.startsWith("Link/")).length;
    env.world.limited = { sinceMs: 10 * MINUTE, leftMs: 0 };
    env.cluster.annotate("Link", "default", { "platform-operator.io/poll-interval": "5m" });
    const before = looks();
    await env.run(10_000);
    expect(looks() - before).toBeLessThan(8);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
    env.world.limited = { sinceMs: 10 * MINUTE, leftMs: MINUTE };
    await env.run(5_000);
    expect(env.conditions("Link", "default")).toContain("Synced=False/RateLimited");
    env.world.limited = undefined;
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
  });

  it("is deleted, and its settled users report that after half an hour", async () => {
    const env = await withFleet(1);
    env.cluster.remove("Link", "default");
    const before = writesOf(env, "Widget");
    await env.run(20 * MINUTE);
    expect(writesOf(env, "Widget")).toBe(before);
    await env.run(35 * MINUTE);
    expect(env.conditions("Widget", "w0")).toContain("Synced=False/ConnectionNotReady");
    expect(env.conditions("Widget", "w0")).toContain("Ready=True/Available");
  });
});

describe("the mass-change limit", () => {
  it("holds mass changes that nobody requested, reports that at once, and releases them on request", async () => {
    const env = await withFleet(30);
    for (const [id, { name }] of env.world.remotes) {
      env.cluster.spec("Widget", name, { name, note: "right" });
      env.world.change(id, { note: "right" });
    }
    await env.run(15 * MINUTE);
    const effects = env.world.effects.length;
    for (const id of env.world.remotes.keys()) env.world.change(id, { note: "wrong" });
    await env.run(12 * MINUTE);
    expect(env.world.effects.length - effects).toBe(10);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    await env.run(30 * MINUTE);
    expect(env.world.effects.length - effects).toBe(10);
    env.cluster.annotate("Link", "default", { [RESOLVE]: "proceed" });
    await env.run(1_000);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    expect(env.cluster.get("Link", "default").metadata.annotations).not.toHaveProperty([RESOLVE]);
  });

  it("reports within seconds that it holds", async () => {
    const env = await withFleet(12);
    for (const { name } of env.world.remotes.values()) env.cluster.spec("Widget", name, { name, note: "right" });
    await env.run(15 * MINUTE);
    for (const id of env.world.remotes.keys()) env.world.change(id, { note: "wrong" });
    for (const { name } of env.world.remotes.values()) {
      env.cluster.annotate("Widget", name, { "platform-operator.io/poll-interval": "10m" });
    }
    await env.run(5_000);
    expect(env.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });
});
