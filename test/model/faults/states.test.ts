import { describe, expect, it } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { editRecord } from "../../../simulator/control/records.ts";
import type { Service } from "../../../simulator/model/world.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { POLL_INTERVAL } from "../../../src/api/names.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { clusterStates, serviceStates } from "../../../src/platform/codec/states.ts";
import { effort } from "../../support/env/effort.ts";
import { blueprint, database, deploying, NEXT_COMMIT, resource, tree } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { unready } from "./restores.ts";

const KINDS = [
  ["PlatformApplication", "a"],
  ["PlatformDatabase", "d"],
  ["PlatformBlueprint", "b"],
  ["PlatformCluster", "c"],
] as const;
const UNKNOWN = effort.few(["PAUSED", "\u202E\u0000", "X".repeat(3_000), "deployed", "half-up, perhaps?", "😀"], 3);

/** One of each kind that has a state, looked at every 30 s. */
async function fleet(): Promise<OperatorEnv> {
  const env = await settledEnv((env) => [
    ...tree(env, "a"),
    database("d", "a"),
    blueprint("b", "a"),
    resource("PlatformCluster", "c", { externalId: env.platform.clusterIds[0] ?? "" }),
  ]);
  for (const [kind, name] of KINDS) env.cluster.annotate(kind, name, { [POLL_INTERVAL]: "30s" });
  await env.run(MINUTE);
  return env;
}

function serviceOf({ platform }: OperatorEnv, wanted: string): Service {
  const found = [...platform.world().services.values()].find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`the platform has no service ${wanted}`);
  return found;
}

function show(env: OperatorEnv, state: string, clusters: boolean): void {
  const { sim } = env.platform;
  for (const { id } of env.platform.world().services.values()) editRecord(sim, id, { state });
  if (clusters) editRecord(sim, env.platform.clusterIds[0] ?? "", { state });
}

/** All is Ready once everything is deployed again, and nothing was done. */
async function expectUntouched(env: OperatorEnv, from: number): Promise<void> {
  show(env, "DEPLOYED", true);
  await env.run(2 * MINUTE);
  expect(unready(env)).toEqual([]);
  expect(env.writes(from)).toEqual([]);
  expect(env.internal).toEqual([]);
}

/** Deploys another commit, which never ends. @returns the application's service */
function stuck(env: OperatorEnv): Service {
  const service = serviceOf(env, "a");
  service.stuck = true;
  env.cluster.patch("PlatformApplication", "a", deploying(NEXT_COMMIT));
  return service;
}

async function expectDeployed(env: OperatorEnv, service: Service): Promise<void> {
  service.stuck = false;
  await env.run(15 * MINUTE);
  expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
}

describe("[C5] a state that the platform reports", () => {
  it("causes no error and no write for any kind, if it is documented", async ({ task }) => {
    const env = await fleet();
    const from = env.baseline();
    const states = [...new Set([...serviceStates, ...clusterStates])];
    for (const state of states) {
      show(env, state, clusterStates.includes(state));
      await env.run(40 * SECOND);
      for (const [kind, name] of KINDS)
        expect(env.condition(kind, name), `${kind} ${state}`).not.toMatch(/InternalError/);
    }
    await expectUntouched(env, from);
    figure(task, `0 crashes, 0 actions in ${serviceStates.length} and ${clusterStates.length} states`, 53);
  });

  it("makes Ready Unknown and delays a stop, if it is not documented", async ({ task }) => {
    const env = await fleet();
    const from = env.baseline();
    const change = (kind: string, name: string, spec: JsonObject): void => env.cluster.patch(kind, name, { spec });
    show(env, "HIBERNATING", true);
    await env.run(MINUTE);
    // For ten minutes they stay Ready, and what they show is written once.
    for (const [kind, name] of KINDS) expect(env.condition(kind, name), kind).toMatch(/^True/);
    const written = env.cluster.writes.length;
    await env.run(8 * MINUTE);
    expect(env.cluster.writes.length).toBe(written);
    change("PlatformDatabase", "d", { runState: "Stopped" });
    change("PlatformCluster", "c", { runState: "Stopped", lifecycle: { applyPolicy: "Automatic" } });
    for (const state of UNKNOWN) {
      show(env, state, true);
      await env.run(11 * MINUTE);
      for (const [kind, name] of KINDS) {
        const ready = conditionOf(env.get(kind, name), "Ready");
        expect(`${ready?.status}/${ready?.reason}`, `${kind} ${state}`).toBe("Unknown/UnknownState");
        expect(ready?.message.length, `${kind} ${state}`).toBeLessThanOrEqual(300);
        for (const odd of ["\u0000", "\u202E"]) expect(ready?.message, `${kind} ${state}`).not.toContain(odd);
        expect(env.summary(kind, name), `${kind} ${state}`).not.toContain("Stalled");
      }
    }
    expect(env.writes(from).toSorted()).toEqual([]);
    expect(env.internal).toEqual([]);
    show(env, "DEPLOYED", true);
    await env.run(20 * MINUTE);
    expect(env.writes(from).toSorted()).toEqual(["stopCluster", "stopDatabase"]);
    figure(task, "0 actions in a state that nobody documented", UNKNOWN.length * KINDS.length);
  });
});

describe("[C10] a state of the platform", () => {
  it("from an older answer does not end a deployment that is followed by its request", async () => {
    const env = await fleet();
    const service = stuck(env);
    await env.run(MINUTE);
    // Every status says that all is well, as one from a cache does; the request says the truth.
    const set = { "applications.0.state": "DEPLOYED", "applications.0.service_deployment_status": "UP_TO_DATE" };
    const fault = { match: { operation: "getEnvironmentStatuses" }, answer: { is: "edited", set } } as const;
    env.platform.sim.faults.add({ ...fault, count: null });
    await env.run(5 * MINUTE);
    expect(env.condition("PlatformApplication", "a")).toMatch(/^False\/(Deploying|Building|Queued|Progressing)/);
    env.platform.sim.faults.clear();
    await expectDeployed(env, service);
  });
});

describe("[C10] work of the platform without progress", () => {
  const HANGS = /^Ready=False\/ProgressDeadlineExceeded Synced=True\/ReconcileSuccess Stalled=True\/Progress/;

  const isFollowing = ({ operation }: CallEntry) => operation === "getDeploymentStatusByRequest";
  const surfaces: readonly Surface[] = effort.few(["documented", "full"]);
  it.for(surfaces)(
    "%s surface: a deployment is Stalled after its deadline, but followed",
    async (surface, { task }) => {
      const env = await settledEnv((env) => tree(env, "a"), { surface });
      expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
      const conditions = (): string => env.summary("PlatformApplication", "a");
      const from = env.baseline();
      const service = stuck(env);
      await env.run(58 * MINUTE);
      expect(conditions()).toContain("Reconciling=True");
      await env.run(4 * MINUTE);
      expect(conditions()).toMatch(HANGS);
      const message = conditionOf(env.get("PlatformApplication", "a"), "Stalled")?.message ?? "";
      expect(message).toContain("spec.lifecycle.progressDeadline");
      expect(message.length).toBeLessThanOrEqual(300);
      // It is looked at as before, and not written again; a new process knows that it hangs.
      const [writes, calls] = [env.cluster.writes.length, env.baseline()];
      await env.run(10 * MINUTE);
      expect(env.calls(calls).length).toBeGreaterThanOrEqual(20);
      await env.restart();
      await env.run(5 * MINUTE);
      expect(conditions()).toMatch(HANGS);
      const hours = effort.cases(1, 24);
      const waiting = env.baseline();
      await env.run(hours * HOUR);
      // At most every 27 s: the follow interval of 30 s, less its jitter.
      expect(env.calls(waiting).filter(isFollowing).length).toBeLessThanOrEqual((hours * 3_600) / 27 + 10);
      expect(env.cluster.writes.length).toBe(writes);
      await expectDeployed(env, service);
      expect(env.writes(from)).toEqual(["deployApplication"]);
      const looks = env.calls(from).filter(isFollowing).length;
      figure(task, `a deployment stuck for ${hours} h: ${looks} looks, 0 further actions`);
    },
  );

  it.each<[Surface, readonly string[]]>([
    ["documented", ["stopDatabase"]],
    // Its state shows that.
    ["full", []],
  ])("on the %s surface: a stop that is refused is Stalled, with the platform's words", async (surface, stops) => {
    const env = await settledEnv((env) => [...tree(env, "a"), database("d", "a")], { surface });
    const { sim } = env.platform;
    editRecord(sim, serviceOf(env, "d").id, { state: "STOPPED" });
    sim.settings.alreadyStopped = "Nothing runs there";
    env.apply(database("d", "a", { runState: "Stopped" }));
    await env.run(50 * MINUTE);
    const conditions = (): string => env.summary("PlatformDatabase", "d");
    const isShown = stops.length === 0;
    expect(conditions()).toContain(isShown ? "Ready=True/Stopped" : "Reconciling=True");
    await env.run(20 * MINUTE);
    const stalled = conditionOf(env.get("PlatformDatabase", "d"), "Stalled");
    const words = /stopDatabase now \(409\): Nothing runs there\. The platform has refused/;
    expect(stalled?.message ?? "").toMatch(isShown ? /^$/ : words);
    const [from, writes] = [env.baseline(), env.cluster.writes.length];
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(env.cluster.writes.length).toBe(writes);
    await env.run(60 * MINUTE);
    expect([...new Set(env.writes(from))]).toEqual(stops);
    expect(conditions()).toContain(isShown ? "Ready=True/Stopped" : "Stalled=True/ProgressDeadlineExceeded");
    // What was in the way is over.
    editRecord(sim, serviceOf(env, "d").id, { state: "DEPLOYED" });
    await env.run(75 * MINUTE);
    expect(conditions()).toContain("Ready=True/Stopped");
  });

  // Layers of a binding: src/engine/status/outcome-stalls.test.ts, src/kinds/binding/index.test.ts.
  it("of every kind is Stalled after the deadline of the object or its connection, until another state is progress", async ({
    task,
  }) => {
    const env = await fleet();
    const change = (kind: string, name: string, spec: JsonObject): void => env.cluster.patch(kind, name, { spec });
    change("PlatformConnection", "default", { defaults: { lifecycle: { progressDeadline: "10m" } } });
    change("PlatformDatabase", "d", { lifecycle: { progressDeadline: "30m" } });
    change("PlatformBlueprint", "b", { lifecycle: { progressDeadline: "0m" } });
    await env.run(5 * MINUTE);
    const from = env.baseline();
    const stalled = (): readonly string[] =>
      KINDS.flatMap(([kind, name]) =>
        env.summary(kind, name).includes("Stalled=True/ProgressDeadlineExceeded") ? [kind] : [],
      );
    show(env, "DEPLOYING", true);
    await env.run(9 * MINUTE);
    expect(stalled()).toEqual([]);
    await env.run(4 * MINUTE);
    expect(stalled()).toEqual(["PlatformApplication", "PlatformCluster"]);
    await env.run(20 * MINUTE);
    expect(stalled()).toEqual(["PlatformApplication", "PlatformDatabase", "PlatformCluster"]);
    // Another state is progress; the time starts again.
    show(env, "STOPPING", true);
    await env.run(MINUTE);
    for (const [kind, name] of KINDS) expect(env.summary(kind, name), kind).toContain("Reconciling=True");
    await env.run(12 * MINUTE);
    expect(stalled()).toEqual(["PlatformApplication", "PlatformCluster"]);
    await expectUntouched(env, from);
    figure(task, "4 kinds Stalled after their deadline, cleared by progress, 0 actions", KINDS.length);
  });
});
