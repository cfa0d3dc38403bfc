import { describe, expect, it } from "vitest";

import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { callsSince, outage, withFleet, writesOf } from "../../../test/support/engine/fleet.ts";
import { RECONCILE_REQUESTED_AT } from "../../api/names.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";

const MINUTE = 60_000;

describe("an outage of the platform", () => {
  it("is told once, on the connection, and not on settled dependents", async () => {
    const bench = await withFleet(20);
    const before = {
      link: writesOf(bench, "Link"),
      widgets: writesOf(bench, "Widget"),
      calls: bench.world.calls.length,
    };
    const over = outage(bench);
    await bench.run(20 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    // Once at the first failure, and once when it is no longer Ready.
    expect(writesOf(bench, "Link") - before.link).toBe(2);
    expect(writesOf(bench, "Widget")).toBe(before.widgets);
    expect(callsSince(bench, before.calls)).toBeLessThan((20 * MINUTE) / 10_000);
    over();
    await bench.run(15 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Synced=True/ReconcileSuccess");
    expect(writesOf(bench, "Link") - before.link).toBe(3);
    expect(writesOf(bench, "Widget")).toBe(before.widgets);
  });

  it.each<[ApiFailure, number, reason: string, synced: string]>([
    [{ is: "Server" }, 503, "PlatformUnreachable", "PlatformUnavailable"],
    [{ is: "Unreachable" }, 0, "PlatformUnreachable", "PlatformUnreachable"],
    [{ is: "BadResponse" }, 200, "UnexpectedResponse", "UnexpectedResponse"],
  ])(
    "of two minutes (%j %i) ends the connection's Ready, and nobody else's",
    async (failure, status, reason, synced) => {
      const bench = await withFleet(2);
      const over = outage(bench, failure, status);
      bench.widget("pending");
      await bench.run(110_000);
      expect(bench.conditions("Link", "default")).toEqual(["Ready=True/Available", `Synced=False/${synced}`]);
      await bench.run(30_000);
      expect(bench.conditions("Link", "default")).toEqual([`Ready=False/${reason}`, `Synced=False/${synced}`]);
      expect(bench.conditions("Widget", "w0")).toContain("Ready=True/Available");
      expect(bench.conditions("Widget", "pending")).toContain("Ready=False/ConnectionNotReady");
      const writes = bench.cluster.writes.length;
      await bench.run(20 * MINUTE);
      expect(bench.cluster.writes.length).toBe(writes);
      over();
      await bench.run(20_000);
      expect(bench.conditions("Link", "default")).toEqual(["Ready=True/Available", "Synced=True/ReconcileSuccess"]);
      expect(bench.conditions("Widget", "pending")).toContain("Ready=True/Available");
    },
  );

  it("lasts across a restart: its two minutes do not begin again, and Ready does not come back", async () => {
    const bench = await withFleet(1);
    outage(bench);
    bench.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await bench.run(80_000);
    bench.restart();
    await bench.run(30_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
    await bench.run(30_000);
    expect(bench.conditions("Link", "default")).toContain("Ready=False/PlatformUnreachable");
    const writes = writesOf(bench, "Link");
    bench.restart();
    await bench.run(5 * MINUTE);
    expect(writesOf(bench, "Link")).toBe(writes);
  });

  it("is not what a platform is in that limits the rate of requests", async () => {
    const bench = await withFleet(1);
    outage(bench, { is: "RateLimited", retryAfterMs: 20_000 }, 429);
    bench.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await bench.run(10 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
    outage(bench);
    await bench.run(MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    expect(bench.conditions("Link", "default")).toContain("Ready=True/Available");
  });

  it.each<[ApiFailure, number, reason: string]>([
    [{ is: "Unauthorized" }, 401, "CredentialsInvalid"],
    [{ is: "Forbidden" }, 403, "PermissionDenied"],
  ])("is not waited for where the platform refuses the token (%j %i)", async (failure, status, reason) => {
    const bench = await withFleet(1);
    outage(bench, failure, status);
    bench.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await bench.run(1_000);
    expect(bench.conditions("Link", "default")).toContain(`Ready=False/${reason}`);
  });

  it("is told on a settled dependent after half an hour without a read, Ready kept", async () => {
    const bench = await withFleet(1);
    const over = outage(bench);
    const before = writesOf(bench, "Widget");
    await bench.run(55 * MINUTE);
    expect(bench.conditions("Widget", "w0")).toEqual([
      "Ready=True/Available",
      "Synced=False/ConnectionNotReady",
      "Deployed=True/READY",
      "Drifted=False/NoDrift",
    ]);
    expect(writesOf(bench, "Widget") - before).toBe(1);
    over();
    await bench.run(12 * MINUTE);
    expect(bench.conditions("Widget", "w0")).toContain("Synced=True/ReconcileSuccess");
  });

  it("makes pending work wait, and wakes it at once when it is over", async () => {
    const bench = await withFleet(1);
    const over = outage(bench);
    bench.widget("pending");
    await bench.run(5 * MINUTE);
    expect(bench.conditions("Widget", "pending")).toContain("Ready=False/ConnectionNotReady");
    expect(bench.conditions("Widget", "pending")).toContain("Reconciling=True/Progressing");
    const passes = bench.passes.length;
    await bench.run(10 * MINUTE);
    const own = bench.passes.slice(passes).filter(({ key }) => key.endsWith("/pending")).length;
    expect(own).toBeLessThan(12);
    over();
    await bench.run(16_000);
    expect(bench.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });

  it("does not lose what a person asks of a settled object meanwhile", async () => {
    const bench = await withFleet(1);
    const over = outage(bench);
    bench.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "1" });
    await bench.run(MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    bench.cluster.annotate("Widget", "w0", { [RECONCILE_REQUESTED_AT]: "2" });
    await bench.run(MINUTE);
    over();
    await bench.run(20_000);
    expect(bench.cluster.get("Widget", "w0")?.status).toMatchObject({ lastHandledReconcileAt: "2" });
  });

  it("at a start keeps pending work waiting only until the connection is there", async () => {
    const bench = await withFleet(1);
    const over = outage(bench);
    bench.widget("pending");
    await bench.run(MINUTE);
    over();
    bench.restart("newest first");
    await bench.run(1_000);
    expect(bench.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });

  it("probes at most once in 15 s, and with a rejected token once a minute", async () => {
    const bench = await withFleet(3);
    const over = outage(bench);
    await bench.run(12 * MINUTE);
    let calls = bench.world.calls.length;
    await bench.run(10 * MINUTE);
    expect(callsSince(bench, calls)).toBeLessThanOrEqual(41);
    over();
    await bench.run(MINUTE);
    outage(bench, { is: "Unauthorized" }, 401);
    bench.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await bench.run(2 * MINUTE);
    expect(bench.conditions("Link", "default")).toContain("Stalled=True/CredentialsInvalid");
    calls = bench.world.calls.length;
    await bench.run(10 * MINUTE);
    expect(callsSince(bench, calls)).toBeLessThanOrEqual(11);
  });

  it("that lasts one call leaves no trace on a settled object", async () => {
    const bench = await withFleet(1);
    const before = bench.cluster.writes.length;
    let failed = 0;
    bench.world.hooks.before = ({ op }) => {
      failed += op === "list" ? 1 : 0;
      return failed === 1 && op === "list" ? Promise.reject(apiError(op, { is: "Server" }, 502)) : Promise.resolve();
    };
    await bench.run(12 * MINUTE);
    expect(failed).toBeGreaterThan(1);
    expect(bench.cluster.writes.length).toBe(before);
  });
});
