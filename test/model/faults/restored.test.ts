import { describe, expect, it } from "vitest";

import { RECONCILE_REQUESTED_AT, RESOLVE } from "../../../src/api/names.ts";
import { recordedIdentityIn } from "../../../src/engine/contract/status.ts";
import { effort } from "../../support/env/effort.ts";
import { deploying, NEXT_COMMIT } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import type { OperatorEnv } from "../../support/platform/operator-env.ts";
import { backupOf, idsOf, living, readiness, restored, SURFACES, together, unready } from "./restores.ts";

/** What has nothing of the platform to lose. */
const AT_REST = /^PlatformConnection/;
const MOVES = effort.all ? (["whole", "bare"] as const) : (["bare"] as const);

const deployNext = ({ cluster }: OperatorEnv): void =>
  cluster.patch("PlatformApplication", "api", deploying(NEXT_COMMIT));

describe.each(SURFACES)("[R1] a backup that is restored beside the running cluster, %s surface", (surface) => {
  it("writes nothing to the platform, whatever a user asks of it, and the first cluster continues", async ({
    task,
  }) => {
    const env = await living(surface);
    const old = backupOf(env);
    deployNext(env);
    await env.run(5 * MINUTE);
    const copies: OperatorEnv[] = [];
    for (const backup of [backupOf(env), old])
      for (const how of ["whole", "bare"] as const) copies.push(await restored(env, backup, how));
    const from = env.baseline();
    await together(15, env, ...copies);
    for (const copy of copies) {
      copy.cluster.patch("PlatformApplication", "api", { spec: { memory: 4_096 } });
      copy.cluster.patch("PlatformProject", "shop", { spec: { description: "Another" } });
      copy.cluster.annotate("PlatformDatabase", "main", { [RECONCILE_REQUESTED_AT]: "now" });
    }
    await together(15, env, ...copies);
    for (const copy of copies) {
      const notReady = readiness(copy).filter((line) => !AT_REST.test(line));
      expect(notReady.filter((line) => !line.endsWith(": False/ForeignLedger"))).toEqual([]);
      expect(notReady.length).toBeGreaterThanOrEqual(9);
      for (const { kind, metadata } of copy.cluster.all()) copy.cluster.remove(kind, metadata.name);
    }
    await together(5, env, ...copies);
    expect(copies.flatMap(({ changes }) => changes)).toEqual([]);
    expect(env.writes(from)).toEqual([]);
    expect(unready(env)).toEqual([]);
    figure(task, "0 writes by restored copies", copies.length);
  });

  it.each(MOVES)("(%s) is adopted by an annotation on its connection, and nothing is created again", async (how) => {
    const env = await living(surface);
    const copy = await restored(env, backupOf(env), how);
    await together(5, env, copy);
    env.kill();
    const from = env.baseline();
    // The records are signed: no id has to be taken on trust.
    copy.cluster.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: false } });
    copy.cluster.annotate("PlatformConnection", "default", { [RESOLVE]: "adopt:installation-1" });
    await copy.run(15 * MINUTE);
    const { "PlatformCluster own": given, ...signed } = idsOf(env);
    expect(idsOf(copy)).toMatchObject(signed);
    // An id in the spec needs the same trust as when it was set.
    copy.cluster.patch("PlatformConnection", "default", { spec: { allowUnverifiedIds: true } });
    await copy.run(15 * MINUTE);
    expect(idsOf(copy)).toEqual({ ...signed, "PlatformCluster own": given });
    expect(env.writes(from).filter((write) => /^(create|deploy|delete)/.test(write))).toEqual([]);
    // From now on they are its own.
    copy.cluster.annotate("PlatformConnection", "default", { [RESOLVE]: null });
    await copy.restart();
    await copy.run(15 * MINUTE);
    expect(readiness(copy).filter((line) => line.includes("ForeignLedger"))).toEqual([]);
    const holders = copy.cluster.all().map((object) => recordedIdentityIn(object, "installation"));
    expect(new Set(holders)).toEqual(new Set([undefined, "installation-2"]));
    deployNext(copy);
    await copy.run(5 * MINUTE);
    expect(env.writes(from).filter((write) => write === "deployApplication")).toHaveLength(1);
  });
});
