import { describe, expect, it } from "vitest";

import { callTimes, effects, type Env, leastGap, outage, withFleet } from "../../test/support/engine/env.ts";
import { MINUTE } from "../../test/support/platform/durations.ts";
import { RECONCILE_REQUESTED_AT } from "../api/names.ts";
import type { ApiFailure } from "../platform/transport/errors.ts";

const writesOf = (env: Env, kind: string): number =>
  env.cluster.writes.filter(({ key }) => key.startsWith(`${kind}/`)).length;

describe("[C9] an outage of the platform", () => {
  it.each<[ApiFailure, number, reason: string, synced: string]>([
    [{ is: "Server" }, 503, "PlatformUnreachable", "PlatformUnavailable"],
    [{ is: "Unreachable" }, 0, "PlatformUnreachable", "PlatformUnreachable"],
    [{ is: "BadResponse" }, 200, "UnexpectedResponse", "UnexpectedResponse"],
  ])("of two minutes (%j %i) ends Ready of the connection alone, and of an hour as well", async (...row) => {
    const [failure, status, reason, synced] = row;
    const env = await withFleet(2);
    const over = outage(env, failure, status);
    env.widget("pending");
    await env.run(110_000);
    expect(env.conditions("Link", "default")).toEqual(["Ready=True/Available", `Synced=False/${synced}`]);
    await env.run(30_000);
    expect(env.conditions("Link", "default")).toEqual([`Ready=False/${reason}`, `Synced=False/${synced}`]);
    expect(env.conditions("Widget", "w0")).toContain("Ready=True/Available");
    expect(env.conditions("Widget", "pending")).toContain("Ready=False/ConnectionNotReady");
    expect(env.conditions("Widget", "pending")).toContain("Reconciling=True/Progressing");
    const reconciles = () => env.reconciles.filter(({ key }) => key.endsWith("/pending")).length;
    const before = [env.cluster.writes.length, reconciles()] as const;
    await env.run(20 * MINUTE);
    expect(env.cluster.writes.length).toBe(before[0]);
    expect(reconciles() - before[1]).toBeLessThan(24);
    await env.run(40 * MINUTE);
    const facts = ["Deployed=True/READY", "Drifted=False/NoDrift"];
    const told = ["Ready=True/Available", "Synced=False/ConnectionNotReady", ...facts];
    for (const name of ["w0", "w1"]) expect(env.conditions("Widget", name)).toEqual(told);
    expect(env.cluster.writes.length).toBe(before[0] + 2);
    over();
    await env.run(16_000);
    expect(env.conditions("Link", "default")).toEqual(["Ready=True/Available", "Synced=True/ReconcileSuccess"]);
    expect(env.conditions("Widget", "pending")).toContain("Ready=True/Available");
    await env.run(15 * MINUTE);
    for (const name of ["w0", "w1"]) expect(env.conditions("Widget", name)).toContain("Synced=True/ReconcileSuccess");
    expect(effects(env)).toEqual(["create", "create", "create"]);
  });

  it.each([500, 503])("[C2] of two minutes (%i) costs few calls, then one in 15 s at most", async (status) => {
    const env = await withFleet(10);
    const over = outage(env, { is: "Server" }, status);
    const calls = callTimes(env);
    await env.run(MINUTE);
    env.widget("late");
    env.cluster.spec("Widget", "w0", { name: "w0", commit: "c1" });
    await env.run(MINUTE);
    expect(calls.length).toBeLessThanOrEqual(13);
    const late = calls.slice(5);
    expect(late.length).toBeGreaterThan(2);
    expect(leastGap(late)).toBeGreaterThanOrEqual(15_000);
    over();
    await env.run(30_000);
    for (const name of ["late", "w0"]) expect(env.conditions("Widget", name)).toContain("Ready=True/Available");
    expect(effects(env).slice(10).toSorted()).toEqual(["create", "deploy"]);
  });

  it("lasts across a restart: its two minutes do not begin again, and Ready does not come back", async () => {
    const env = await withFleet(1);
    outage(env);
    env.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.run(80_000);
    env.restart();
    await env.run(30_000);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    await env.run(30_000);
    expect(env.conditions("Link", "default")).toContain("Ready=False/PlatformUnreachable");
    const writes = writesOf(env, "Link");
    env.restart();
    await env.run(5 * MINUTE);
    expect(writesOf(env, "Link")).toBe(writes);
  });

  it("does not include a platform that limits the rate of requests", async () => {
    const env = await withFleet(1);
    outage(env, { is: "RateLimited", retryAfterMs: 20_000 }, 429);
    env.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "now" });
    await env.run(10 * MINUTE);
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
    outage(env);
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
  });

  it("does not lose a reconcile request for a settled object", async () => {
    const env = await withFleet(1);
    const over = outage(env);
    env.cluster.annotate("Link", "default", { [RECONCILE_REQUESTED_AT]: "1" });
    await env.run(MINUTE);
    expect(env.conditions("Link", "default")).toContain("Synced=False/PlatformUnavailable");
    env.cluster.annotate("Widget", "w0", { [RECONCILE_REQUESTED_AT]: "2" });
    await env.run(MINUTE);
    over();
    await env.run(20_000);
    expect(env.cluster.get("Widget", "w0")?.status).toMatchObject({ lastHandledReconcileAt: "2" });
  });

  it("at a start keeps pending work waiting only until the connection is there", async () => {
    const env = await withFleet(1);
    const over = outage(env);
    env.widget("pending");
    await env.run(MINUTE);
    over();
    env.restart("newest first");
    await env.run(1_000);
    expect(env.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });
});

it("the deletion of a connection is reported by its settled users after half an hour; Ready stays", async () => {
  const env = await withFleet(1);
  env.cluster.remove("Link", "default");
  const before = writesOf(env, "Widget");
  await env.run(20 * MINUTE);
  expect(writesOf(env, "Widget")).toBe(before);
  await env.run(35 * MINUTE);
  const facts = ["Deployed=True/READY", "Drifted=False/NoDrift"];
  const told = ["Ready=True/Available", "Synced=False/ConnectionNotReady", ...facts];
  expect(env.conditions("Widget", "w0")).toEqual(told);
  expect(writesOf(env, "Widget") - before).toBe(1);
  env.cluster.create("Link", "default", {});
  await env.run(12 * MINUTE);
  expect(env.conditions("Widget", "w0")).toContain("Synced=True/ReconcileSuccess");
});
