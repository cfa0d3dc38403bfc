import { describe, expect, it } from "vitest";

import { changeSettings } from "../../../simulator/base/settings.ts";
import { editRecord, removeRecord } from "../../../simulator/control/records.ts";
import { RESOLVE } from "../../../src/api/names.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { application, environment, project, resource, secret } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { backupOf, unready } from "./restores.ts";

const SIZE = 21;
/** What a connection with that few objects lets through in ten minutes. */
const BUDGET = 10;
const NAMES = Array.from({ length: SIZE }, (_, index) => `app-${index}`);
const HELD = "False/MassChangeHeld";

/** Applications that nobody deploys, so that each correction is one write. */
async function fleet(lifecycle: JsonObject): Promise<OperatorEnv> {
  const env = await settledEnv((env) => [
    project("shop"),
    environment(env, "staging", "shop"),
    ...applications(512, lifecycle),
  ]);
  expect(unready(env)).toEqual([]);
  return env;
}

const applications = (memory: number, lifecycle: JsonObject = {}): readonly Manifest[] =>
  NAMES.map((name) => application(name, "staging", { memory, runState: "Stopped", lifecycle }));

/** Holds whatever happens: time passes, the process restarts, a reconcile is requested. */
async function expectHeld(env: OperatorEnv, from: number, writes = BUDGET): Promise<void> {
  expect(env.writes(from)).toHaveLength(writes);
  expect(env.condition("PlatformConnection", "default")).toBe(HELD);
  expect(env.summary("PlatformConnection", "default")).toContain("Stalled=True/MassChangeHeld");
  await env.run(30 * MINUTE);
  await env.restart();
  await env.run(30 * MINUTE);
  expect(env.writes(from)).toHaveLength(writes);
  expect(env.condition("PlatformConnection", "default")).toBe(HELD);
}

/** Each word lets as many through again, until nothing is left to do. @returns how many it took */
async function proceed(env: OperatorEnv): Promise<number> {
  for (let words = 0; ; words += 1) {
    if (env.condition("PlatformConnection", "default") === "True/Available") return words;
    expect(words).toBeLessThan(5);
    env.cluster.annotate("PlatformConnection", "default", { [RESOLVE]: "proceed" });
    await env.run(25 * MINUTE);
  }
}

describe("[R1] a mass change that no new generation caused", () => {
  it("by others who changed the settings of a fleet is held, and goes on when it is allowed to", async ({ task }) => {
    const env = await fleet({ driftPolicy: "Correct" });
    const from = env.baseline();
    for (const id of env.platform.world().services.keys()) editRecord(env.platform.sim, id, { memory: 4_096 });
    await env.run(25 * MINUTE);
    await expectHeld(env, from);
    expect(await proceed(env)).toBe(2);
    expect(env.writes(from)).toEqual(NAMES.map(() => "updateApplication"));
    figure(task, `${BUDGET} of ${SIZE} writes, then held`);
  });

  it("by an old backup of the cluster is held", async () => {
    const lifecycle = { driftPolicy: "Correct" };
    const env = await fleet(lifecycle);
    const old = backupOf(env);
    env.apply(...applications(1_024, lifecycle));
    await env.run(15 * MINUTE);
    const from = env.baseline();
    env.kill();
    for (const object of old.objects) env.cluster.restore(object);
    await env.restart();
    await env.run(25 * MINUTE);
    await expectHeld(env, from);
  });

  it("by a fleet that vanished is held, whatever onMissing says", async () => {
    const env = await fleet({ onMissing: "Recreate" });
    const from = env.baseline();
    for (const id of env.platform.world().services.keys()) removeRecord(env.platform.sim, id);
    await env.run(25 * MINUTE);
    // What was let through was to be forgotten first; by then the connection says so to all.
    await expectHeld(env, from, 0);
    expect(await proceed(env)).toBeLessThanOrEqual(3);
    expect(env.writes(from)).toEqual(NAMES.map(() => "createApplication"));
  });

  it.each(effort.few([404, 403] as const))("by a platform that answers only %s does not begin", async (status) => {
    const env = await fleet({ onMissing: "Recreate", driftPolicy: "Correct" });
    const from = env.baseline();
    changeSettings(env.platform.sim.settings, { goneAs: 403 });
    const match = { method: "GET" };
    env.platform.sim.faults.add({ match, count: null, effect: "none", answer: { is: "status", status } });
    await env.run(60 * MINUTE);
    await env.restart();
    await env.run(60 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    env.platform.sim.faults.clear();
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(unready(env)).toEqual([]);
  });

  it("is none where a new generation causes it, however many there are", async () => {
    const env = await fleet({});
    const from = env.baseline();
    env.apply(...applications(1_024));
    await env.run(10 * MINUTE);
    expect(env.writes(from)).toEqual(NAMES.map(() => "updateApplication"));
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });

  const sources: readonly (readonly [title: string, of: (value: string) => Manifest])[] = [
    ["a Secret", (value) => secret("shared", { url: value })],
    ["a variable set", variableSet],
  ];

  it.each(effort.few(sources))("is none where %s that a user changed causes it", async (_title, shared) => {
    const variables = [{ name: "URL", valueFrom: { secretKeyRef: { name: "shared", key: "url" } } }];
    const sharing = SHARING.map((name) => application(name, "staging", { variables }));
    const values = [secret("shared", { url: "https://one" }), variableSet("one")];
    const env = await settledEnv(
      (env) => [project("shop"), environment(env, "staging", "shop"), ...values, ...sharing],
      { minutes: 40 },
    );
    const from = env.baseline();
    env.apply(shared("https://two"));
    await env.run(40 * MINUTE);
    const deployed = env.writes(from).filter((op) => op === "deployApplication");
    expect(deployed).toHaveLength(SHARING.length);
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });
});

/** More applications than may be changed at a time. */
const SHARING = NAMES.slice(0, BUDGET + 2);

function variableSet(value: string): Manifest {
  const targets = SHARING.map((name) => ({ applicationRef: { name } }));
  return resource("PlatformVariableSet", "shared", { targets, variables: [{ name: "MODE", value }] });
}
