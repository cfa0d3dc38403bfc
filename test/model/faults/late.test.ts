import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { changeSettings } from "../../../simulator/base/settings.ts";
import { INTENT } from "../../../src/api/names.ts";
import { effort } from "../../support/env/effort.ts";
import { blueprint, database, defaults, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const KINDS = [
  ["createProject", "PlatformProject", "a"],
  ["createEnvironment", "PlatformEnvironment", "a"],
  ["createApplication", "PlatformApplication", "a"],
  ["createDatabase", "PlatformDatabase", "d"],
  ["createBlueprint", "PlatformBlueprint", "b"],
] as const;
type Create = readonly [operation: string, kind: string, name: string];

/** What waits for nothing of what follows in this list. */
function manifestsOf(env: OperatorEnv) {
  return [...defaults(env), ...tree(env, "a"), database("d", "a"), blueprint("b", "a")];
}

/**
 * Kills the process when its create has gone out, before anybody has answered; it takes effect `late` seconds later.
 */
async function killedWithin(env: OperatorEnv, [operation, kind, name]: Create, late: number): Promise<void> {
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
}

/** How many objects of each name the platform has, e.g. "project a". */
function census(env: OperatorEnv): readonly string[] {
  const { projects, environments, services } = env.platform.world();
  const of = (what: string, all: Iterable<{ readonly name: string }>) => [...all].map(({ name }) => `${what} ${name}`);
  return [
    ...of("project", projects.values()),
    ...of("environment", environments.values()),
    ...of("service", services.values()),
  ].toSorted();
}

const ALL_ONCE = ["environment a", "project a", "service a", "service b", "service d"];

/** The kinds of a usual run are those whose lists work differently. */
const kinds = KINDS.filter(([operation]) => effort.all || !/Application|Database/.test(operation));
const delays = [0, 3, 12, 50].flatMap((late) => [0, 3].map((lag) => ({ late, lag })));
const some = effort.all ? delays : delays.filter(({ late, lag }) => lag === 3 && (late === 0 || late === 12));
const within = some.flatMap((delay) =>
  kinds.flatMap((create) => [true, false].map((uniqueNames) => ({ ...delay, create, uniqueNames }))),
);

describe("[A2] killed between a create and its record", { timeout: 60_000 }, () => {
  it.each(within)(
    "($create.0 lands after $late s, lists lag by $lag s, names unique: $uniqueNames): made once",
    async (row) => {
      const { late, lag, create, uniqueNames } = row;
      const env = await operatorEnv();
      changeSettings(env.platform.sim.settings, { listLagSeconds: lag, uniqueNames });
      env.apply(...manifestsOf(env));
      await killedWithin(env, create, late);
      await env.run(20 * MINUTE);
      expect(census(env)).toEqual(ALL_ONCE);
      // Where names are unique a second request would leave no trace but itself.
      expect(KINDS.map(([operation]) => env.writes().filter((write) => write === operation).length)).toEqual([
        1, 1, 1, 1, 1,
      ]);
      for (const [, kind, name] of KINDS) expect(env.condition(kind, name), kind).toMatch(/^True/);
    },
  );

  it.each(kinds.slice(0, effort.cases(1, 5)))(
    "%s that lands later still is refused where names are unique",
    async (...create) => {
      const env = await operatorEnv();
      env.apply(...manifestsOf(env));
      await killedWithin(env, create, 90);
      await env.run(20 * MINUTE);
      expect(census(env)).toEqual(ALL_ONCE);
      for (const [, kind, name] of KINDS) expect(env.condition(kind, name), kind).toMatch(/^True/);
    },
  );

  it.each(kinds)(
    "%s that lands later still where names are not unique is reported, and nothing deleted",
    async (...create) => {
      const [operation, kind, name] = create;
      const env = await operatorEnv();
      changeSettings(env.platform.sim.settings, { uniqueNames: false });
      env.apply(...manifestsOf(env));
      await killedWithin(env, create, 90);
      await env.run(30 * MINUTE);
      expect(env.writes().filter((write) => write === operation)).toHaveLength(2);
      expect(env.condition(kind, name)).toBe("False/DuplicateRemote");
      expect(census(env)).toHaveLength(ALL_ONCE.length + 1);
      // The others go on, and so does it once somebody has looked.
      const others = KINDS.filter(([, other]) => other !== kind).map(([, other, called]) =>
        env.condition(other, called),
      );
      expect(others.filter((condition) => !condition.startsWith("True/"))).toEqual([]);
      const { externalId } = env.get(kind, name).status as { readonly externalId: string };
      env.cluster.patch(kind, name, { spec: { externalId } });
      await env.run(5 * MINUTE);
      expect(env.condition(kind, name)).toMatch(/^True/);
      expect(env.writes().filter((write) => write.startsWith("delete"))).toEqual([]);
    },
  );
});
