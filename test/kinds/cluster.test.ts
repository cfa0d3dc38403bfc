/** PlatformCluster against the simulated platform, without Kubernetes. */
import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { kindEnv, type SurfaceName } from "../support/kinds/env.ts";
import { ownCluster } from "./runners.ts";

/** A platform with a separate cluster for each test of the `describe`. */
const clusterEnv = (surface: SurfaceName) =>
  kindEnv(
    surface,
    ({ harness }) => {
      const cluster = ownCluster(harness);
      // Lets the client's cache of the previous cluster expire.
      harness.advance(120);
      return { cluster };
    },
    (env) => ({
      spec: (change: JsonObject = {}): JsonObject => ({ externalId: env.cluster.id, ...change }),
      /** Returns a custom resource that was just applied. */
      applied: (change: JsonObject = {}) => env.harness.cluster({ externalId: env.cluster.id, ...change }),
    }),
  );

describe.each(["Documented", "Full"] as const)("a cluster on the %s surface", (surface) => {
  const env = clusterEnv(surface);
  const isFull = surface === "Full";

  it("is not adopted from another resource, nor through a connection that is limited to projects", async () => {
    const held = await env.applied({ runState: "Stopped" }).run({ holderOf: () => "shop/other" });
    expect(held).toMatchObject({ ops: [], end: "stalled AlreadyManaged" });
    const limited = await env.applied({ runState: "Stopped" }).run({ allowedProjects: [] });
    expect(limited).toMatchObject({ ops: [], end: "stalled NotObservable" });
    expect(env.sent()).toEqual([]);
  });

  it("is stopped once, and the state that the platform reports becomes the condition", async () => {
    const runner = env.applied({ runState: "Stopped" });
    const first = await runner.run();
    expect(first.ops).toEqual(["adopt", "stopCluster"]);
    expect(first.report.conditions).toContainEqual(
      expect.objectContaining({ type: "ClusterDeployed", status: isFull ? "False" : "Unknown", reason: "STOP_QUEUED" }),
    );
    env.harness.advance(120);
    const state = isFull ? "STOPPED" : "STOP_QUEUED";
    const status = { runState: "Stopped", state, writeLedger: { verified: true } };
    expect(await runner.run()).toMatchObject({
      ops: [],
      end: `settled ${isFull ? "Stopped" : "NotObservable"}`,
      status,
    });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(env.sent()).toEqual(["stopCluster"]);
  });

  it("reports its credentials, and reports when they do not exist", async () => {
    const { credentialsId } = env.harness.simulator;
    const runner = env.applied({ credentialsId });
    expect((await runner.run()).status).toMatchObject({ credentials: { id: credentialsId } });
    const missing = await runner.run({ spec: env.spec({ credentialsId: env.cluster.id }) });
    expect(missing).toMatchObject({ end: "stalled InvalidSpec" });
    expect(missing.status).not.toHaveProperty("credentials");
  });

  it("is stopped once when its resource is deleted with policy Stop, and stays", async () => {
    const runner = await env.begun(env.applied());
    const first = await runner.run({ goal: "stopped" });
    expect(first).toMatchObject({ ops: ["stopCluster"], is: isFull ? "waiting" : "settled" });
    expect(await env.after(120, runner, { goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    expect(await runner.run({ goal: "absent" })).toMatchObject({ ops: [], end: "stalled DeleteNotSupported" });
  });
});

describe("a cluster on the Full surface", () => {
  const env = clusterEnv("Full");

  it("is refused if it belongs to another organization or does not exist", async () => {
    const { sim } = env.harness.simulator;
    const foreign = [...sim.world.clusters.values()].find(({ name }) => name === "theirs");
    const theirs = await env.harness.cluster({ externalId: foreign?.id, runState: "Stopped" }).run();
    expect(theirs).toMatchObject({ ops: [], end: "stalled InvalidSpec" });
    const runner = await env.begun(env.applied());
    env.harness.remove(env.cluster.id);
    expect(await env.after(120, runner)).toMatchObject({ end: "stalled ExternalResourceDeleted" });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual([]);
  });

  it("is followed in the list if the platform has no status of a single cluster", async () => {
    env.harness.fault("getClusterStatus", { is: "status", status: 405 }, { count: null });
    const runner = env.applied({ runState: "Stopped" });
    expect(await runner.run()).toMatchObject({ ops: ["adopt", "stopCluster"], is: "waiting" });
    expect(await runner.run()).toMatchObject({ is: "waiting", status: { state: "STOP_QUEUED" } });
    expect(await env.after(120, runner)).toMatchObject({ ops: [], is: "settled", status: { state: "STOPPED" } });
  });

  it("is stopped once if the stop fails, and again on request", async () => {
    env.harness.edit(env.cluster.id, { failNext: ["stop"] });
    const runner = await env.begun(env.applied({ runState: "Stopped" }));
    expect(await env.after(120, runner)).toMatchObject({ ops: [], end: "stalled StopFailed" });
    expect((await runner.run({ requested: "again" })).ops).toEqual(["stopCluster"]);
  });

  it("is upgraded once although the answer has no body", async () => {
    const runner = env.applied({ kubernetesVersion: "1.34" });
    env.harness.fault("upgradeCluster", { is: "empty" }, { effect: "applied" });
    expect((await runner.run()).is).toBe("waiting");
    expect(await runner.run()).toMatchObject({ ops: [], end: "waiting Upgrading" });
    await env.after(120, runner);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", status: { kubernetesVersion: "1.34" } });
    expect(env.sent()).toEqual(["upgradeCluster"]);
  });
});

describe("a cluster on the Documented surface", () => {
  const env = clusterEnv("Documented");

  it("is not upgraded to the version with which it was adopted, and once to each newer one", async () => {
    const runner = env.applied({ kubernetesVersion: "1.33" });
    const unknown = await runner.run();
    expect(unknown).toMatchObject({ ops: ["adopt"], end: "settled NotObservable" });
    expect(unknown.report.conditions).toEqual([
      expect.objectContaining({ type: "ClusterDeployed", status: "Unknown", reason: "NotObservable" }),
      expect.objectContaining({ type: "UpToDate", status: "Unknown", reason: "NotObservable" }),
    ]);
    expect(unknown.report).not.toHaveProperty("drift");
    expect(env.sent()).toEqual([]);
    const upgraded = await runner.run({ spec: env.spec({ kubernetesVersion: "1.34" }) });
    expect(upgraded).toMatchObject({ ops: ["upgradeCluster"], end: "settled NotObservable" });
    expect(upgraded.why.message).toContain("its surface shows neither that version nor how far the upgrade is");
    expect(await runner.run({ requested: "now" })).toMatchObject({ ops: [], is: "settled" });
    expect(env.sent()).toEqual(["upgradeCluster"]);
  });

  it("is Stopped if it was stopped before, and tried again if it is at work", async () => {
    env.harness.edit(env.cluster.id, { state: "STOPPED", deployed: false });
    const status = { runState: "Stopped", state: "STOPPED", isDeployed: false };
    expect(await env.applied({ runState: "Stopped" }).run()).toMatchObject({ is: "settled", status });
    env.harness.edit(env.cluster.id, { state: "DEPLOYING" });
    await expect(env.applied({ runState: "Stopped" }).run()).rejects.toMatchObject({ failure: { is: "Conflict" } });
  });
});
