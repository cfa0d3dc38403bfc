import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { changeSettings, type SettingsChange } from "../../../simulator/base/settings.ts";
import { INTENT } from "../../../src/api/names.ts";
import { effort } from "../../support/env/effort.ts";
import { blueprint, database, defaults, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { unready } from "./restores.ts";

const KINDS = [
  ["createProject", "PlatformProject", "a"],
  ["createEnvironment", "PlatformEnvironment", "a"],
  ["createApplication", "PlatformApplication", "a"],
  ["createDatabase", "PlatformDatabase", "d"],
  ["createBlueprint", "PlatformBlueprint", "b"],
] as const;
type Create = readonly [operation: string, kind: string, name: string];

/**
 * Kills the process when its create has gone out, before anybody has answered; it takes effect `late` seconds later.
 * @returns the environment, twenty minutes after the restart
 */
async function killedWithin(create: Create, late: number, settings: SettingsChange = {}): Promise<OperatorEnv> {
  const [operation, kind, name] = create;
  const env = await operatorEnv();
  changeSettings(env.platform.sim.settings, settings);
  env.apply(...defaults(env, { surface: "Full" }), ...tree(env, "a"), database("d", "a"), blueprint("b", "a"));
  const effect = late === 0 ? "applied" : "late";
  env.platform.sim.faults.add({ match: { operation }, effect, lateSeconds: late, answer: { is: "silence" } });
  const isSent = (): boolean => env.writes().includes(operation);
  while (!isSent()) {
    const second = env.run(SECOND).then(() => true);
    while (!(await Promise.race([second, sleep(2)]))) if (isSent()) env.kill();
  }
  expect(env.get(kind, name).metadata.annotations).toHaveProperty([INTENT]);
  expect(env.get(kind, name).status).not.toHaveProperty("externalId");
  await env.restart();
  await env.run(20 * MINUTE);
  return env;
}

const census = (env: OperatorEnv): readonly string[] => [...env.remotes().values()].toSorted();
const ALL_ONCE = ["environment a", "project a", "service a", "service b", "service d"];

/** The kinds of a usual run are those whose lists work differently. */
const kinds = KINDS.filter(([operation]) => effort.all || !/Application|Database/.test(operation));
const delays = [0, 3, 12, 50].flatMap((late) => [0, 3].map((lag) => ({ late, lag })));
const some = effort.all ? delays : delays.filter(({ late, lag }) => lag === 3 && (late === 0 || late === 12));
const within = some.flatMap((delay) =>
  kinds.flatMap((create) => [true, false].map((uniqueNames) => ({ ...delay, create, uniqueNames }))),
);

describe("[A2] when the operator is killed between a create and its record,", () => {
  it.each(within)("$create.0 lands once: after $late s, lists lag $lag s, unique names $uniqueNames", async (row) => {
    const { late, lag, create, uniqueNames } = row;
    const env = await killedWithin(create, late, { listLagSeconds: lag, uniqueNames });
    expect(census(env)).toEqual(ALL_ONCE);
    // Where names are unique a second request would leave no trace but itself.
    for (const [operation] of KINDS) {
      expect(env.writes().filter((write) => write === operation)).toEqual([operation]);
    }
    expect(unready(env)).toEqual([]);
  });

  it.each(kinds.slice(0, effort.cases(1, 5)))(
    "%s that lands late is refused by the platform for its name",
    async (...create) => {
      const env = await killedWithin(create, 90);
      expect(census(env)).toEqual(ALL_ONCE);
      expect(unready(env)).toEqual([]);
    },
  );

  it.each(kinds)("%s that lands late is reported as a duplicate, if names are not unique", async (...create) => {
    const [operation, kind, name] = create;
    const env = await killedWithin(create, 90, { uniqueNames: false });
    await env.run(10 * MINUTE);
    expect(env.writes().filter((write) => write === operation)).toHaveLength(2);
    // The others go on, and so does it once somebody has looked.
    expect(unready(env)).toEqual([`${kind} ${name}: False/DuplicateRemote`]);
    expect(census(env)).toHaveLength(ALL_ONCE.length + 1);
    const { externalId } = env.get(kind, name).status as { readonly externalId: string };
    env.cluster.patch(kind, name, { spec: { externalId } });
    await env.run(5 * MINUTE);
    expect(env.condition(kind, name)).toMatch(/^True/);
    expect(env.writes().filter((write) => write.startsWith("delete"))).toEqual([]);
  });
});
