import { describe, expect, it } from "vitest";

import { platformEnv } from "../../test/support/env/simulated-platform.ts";
import { clusterStates } from "../model/states.ts";
import type { Cluster } from "../model/world.ts";
import { judgeCluster, startCluster, type ClusterAction } from "./clusters.ts";

/** The result of each command in each state: 0 for accepted, else the status of the refusal. */
const table: Readonly<Record<string, readonly [deploy: number, stop: number, upgrade: number]>> = {
  READY: [0, 400, 400],
  DEPLOYED: [0, 0, 0],
  RESTARTED: [0, 0, 400],
  STOPPED: [0, 409, 400],
  DELETED: [400, 400, 400],
  CANCELED: [0, 400, 400],
  BUILD_ERROR: [0, 0, 400],
  DEPLOYMENT_ERROR: [0, 0, 400],
  STOP_ERROR: [0, 0, 400],
  RESTART_ERROR: [0, 0, 400],
  DELETE_ERROR: [0, 0, 400],
  INVALID_CREDENTIALS: [0, 0, 400],
  BUILDING: [409, 409, 409],
  CANCELING: [409, 409, 409],
  DELETE_QUEUED: [409, 409, 409],
  DELETING: [409, 409, 409],
  DEPLOYING: [409, 409, 409],
  DEPLOYMENT_QUEUED: [409, 409, 409],
  DRY_RUN: [409, 409, 409],
  QUEUED: [409, 409, 409],
  STOPPING: [409, 409, 409],
  STOP_QUEUED: [409, 409, 409],
  RESTART_QUEUED: [409, 409, 409],
  RESTARTING: [409, 409, 409],
};
const NOW = new Date("2026-01-01T12:00:00Z");
const actions: readonly ClusterAction[] = ["deploy", "stop", "upgrade"];

function env(): { cluster: Cluster } & ReturnType<typeof platformEnv> {
  const platform = platformEnv();
  const cluster = platform.sim.world.clusters.get(platform.clusterIds[0] ?? "");
  if (cluster === undefined) throw new Error("no cluster");
  return { ...platform, cluster };
}

describe("judgeCluster", () => {
  it("is tested in all 24 states", () => {
    expect(Object.keys(table).sort()).toEqual([...clusterStates].sort());
  });

  it.each(
    Object.entries(table).flatMap(([state, row]) => actions.map((action, i) => [action, state, row[i]] as const)),
  )("%s in %s: %s", (action, state, expected) => {
    const { cluster } = env();
    cluster.state = state;
    expect(judgeCluster(cluster, action, NOW)?.status ?? 0).toBe(expected);
  });

  it("refuses everything under a lock, and an upgrade without a newer version", () => {
    const { cluster } = env();
    cluster.nextVersion = null;
    expect(judgeCluster(cluster, "upgrade", NOW)?.status).toBe(400);
    cluster.lock = { reason: "audit", lockedAt: "2026-01-01T00:00:00Z", ownerName: "kim", ttlInDays: 1 };
    expect(actions.map((action) => judgeCluster(cluster, action, NOW)?.status)).toEqual([409, 409, 409]);
    expect(judgeCluster(cluster, "stop", new Date("2026-01-02T00:00:00Z"))).toBeUndefined();
  });
});

describe("a cluster", () => {
  it("stops, and its services keep their states", async () => {
    const { cluster, sim, wait, path, service } = env();
    const app = service("application", "web", "DEPLOYED");
    startCluster(sim, cluster, "stop");
    await wait(100);
    expect(path(cluster.id)).toEqual(["STOP_QUEUED", "STOPPING", "STOPPED"]);
    expect([cluster.deployed, app.state]).toEqual([false, "DEPLOYED"]);
  });

  it("upgrades to the next version, once", async () => {
    const { cluster, sim, wait, path } = env();
    startCluster(sim, cluster, "upgrade");
    await wait(100);
    expect(path(cluster.id)).toEqual(["DEPLOYMENT_QUEUED", "DEPLOYING", "DEPLOYED"]);
    expect([cluster.version, cluster.nextVersion]).toEqual(["1.34", null]);
  });

  it.each([
    ["deploy", "deploy", "DEPLOYMENT_ERROR"],
    ["deploy", "credentials", "INVALID_CREDENTIALS"],
    ["stop", "stop", "STOP_ERROR"],
  ] as const)("fails its %s by %s with %s", async (action, failure, expected) => {
    const { cluster, sim, wait } = env();
    cluster.failNext.push(failure);
    startCluster(sim, cluster, action);
    await wait(100);
    expect(cluster.state).toBe(expected);
  });
});
