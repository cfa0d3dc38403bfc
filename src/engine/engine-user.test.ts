import { describe, expect, it } from "vitest";

import { applied, effects, engineEnv, ready, remote, status } from "../../test/support/engine/env.ts";
import { apiError } from "../../test/support/engine/fake-platform.ts";
import { widget } from "../../test/support/engine/kinds.ts";
import { HOUR, MINUTE } from "../../test/support/platform/durations.ts";
import { figure } from "../../test/support/platform/figure.ts";
import { APPROVED_PLAN, PAUSED, POLL_INTERVAL, RECONCILE_REQUESTED_AT, RESOLVE } from "../api/names.ts";

it("a pause stops all work, also on a new object, reports that once, and keeps the stored facts", async () => {
  const env = await applied({ commit: "c1" });
  const writes = env.writes("Widget", "a");
  env.cluster.annotate("Widget", "a", { [PAUSED]: "true" });
  env.cluster.spec("Widget", "a", { name: "a", commit: "c2" });
  env.widget("new", {}, { annotations: { [PAUSED]: "true" } });
  await env.run(30 * MINUTE);
  expect(env.writes("Widget", "a") - writes).toBe(1);
  const facts = ["Deployed=True/DEPLOYED", "Drifted=False/NoDrift"];
  expect(env.conditions("Widget", "a")).toEqual(["Ready=True/Available", "Synced=False/ReconcilePaused", ...facts]);
  expect(status(env, "observedGeneration")).toBe(1);
  expect(env.conditions("Widget", "new")).toEqual(["Ready=False/ReconcilePaused", "Synced=False/ReconcilePaused"]);
  expect(effects(env)).toEqual(["create", "deploy"]);
  env.cluster.annotate("Widget", "a", { [PAUSED]: null });
  await env.run(5_000);
  expect(env.world.count("deploy")).toBe(2);
  expect(env.conditions("Widget", "a")).toContain("Synced=True/ReconcileSuccess");
});

describe("a reconcile request", () => {
  it("reads again at once, is echoed once, and is handled once", async () => {
    const env = await applied();
    const reads = env.world.calls.length;
    const writes = env.writes("Widget", "a");
    env.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "t1" });
    await env.run(5_000);
    expect(env.world.calls.length).toBeGreaterThan(reads);
    expect(status(env, "lastHandledReconcileAt")).toBe("t1");
    await env.run(30 * MINUTE);
    expect(env.writes("Widget", "a") - writes).toBe(1);
  });

  it.each([0, 1])("retries a failed deployment once, also if the first %i retries are not sent", async (times) => {
    const env = engineEnv();
    env.world.deployed = "FAILED";
    env.widget("a", { commit: "c1" });
    await env.run(5_000);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/DeploymentFailed");
    let refusals = times;
    env.world.reserve = async () => {
      refusals -= 1;
      if (refusals >= 0) await Promise.reject(apiError("reserve", { is: "RateLimited", retryAfterMs: 20_000 }, 0));
    };
    env.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "t1" });
    await env.run(30 * MINUTE);
    expect(env.world.count("deploy")).toBe(2);
    expect(status(env, "lastHandledReconcileAt")).toBe("t1");
  });
});

it.each([PAUSED, POLL_INTERVAL, RESOLVE, APPROVED_PLAN])("an invalid annotation has one warning: %s", async (name) => {
  const env = await applied();
  env.cluster.annotate("Widget", "a", { [name]: "soon" });
  await env.run(HOUR);
  const note = expect.stringContaining(`The annotation ${name} is "soon"; it must be `);
  expect(env.events.filter(({ type }) => type === "Warning")).toMatchObject([{ reason: "InvalidSpec", note }]);
});

describe("[A8] a kind that throws", () => {
  it.each([
    ["claim", "Ready=True/Available"],
    ["needs", "Stalled=True/InternalError"],
    ["observe", "Stalled=True/InternalError"],
    ["plan", "Stalled=True/InternalError"],
    ["report", "Stalled=True/InternalError"],
  ])("in %s reports that (%s) and recovers; its neighbour is not affected", async (explode, told) => {
    const env = engineEnv();
    env.widget("torn", { explode });
    env.widget("good");
    await env.run(10_000);
    expect(env.conditions("Widget", "good")).toContain("Ready=True/Available");
    expect(env.conditions("Widget", "torn")).toContain(told);
    const { writes } = env.cluster;
    const before = writes.filter(({ what }) => what === "status").length;
    env.restart();
    await env.run(30 * MINUTE);
    expect(writes.filter(({ what }) => what === "status").length).toBe(before);
    const tries = env.reconciles.filter(({ key }) => key.endsWith("/torn")).map(({ at }) => at);
    expect(tries.length).toBeLessThan(40);
    // The same status each time, and longer and longer in between.
    const waits = tries.slice(2).map((at, index) => at - (tries[index + 1] ?? 0));
    const growth = (waits.at(-1) ?? 0) / Math.max(1, waits[0] ?? 0);
    expect(growth > 20 || !told.startsWith("Stalled")).toBe(true);
    env.cluster.spec("Widget", "torn", { name: "torn" });
    await env.run(3 * MINUTE);
    expect(env.conditions("Widget", "torn")).toContain("Ready=True/Available");
    expect([...env.world.remotes.values()].filter(({ name }) => name === "torn")).toHaveLength(1);
  });

  it("in what a status claims does not keep changes from other resources", async () => {
    const env = engineEnv();
    env.widget("torn");
    await env.run(5_000);
    env.cluster.status("Widget", "torn", { ...(env.cluster.get("Widget", "torn").status as object), torn: true });
    env.widget("good");
    await env.run(10_000);
    expect(env.conditions("Widget", "good")).toContain("Ready=True/Available");
    env.restart();
    env.cluster.spec("Widget", "good", { name: "good", note: "new" });
    await env.run(3 * MINUTE);
    expect([...env.world.remotes.values()].find(({ name }) => name === "good")?.note).toBe("new");
  });

  it("in the middle of a create leaves an intent that is traced, and creates once when it is fixed", async () => {
    const env = engineEnv();
    env.widget("torn", { explode: "act" });
    await env.run(30 * MINUTE);
    expect(env.events.map(({ reason }) => reason)).toContain("InternalError");
    expect(env.internal.length).toBeLessThan(40);
    expect(env.world.effects).toEqual([]);
    env.cluster.spec("Widget", "torn", { name: "torn" });
    await env.run(3 * MINUTE);
    expect(env.conditions("Widget", "torn")).toContain("Ready=True/Available");
    expect(env.world.count("create")).toBe(1);
  });

  it("gets no spec that is not valid: the status names the field, and the object recovers", async () => {
    const env = engineEnv();
    env.cluster.create("Widget", "a", { name: 7, note: { deep: true } });
    await env.run(5_000);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/InvalidSpec");
    expect(JSON.stringify(env.cluster.get("Widget", "a").status)).toContain("spec.name: ");
    env.cluster.spec("Widget", "a", { name: "a" });
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("does not lose an object whose status makes no sense", async () => {
    const env = engineEnv();
    env.widget("a");
    env.cluster.status("Widget", "a", {
      conditions: "x",
      writeLedger: { deployed: 7, intent: null },
      observedGeneration: "y",
    });
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });
});

it.for([
  ["Correct", 1, "Drifted"],
  [undefined, 1, "Drifted"],
  ["Report", 0, "Warning DriftDetected"],
] as const)(
  "[C11] changes by others each minute, under %s: at most %d correction a look",
  async ([policy, most, news], { task }) => {
    const env = await applied({ note: "ours", lifecycle: policy === undefined ? {} : { driftPolicy: policy } });
    const { id } = remote(env);
    const polls = 20;
    for (let minute = 0; minute < 10 * polls; minute += 1) {
      env.world.change(id, { note: "theirs" });
      await env.run(MINUTE);
    }
    const corrections = env.world.count("update");
    // A poll of ten minutes, give or take a tenth.
    expect(corrections).toBeLessThanOrEqual(most * (polls + 1));
    expect(corrections).toBeGreaterThanOrEqual(most * (polls - 2));
    const events = env.events.map(({ type, reason }) => `${type} ${reason}`);
    expect([...env.changes.map(({ cause }) => cause), ...events]).toContain(news);
    expect(env.conditions("Link", "default"), "the limit is for changes that no user caused").toContain(
      "Ready=True/Available",
    );
    figure(task, `${corrections} corrections in ${polls} poll intervals of changes each minute`);
  },
);

it("[C11] a platform that never keeps what is written is not written to in a hot loop", async () => {
  const env = await applied({ note: "mine" });
  const effect = env.world.effect.bind(env.world);
  env.world.effect = (op, id, made) => effect(op, id, { ...made, ...(op === "update" && { note: "theirs" }) });
  env.cluster.spec("Widget", "a", { name: "a", note: "other" });
  await env.run(10 * MINUTE);
  expect(env.world.count("update")).toBeLessThan(400);
  expect(env.due("Widget", "a")).toBeGreaterThan(0);
});

it.each([
  [0, 9, 11],
  [5_000, 1, 3],
])("a reconcile follows a report in time, and at most once a second: within %i ms", async (lookWithin, least, most) => {
  const kind: typeof widget = { ...widget, report: (...how) => ({ ...widget.report(...how), lookWithin }) };
  const env = engineEnv({ kind });
  env.widget("a");
  await env.run(5_000);
  const before = env.reconciles.length;
  await env.run(10_000);
  expect(env.reconciles.length - before).toBeGreaterThanOrEqual(least);
  expect(env.reconciles.length - before).toBeLessThanOrEqual(most);
});
