import { describe, expect, it } from "vitest";

import { operations } from "../../../src/platform/codec/operations.ts";
import { effort } from "../../support/env/effort.ts";
import { blueprint, database, defaults, deploying, NEXT_COMMIT, project, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const surfaces = ["full", "documented"] as const;
const NAMES = ["a", "b"];
const fleet = (env: OperatorEnv) =>
  NAMES.flatMap((name) => [...tree(env, name), database(name, name), blueprint(name, name)]);

/** Writes of which the documented surface does not show what became of them. */
const UNKNOWABLE = new Set(["createApplication", "createBlueprint", "createDatabase", "deployDatabase"]);

/** Every other call of each operation fails, the first one included; but for what the surface cannot show afterwards. */
function flap({ platform }: OperatorEnv): void {
  const { settings, faults } = platform.sim;
  for (const [name, { path, method }] of Object.entries(operations)) {
    if (settings.surface === "documented" && UNKNOWABLE.has(name)) continue;
    const match = { method, path: path.replaceAll(/\{\w+\}/g, "*") };
    faults.add({ match, every: 2, count: null, answer: { is: "status", status: 503 } });
  }
}

describe.each(effort.few(surfaces))("[C2] 5xx, %s surface", (surface) => {
  it("flapping by half: at most three times the calls, and everything once", async ({ task }) => {
    const lived = async (flaps: boolean): Promise<OperatorEnv> => {
      const env = await operatorEnv({ surface });
      if (flaps) flap(env);
      env.apply(...defaults(env), ...fleet(env));
      await env.run(20 * MINUTE);
      for (const name of NAMES) env.cluster.patch("PlatformApplication", name, deploying(NEXT_COMMIT));
      await env.run(20 * MINUTE);
      return env;
    };
    const [calm, shaken] = [await lived(false), await lived(true)];
    const [usual, under] = [calm.calls().length, shaken.calls().length];
    for (const { kind, metadata } of shaken.cluster.all()) {
      expect(shaken.summary(kind, metadata.name), `${kind} ${metadata.name}`).toBe(calm.summary(kind, metadata.name));
    }
    expect(shaken.effects()).toEqual(calm.effects());
    figure(task, `${(under / usual).toFixed(1)} times the fault-free calls at 50 % 503`);
    expect(under).toBeLessThanOrEqual(3 * usual);
  });

  it("a burst of two minutes: few calls, then one in 15 s at most; recovery within 30 s", async ({ task }) => {
    const env = await settledEnv(fleet, { surface, minutes: 30 });
    const before = env.baseline();
    await env.run(2 * MINUTE);
    const [from, usual] = [env.baseline(), env.calls(before).length];
    env.platform.sim.faults.add({ name: "burst", count: null, answer: { is: "status", status: 503 } });
    // In the midst of it somebody wants something.
    await env.run(MINUTE);
    env.apply(project("late"));
    env.cluster.patch("PlatformApplication", "a", deploying(NEXT_COMMIT));
    await env.run(MINUTE);
    const failed = env.calls(from);
    const failures = failed.map((call) => env.at(call));
    // The connection's probes; what others had begun when it failed first comes beside them.
    const probes = failed.filter(({ operation }) => operation === "listProjects").map((call) => env.at(call));
    const fifth = [...new Set(probes)][4] ?? 0;
    const late = failures.filter((at) => at >= fifth);
    expect(late.length).toBeGreaterThan(2);
    const gaps = late.slice(1).map((at, index) => at - (late[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15 * SECOND);
    expect(failures.length).toBeLessThanOrEqual(3 * usual);
    expect(env.writes(from)).toEqual([]);
    figure(task, `${failures.length} calls in a burst of two minutes where ${usual} are usual`);

    env.platform.sim.faults.clear();
    await env.run(30 * SECOND);
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
    expect(env.condition("PlatformProject", "late")).toBe("True/Available");
    expect(env.writes(from).toSorted()).toEqual(["createProject", "deployApplication"]);
  });
});

describe.each(effort.few(surfaces))("[C9] a partition, %s surface", (surface) => {
  it("of ten minutes flips nothing; beyond staleAfter it is reported, Ready kept", async ({ task }) => {
    const env = await settledEnv((env) => [...tree(env, "a"), database("a", "a")], { surface, minutes: 30 });
    const mine = env.cluster.all().filter(({ kind }) => kind !== "PlatformConnection");
    const versions = (): readonly string[] =>
      mine.map(({ kind, metadata }) => `${kind} ${env.get(kind, metadata.name).metadata.resourceVersion}`);
    const before = versions();
    const from = env.baseline();

    env.platform.sim.faults.add({ count: null, answer: { is: "reset" } });
    await env.run(10 * MINUTE);
    expect(env.condition("PlatformConnection", "default", "Synced")).toBe("False/PlatformUnreachable");
    await env.run(8 * MINUTE);
    expect(versions()).toEqual(before);
    // Twice staleAfter, as what is settled is looked at now and then only.
    await env.run(42 * MINUTE);
    for (const { kind, metadata } of mine) {
      expect(env.condition(kind, metadata.name, "Synced"), kind).toBe("False/ConnectionNotReady");
      expect(env.condition(kind, metadata.name), kind).toMatch(/^True\//);
      expect(env.summary(kind, metadata.name)).not.toMatch(/Reconciling|Stalled/);
    }
    env.platform.sim.faults.clear();
    await env.run(15 * MINUTE);
    for (const { kind, metadata } of mine) expect(env.condition(kind, metadata.name, "Synced")).toMatch(/^True\//);
    expect(env.writes(from)).toEqual([]);
    figure(task, "0 status writes on dependents in the first 18 minutes, Ready kept after an hour");
  });
});
