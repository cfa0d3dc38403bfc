import { describe, expect, it } from "vitest";

import { engineBench } from "../../../test/support/engine/env.ts";
import { outage, withFleet, writesOf } from "../../../test/support/engine/fleet.ts";
import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { conditionOf } from "../contract/status.ts";

const MINUTE = 60_000;

describe("the token", () => {
  it("that changes in the Secret is used at once, and wakes who was rejected", async () => {
    const bench = await withFleet(1);
    const over = outage(bench, { is: "Unauthorized" }, 401);
    bench.widget("pending");
    await bench.run(2 * MINUTE);
    bench.cluster.secret("token", { token: "token-2" });
    over();
    await bench.run(11_000);
    expect(bench.world.tokens.at(-1)).toBe("token-2");
    expect(bench.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });

  it("whose Secret goes and comes back with the same content is used again at once", async () => {
    const bench = await withFleet(1);
    bench.cluster.secret("token", undefined);
    bench.cluster.annotate("Widget", "w0", { [RECONCILE_REQUESTED_AT]: "1" });
    await bench.run(MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
    bench.cluster.secret("token", { token: "token-1" });
    await bench.run(15_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
  });

  it("that was never there is named to those who wait", async () => {
    const bench = engineBench();
    bench.cluster.secret("token", undefined);
    bench.widget("a");
    await bench.run(MINUTE);
    const ready = conditionOf(bench.cluster.get("Widget", "a"), "Ready");
    expect(ready?.message).toBe('Waiting for Link "team/default" (reason CredentialsMissing).');
  });

  it("that is not there at the start is waited for", async () => {
    const bench = engineBench({ bare: true });
    bench.cluster.create("Link", "default", {});
    bench.widget("a");
    await bench.run(MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/CredentialsMissing");
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    const writes = bench.cluster.writes.length;
    await bench.run(10 * MINUTE);
    expect(bench.cluster.writes.length).toBe(writes);
    bench.cluster.secret("token", { token: "t" });
    await bench.run(6_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });
});

describe("a connection's own status", () => {
  it("that could not be written is written soon", async () => {
    const bench = await withFleet(1);
    const over = outage(bench);
    await bench.run(12 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    let failures = 2;
    bench.cluster.hooks.before = ({ key }) => {
      if (!key.startsWith("Link/") || failures === 0) return Promise.resolve();
      failures -= 1;
      return Promise.reject(
        failures === 1 ? new KubeError("Server", 500, "etcd") : new KubeError("Conflict", 409, "moved"),
      );
    };
    over();
    await bench.run(30_000);
    expect(failures).toBe(0);
    expect(bench.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
  });

  it("follows its poll interval", async () => {
    const bench = engineBench();
    bench.cluster.annotate("Link", "default", { "platform-operator.io/poll-interval": "1m" });
    await bench.run(10 * MINUTE);
    expect(bench.world.calls.filter(({ op }) => op === "ping").length).toBeGreaterThan(8);
  });

  it("that names no connection or another one is found when it comes", async () => {
    const bench = engineBench();
    await bench.run(1_000);
    bench.widget("a", { connectionRef: { name: "second" } });
    await bench.run(20_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=False/ConnectionNotReady");
    bench.cluster.create("Link", "second", {});
    await bench.run(2_000);
    expect(bench.conditions("Widget", "a")).toContain("Ready=True/Available");
  });

  it("leaves the calls under way to the client that is replaced", async () => {
    const bench = await withFleet(1);
    bench.cluster.spec("Link", "default", { surface: "Full" });
    await bench.run(10_000);
    expect(bench.world.closed).toBe(0);
    await bench.run(30_000);
    expect(bench.world.closed).toBe(1);
  });

  it("goes, and its settled users say so after half an hour", async () => {
    const bench = await withFleet(1);
    bench.cluster.remove("Link", "default");
    const before = writesOf(bench, "Widget");
    await bench.run(20 * MINUTE);
    expect(writesOf(bench, "Widget")).toBe(before);
    await bench.run(35 * MINUTE);
    expect(bench.conditions("Widget", "w0")).toContain("Synced=False/ConnectionNotReady");
    expect(bench.conditions("Widget", "w0")).toContain("Ready=True/Available");
  });
});

describe("the brake", () => {
  it("holds mass changes that nobody asked for, says so at once, and lets go on the user's word", async () => {
    const bench = await withFleet(30);
    for (const [id, { name }] of bench.world.remotes) {
      bench.cluster.spec("Widget", name, { name, note: "right" });
      bench.world.change(id, { note: "right" });
    }
    await bench.run(15 * MINUTE);
    const effects = bench.world.effects.length;
    for (const id of bench.world.remotes.keys()) bench.world.change(id, { note: "wrong" });
    await bench.run(12 * MINUTE);
    expect(bench.world.effects.length - effects).toBe(10);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
    await bench.run(30 * MINUTE);
    expect(bench.world.effects.length - effects).toBe(10);
    bench.cluster.annotate("Link", "default", { [RESOLVE]: "proceed" });
    await bench.run(1_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
    expect(bench.cluster.get("Link", "default").metadata.annotations).not.toHaveProperty([RESOLVE]);
  });

  it("says within seconds that it holds", async () => {
    const bench = await withFleet(12);
    for (const { name } of bench.world.remotes.values()) bench.cluster.spec("Widget", name, { name, note: "right" });
    await bench.run(15 * MINUTE);
    for (const id of bench.world.remotes.keys()) bench.world.change(id, { note: "wrong" });
    for (const { name } of bench.world.remotes.values()) {
      bench.cluster.annotate("Widget", name, { "platform-operator.io/poll-interval": "10m" });
    }
    await bench.run(5_000);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/MassChangeHeld");
  });
});
