import { describe, expect, it } from "vitest";

import { changeSettings } from "../../../simulator/base/settings.ts";
import { editRecord, removeRecord } from "../../../simulator/control/records.ts";
import { RESOLVE } from "../../../src/api/names.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { application, defaults, environment, project } from "../../support/kube/manifests.ts";
import { backupOf } from "../../support/kube/restores.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const MINUTE = 60_000;
const SIZE = 24;
/** What a connection with that few objects lets through in ten minutes. */
const BUDGET = 10;
const NAMES = Array.from({ length: SIZE }, (_, index) => `app-${index}`);
const HELD = "False/MassChangeHeld";

/** Applications that nobody deploys, so that each correction is one write. */
async function fleet(lifecycle: JsonObject): Promise<OperatorBench> {
  const bench = await operatorBench();
  bench.apply(...defaults(bench), project("shop"), environment(bench, "staging", "shop"));
  bench.apply(...NAMES.map((name) => app(name, 512, lifecycle)));
  await bench.run(15 * MINUTE);
  expect(NAMES.filter((name) => !bench.told("PlatformApplication", name).startsWith("True/"))).toEqual([]);
  return bench;
}

const app = (name: string, memory: number, lifecycle: JsonObject) =>
  application(name, "staging", { memory, runState: "Stopped", lifecycle });

function othersSet({ platform }: OperatorBench, memory: number): void {
  for (const { id } of platform.world().services.values()) editRecord(platform.sim, id, { memory });
}

/** Holds whatever happens: time goes by, the process starts anew, a look is asked for. */
async function expectHeld(bench: OperatorBench, from: number, writes = BUDGET): Promise<void> {
  expect(bench.writes(from)).toHaveLength(writes);
  expect(bench.told("PlatformConnection", "default")).toBe(HELD);
  expect(bench.looks("PlatformConnection", "default")).toContain("Stalled=True/MassChangeHeld");
  await bench.run(30 * MINUTE);
  await bench.restart();
  await bench.run(30 * MINUTE);
  expect(bench.writes(from)).toHaveLength(writes);
  expect(bench.told("PlatformConnection", "default")).toBe(HELD);
}

/** Each word lets as many through again, until nothing is left to do. @returns how many it took */
async function proceed(bench: OperatorBench): Promise<number> {
  for (let words = 0; ; words += 1) {
    if (bench.told("PlatformConnection", "default") === "True/Available") return words;
    expect(words).toBeLessThan(5);
    bench.cluster.annotate("PlatformConnection", "default", { [RESOLVE]: "proceed" });
    await bench.run(25 * MINUTE);
  }
}

describe("[R1] a mass change that no new generation caused", { timeout: 60_000 }, () => {
  it("by others who changed the settings of a fleet is held, and goes on when told to", async ({ task }) => {
    const bench = await fleet({ driftPolicy: "Correct" });
    const from = bench.mark();
    othersSet(bench, 4_096);
    await bench.run(25 * MINUTE);
    await expectHeld(bench, from);
    expect(await proceed(bench)).toBe(2);
    expect(bench.writes(from)).toEqual(NAMES.map(() => "updateApplication"));
    figure(task, `${BUDGET} of ${SIZE} writes, then held`);
  });

  it("by an old backup of the cluster is held", async () => {
    const lifecycle = { driftPolicy: "Correct" };
    const bench = await fleet(lifecycle);
    const old = backupOf(bench);
    bench.apply(...NAMES.map((name) => app(name, 1_024, lifecycle)));
    await bench.run(15 * MINUTE);
    const from = bench.mark();
    bench.kill();
    for (const object of old.objects) bench.cluster.restore(object);
    await bench.restart();
    await bench.run(25 * MINUTE);
    await expectHeld(bench, from);
  });

  it("by a fleet that vanished is held, whatever onMissing says", async () => {
    const bench = await fleet({ onMissing: "Recreate" });
    const from = bench.mark();
    for (const id of bench.platform.world().services.keys()) removeRecord(bench.platform.sim, id);
    await bench.run(25 * MINUTE);
    // What was let through was to be forgotten first; by then the connection says so to all.
    await expectHeld(bench, from, 0);
    expect(await proceed(bench)).toBeLessThanOrEqual(3);
    expect(bench.writes(from)).toEqual(NAMES.map(() => "createApplication"));
  });

  it.each([403, 404] as const)("by a platform that answers every read with %s does not begin", async (status) => {
    const bench = await fleet({ onMissing: "Recreate", driftPolicy: "Correct" });
    const from = bench.mark();
    changeSettings(bench.platform.sim.settings, { goneAs: 403 });
    const match = { method: "GET" };
    bench.platform.sim.faults.add({ match, count: null, effect: "none", answer: { is: "status", status } });
    await bench.run(60 * MINUTE);
    await bench.restart();
    await bench.run(60 * MINUTE);
    expect(bench.writes(from)).toEqual([]);
    bench.platform.sim.faults.clear();
    await bench.run(30 * MINUTE);
    expect(bench.writes(from)).toEqual([]);
    expect(NAMES.filter((name) => !bench.told("PlatformApplication", name).startsWith("True/"))).toEqual([]);
  });

  it("is none where a new generation causes it, however many there are", async () => {
    const bench = await fleet({});
    const from = bench.mark();
    bench.apply(...NAMES.map((name) => app(name, 1_024, {})));
    await bench.run(10 * MINUTE);
    expect(bench.writes(from)).toEqual(NAMES.map(() => "updateApplication"));
    expect(bench.told("PlatformConnection", "default")).toBe("True/Available");
  });
});
