import { afterAll, beforeAll, beforeEach } from "vitest";

import { addForeignVariable } from "../../../simulator/control/control.ts";
import type { Variable } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { variableSet } from "../../../src/kinds/variable-set/index.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { startKindWorld, type KindWorld, type SurfaceName } from "./env.ts";
import { kindRunner, type PassChange, type Ran, type Runner, type Surroundings } from "./kind-runner.ts";

/** A variable set and what the outside provides for it. */
export interface SetRunner extends Runner {
  readonly around: Surroundings;
  /** Passes until one has nothing to send and to read back. The operations are those of all of them. */
  settle(change?: PassChange): Promise<Ran>;
}

/** A platform with two applications, anew for each test of one `describe`. */
export interface VariableSetBench {
  readonly world: KindWorld;
  readonly projectId: string;
  readonly environmentId: string;
  /** Ids of the applications "web" and "api". */
  readonly web: string;
  readonly api: string;
  /** A set that was just applied, by default for "web" alone. */
  set(spec: JsonObject, outside?: Partial<Surroundings>): SetRunner;
  /** A target that is named by its resource. */
  target(name: "web" | "api"): JsonObject;
  /** A variable that others made in "web". */
  foreign(key: string, more?: Partial<Pick<Variable, "value" | "secret" | "scope" | "parentId">>): Variable;
  /** Lets time pass, on the platform's wall clock too. */
  wait(seconds: number): void;
  /** What others do to a variable of "web". */
  change(key: string, value: string): void;
  remove(key: string): void;
  /** The variable of that name in "web". */
  variable(key: string): Variable | undefined;
  /** The operations and bodies that were sent since the last time this was asked for. */
  sent(): readonly (readonly [operation: string, body: unknown])[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function variableSetBench(surface: SurfaceName): VariableSetBench {
  let world: KindWorld;
  let projectId = "";
  let environmentId = "";
  let [web, api] = ["", ""];
  let names = 0;
  let waited = 0;
  const created = async (name: string): Promise<string> => {
    const gitRepository = { url: "https://github.com/acme/web.git", branch: "main" };
    return (await world.api.applications.create(environmentId, { name, gitRepository }, extendedOn(world.simulator)))
      .id;
  };
  beforeAll(async () => {
    world = await startKindWorld(surface);
    projectId = await world.newProject("shop");
    environmentId = await world.newEnvironment(projectId, "staging");
  });
  beforeEach(async () => {
    names += 1;
    world.simulator.sim.faults.clear();
    world.change({ refusedVariables: [], listLagSeconds: 0, goneAs: 404 });
    [web, api] = [await created(`web-${names}`), await created(`api-${names}`)];
    world.writes();
  });
  afterAll(() => world.close());

  const variables = (): Variable[] => [...world.simulator.world().variables.values()];
  const bench: VariableSetBench = {
    get world() {
      return world;
    },
    get projectId() {
      return projectId;
    },
    get environmentId() {
      return environmentId;
    },
    get web() {
      return web;
    },
    get api() {
      return api;
    },
    set: (spec, outside = {}) => {
      const around: Surroundings = {
        surface,
        ids: { "spec.targets[0].applicationRef": web, "spec.targets[1].applicationRef": api },
        values: {},
        sources: "s@1",
        token: "token-1",
        ...outside,
      };
      const runner = kindRunner(variableSet, world.api, around, { targets: [bench.target("web")], ...spec });
      return { ...runner, around, settle: async (change) => settled(runner, change) };
    },
    target: (name) => ({ applicationRef: { name } }),
    foreign: (key, more = {}) =>
      addForeignVariable(world.simulator.sim, { parentId: web, scope: "APPLICATION", value: "theirs", key, ...more }),
    change: (key, value) => {
      const found = bench.variable(key);
      if (found === undefined) throw new Error(`no variable ${key}`);
      bench.wait(1);
      Object.assign(found, { value, updatedAt: world.simulator.sim.time.wall().toISOString() });
    },
    wait: (seconds) => {
      waited += seconds;
      world.simulator.sim.time.shiftWall(waited);
      world.pass(seconds);
    },
    remove: (key) => {
      world.simulator.world().variables.delete(bench.variable(key)?.id ?? "");
    },
    variable: (key) =>
      variables().find((one) => one.parentId === web && one.scope === "APPLICATION" && one.key === key),
    sent: () => world.writes(),
  };
  return bench;
}

async function settled(runner: Runner, change?: PassChange): Promise<Ran> {
  const ops: string[] = [];
  let ran = await runner.run(change);
  ops.push(...ran.ops);
  for (let passes = 0; passes < 10 && ran.ops.length > 0; passes += 1) {
    ran = await runner.run(change?.goal === undefined ? {} : { goal: change.goal });
    ops.push(...ran.ops);
  }
  return { ...ran, ops };
}
