import { afterAll, beforeAll, beforeEach } from "vitest";

import { addForeignVariable } from "../../../simulator/control/control.ts";
import type { Variable } from "../../../simulator/model/world.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { variableSet } from "../../../src/kinds/variable-set/index.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { startKindHarness, type KindHarness, type SurfaceName } from "./env.ts";
import { kindRunner, type PassChange, type Ran, type Runner, type Surroundings } from "./kind-runner.ts";

/** A variable set and its surroundings. */
export interface SetRunner extends Runner {
  readonly around: Surroundings;
  /** Reconciles until nothing is sent or has to be read back. @returns the operations of all reconciles */
  settle(change?: PassChange): Promise<Ran>;
}

/** A platform with two applications, new for each test of one `describe`. */
export interface VariableSetEnv {
  readonly harness: KindHarness;
  readonly projectId: string;
  readonly environmentId: string;
  /** Ids of the applications "web" and "api". */
  readonly web: string;
  readonly api: string;
  /** A set that was just applied, by default for "web" only. */
  set(spec: JsonObject, outside?: Partial<Surroundings>): SetRunner;
  /** A target that names the application's resource. */
  target(name: "web" | "api"): JsonObject;
  /** A variable that another user created in "web". */
  foreign(key: string, more?: Partial<Pick<Variable, "value" | "secret" | "scope" | "parentId">>): Variable;
  /** Advances the time, with the platform's wall clock. */
  wait(seconds: number): void;
  /** Changes a variable of "web" like another user. */
  change(key: string, value: string): void;
  remove(key: string): void;
  /** The variable of that name in "web". */
  variable(key: string): Variable | undefined;
  /** The operations and bodies that were sent since the last call. */
  sent(): readonly (readonly [operation: string, body: unknown])[];
}

/** Starts a platform before the tests of the `describe` that it is called in. */
export function variableSetEnv(surface: SurfaceName): VariableSetEnv {
  let harness: KindHarness;
  let projectId = "";
  let environmentId = "";
  let [web, api] = ["", ""];
  let names = 0;
  let waited = 0;
  const created = async (name: string): Promise<string> => {
    const gitRepository = { url: "https://github.com/acme/web.git", branch: "main" };
    return (
      await harness.api.applications.create(environmentId, { name, gitRepository }, extendedOn(harness.simulator))
    ).id;
  };
  beforeAll(async () => {
    harness = await startKindHarness(surface);
    projectId = await harness.newProject("shop");
    environmentId = await harness.newEnvironment(projectId, "staging");
  });
  beforeEach(async () => {
    names += 1;
    harness.simulator.sim.faults.clear();
    harness.change({ refusedVariables: [], listLagSeconds: 0, goneAs: 404 });
    [web, api] = [await created(`web-${names}`), await created(`api-${names}`)];
    harness.writes();
  });
  afterAll(() => harness.close());

  const variables = (): Variable[] => [...harness.simulator.world().variables.values()];
  const env: VariableSetEnv = {
    get harness() {
      return harness;
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
      const runner = kindRunner(variableSet, harness.api, around, { targets: [env.target("web")], ...spec });
      return { ...runner, around, settle: async (change) => settled(runner, change) };
    },
    target: (name) => ({ applicationRef: { name } }),
    foreign: (key, more = {}) =>
      addForeignVariable(harness.simulator.sim, { parentId: web, scope: "APPLICATION", value: "theirs", key, ...more }),
    change: (key, value) => {
      const found = env.variable(key);
      if (found === undefined) throw new Error(`no variable ${key}`);
      env.wait(1);
      Object.assign(found, { value, updatedAt: harness.simulator.sim.time.wall().toISOString() });
    },
    wait: (seconds) => {
      waited += seconds;
      harness.simulator.sim.time.shiftWall(waited);
      harness.pass(seconds);
    },
    remove: (key) => {
      harness.simulator.world().variables.delete(env.variable(key)?.id ?? "");
    },
    variable: (key) =>
      variables().find((one) => one.parentId === web && one.scope === "APPLICATION" && one.key === key),
    sent: () => harness.writes(),
  };
  return env;
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
