import { describe, expect, it } from "vitest";

import { conditionOf } from "../../../src/engine/contract/status.ts";
import { database, deploying, NEXT_COMMIT, project, resource, tree } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv } from "../../support/platform/operator-env.ts";

const YEAR = 365 * 24 * HOUR;

const shifts: readonly (readonly [what: string, byMs: number])[] = [
  ["an hour forward", HOUR],
  ["an hour back, as in autumn", -HOUR],
  ["ten years back", -10 * YEAR],
  ["beyond 2038", 12 * YEAR],
];

describe.each([
  ["is set", false],
  ["and the platform's clock are set", true],
] as const)("[D1] when the operator's clock %s", (_whose, both) => {
  it("to another time, nothing happens sooner, later or twice", async ({ task }) => {
    const env = await settledEnv((env) => [...tree(env, "a"), database("a", "a")]);
    const shift = (ms: number): void => {
      env.clock.shiftWall(ms);
      if (!both) env.platform.sim.time.shiftWall(-ms / SECOND);
    };
    for (const [index, [what, byMs]] of shifts.entries()) {
      const [before, writes] = [env.baseline(), env.cluster.writes.length];
      await env.run(12 * MINUTE);
      const [from, usual] = [env.baseline(), env.calls(before).length];
      shift(byMs);
      await env.run(12 * MINUTE);
      expect(env.writes(from), what).toEqual([]);
      expect(env.cluster.writes.length, what).toBe(writes);
      // As many as before, give or take what chance does to intervals.
      expect(Math.abs(env.calls(from).length - usual), what).toBeLessThanOrEqual(usual / 2);

      // A create whose answer is lost is not tried again before a minute has really passed.
      env.platform.sim.faults.add({ match: { operation: "createProject" }, effect: "none", answer: { is: "reset" } });
      env.apply(project(`late-${index}`));
      await env.run(10 * SECOND);
      shift(HOUR);
      await env.run(45 * SECOND);
      expect(env.writes(from), what).toEqual(["createProject"]);
      await env.run(5 * MINUTE);
      expect(env.writes(from), what).toEqual(["createProject", "createProject"]);
      const ready = conditionOf(env.get("PlatformProject", `late-${index}`), "Ready");
      expect(ready?.status, what).toBe("True");
      const age = env.clock.now().getTime() - Date.parse(ready?.lastTransitionTime ?? "");
      expect(age, what).toBeGreaterThanOrEqual(0);
      expect(age, what).toBeLessThan(6 * MINUTE);
      shift(-HOUR);
    }
    env.cluster.patch("PlatformApplication", "a", deploying(NEXT_COMMIT));
    const from = env.baseline();
    await env.run(15 * MINUTE);
    expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
    expect(env.writes(from)).toEqual(["deployApplication"]);
    figure(task, "0 actions, 0 writes, no timer moved", shifts.length);
  });
});

it("where a proxy strips the Date header, a variable set that writes causes a deployment", async () => {
  const env = await settledEnv((env) => tree(env, "a"), { isDateless: true });
  const from = env.baseline();
  const targets = [{ applicationRef: { name: "a" } }];
  env.apply(resource("PlatformVariableSet", "shared", { targets, variables: [{ name: "LEVEL", value: "one" }] }));
  await env.run(HOUR);
  expect(env.writes(from)).toEqual(["importEnvironmentVariable", "deployApplication"]);
});

it.each([0, 400])("a variable set that writes %i ms after a deployment began causes the next one", async (ms) => {
  const env = await settledEnv((env) => tree(env, "a"));
  // Both writes have the same time: the platform's clock shows whole seconds.
  await env.run(SECOND - (env.clock.now().getTime() % SECOND));
  const from = env.baseline();
  env.cluster.patch("PlatformApplication", "a", { spec: { variables: [{ name: "MODE", value: "slow" }] } });
  await env.run(400);
  expect(env.writes(from)).toEqual(["importEnvironmentVariable", "deployApplication"]);
  await env.run(ms);
  const targets = [{ applicationRef: { name: "a" } }];
  env.apply(resource("PlatformVariableSet", "shared", { targets, variables: [{ name: "LEVEL", value: "one" }] }));
  await env.run(HOUR);
  const [written, deployed] = ["importEnvironmentVariable", "deployApplication"];
  expect(env.writes(from)).toEqual([written, deployed, written, deployed]);
  expect(env.get("PlatformApplication", "a").status).toMatchObject({ serviceDeploymentStatus: "UP_TO_DATE" });
  expect(env.condition("PlatformApplication", "a", "Drifted")).toBe("False/NoDrift");
});
