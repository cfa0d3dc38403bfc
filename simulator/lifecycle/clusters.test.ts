import { describe, expect, it } from "vitest";

import { platformEnv } from "../../test/support/env/simulated-platform.ts";
import { clusterStates } from "../model/states.ts";
import type { Cluster } from "../model/world.ts";
import { refusalOfAction, startCluster, type ClusterAction } from "./clusters.ts";

/** The result of each command in each of the states: 0 for accepted, else the status of the refusal. */
const table: readonly (readonly [states: string, deploy: number, stop: number, upgrade: number])[] = [
  ["READY CANCELED", 0, 400, 400],
  ["DEPLOYED", 0, 0, 0],
  ["STOPPED", 0, 409, 400],
  ["DELETED", 400, 400, 400],
  ["RESTARTED BUILD_ERROR DEPLOYMENT_ERROR STOP_ERROR RESTART_ERROR DELETE_ERROR INVALID_CREDENTIALS", 0, 0, 400],
  ["BUILDING CANCELING DELETE_QUEUED DELETING DEPLOYING DEPLOYMENT_QUEUED", 409, 409, 409],
  ["DRY_RUN QUEUED STOPPING STOP_QUEUED RESTART_QUEUED RESTARTING", 409, 409, 409],
];
const rows = table.flatMap(([states, ...row]) => states.split(" ").map((state) => ({ state, row })));
const NOW = new Date("2026-01-01T12:00:00Z");
const actions: readonly ClusterAction[] = ["deploy", "stop", "upgrade"];
const cells = rows.flatMap(({ state, row }) => actions.map((action, i) => ({ action, state, expected: row[i] })));

function env(): { cluster: Cluster } & ReturnType<typeof platformEnv> {
  const platform = platformEnv();
  const cluster = platform.sim.world.clusters.get(platform.clusterIds[0] ?? "");
  if (cluster === undefined) throw new Error("no cluster");
  return { ...platform, cluster };
}

describe("judgeCluster(), which accepts or refuses a command on a cluster", () => {
  it("is tested in all 24 states", () => {
    expect(rows.map(({ state }) => state).toSorted()).toEqual(clusterStates.toSorted());
  });

  it.each(cells)("returns for $action in $state: $expected", ({ action, state, expected }) => {
    const { cluster } = env();
    cluster.state = state;
    expect(refusalOfAction(cluster, action, NOW)?.status ?? 0).toBe(expected);
  });

  it("refuses all commands on a locked cluster, and an upgrade without a newer version", () => {
    const { cluster } = env();
    cluster.nextVersion = null;
    expect(refusalOfAction(cluster, "upgrade", NOW)?.status).toBe(400);
    cluster.lock = { reason: "audit", lockedAt: "2026-01-01T00:00:00Z", ownerName: "kim", ttlInDays: 1 };
    expect(actions.map((action) => refusalOfAction(cluster, action, NOW)?.status)).toEqual([409, 409, 409]);
    expect(refusalOfAction(cluster, "stop", new Date("2026-01-02T00:00:00Z"))).toBeUndefined();
  });
});

it.each<[ClusterAction, Cluster["failNext"], string]>([
  ["stop", [], "STOP_QUEUED STOPPING STOPPED"],
  ["upgrade", [], "DEPLOYMENT_QUEUED DEPLOYING DEPLOYED"],
  ["deploy", ["deploy"], "DEPLOYMENT_QUEUED DEPLOYING DEPLOYMENT_ERROR"],
  ["deploy", ["credentials"], "DEPLOYMENT_QUEUED DEPLOYING INVALID_CREDENTIALS"],
  ["stop", ["stop"], "STOP_QUEUED STOPPING STOP_ERROR"],
])("a cluster runs through its states in a %s with the failures %j", async (action, failures, states) => {
  const { cluster, sim, wait, path } = env();
  cluster.failNext.push(...failures);
  startCluster(sim, cluster, action);
  await wait(100);
  expect(path(cluster.id)).toEqual(states.split(" "));
});
