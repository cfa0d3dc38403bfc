import { addForeignVariable } from "../../simulator/control/control.ts";
import type { Variable } from "../../simulator/model/world.ts";
import type { JsonObject } from "../../src/engine/contract/kind.ts";
import { variableSet } from "../../src/kinds/variable-set/index.ts";
import { kindEnv, type KindEnv, type SurfaceName } from "../support/kinds/env.ts";
import { kindRunner, type ContextChange, type Ran, type RunnerEnvironment } from "../support/kinds/kind-runner.ts";

/** A platform with two applications, "web" and "api", new for each test of one `describe`. */
export function variableSetEnv(surface: SurfaceName) {
  const prepare = async ({ harness, environmentId, number }: KindEnv) => ({
    web: await harness.newApplication(environmentId, `web-${number}`),
    api: await harness.newApplication(environmentId, `api-${number}`),
  });
  return kindEnv(surface, prepare, (env) => {
    const own = {
      /** A set that was just applied, by default for "web" only. */
      set: (spec: JsonObject, outside: Partial<RunnerEnvironment> = {}) => {
        const ids = { "spec.targets[0].applicationRef": env.web, "spec.targets[1].applicationRef": env.api };
        const around = { surface, ids, passed: env.harness.passed, ...outside };
        const runner = kindRunner(variableSet, env.harness.api, around, { targets: [own.target("web")], ...spec });
        /** Reconciles until nothing is sent or has to be read back. @returns the operations of all reconciles */
        const settle = async (change?: ContextChange): Promise<Ran> => {
          let ran = await runner.run(change);
          const ops = [...ran.ops];
          for (let rounds = 0; rounds < 10 && ran.ops.length > 0; rounds += 1) {
            ran = await runner.run(change?.goal === undefined ? {} : { goal: change.goal });
            ops.push(...ran.ops);
          }
          return { ...ran, ops };
        };
        return { ...runner, settle };
      },
      /** A set that was applied, and reconciled until nothing is sent. */
      synced: async (spec: JsonObject, outside?: Partial<RunnerEnvironment>) => {
        const runner = own.set(spec, outside);
        await runner.settle();
        return runner;
      },
      target: (name: "web" | "api"): JsonObject => ({ applicationRef: { name } }),
      /** A variable that another user created in "web". */
      foreign: (key: string, change: Partial<Pick<Variable, "secret">> = {}) => {
        const { sim } = env.harness.simulator;
        return addForeignVariable(sim, { parentId: env.web, scope: "APPLICATION", value: "theirs", key, ...change });
      },
      wait: (seconds: number): void => env.harness.wait(seconds),
      /** Changes a variable of "web" like another user. */
      change: (key: string, value: string): void => {
        const found = own.variable(key);
        if (found === undefined) throw new Error(`no variable ${key}`);
        own.wait(1);
        Object.assign(found, { value, updatedAt: env.harness.simulator.sim.time.wall().toISOString() });
      },
      remove: (key: string): void => {
        env.harness.simulator.world().variables.delete(own.variable(key)?.id ?? "");
      },
      variable: (key: string): Variable | undefined =>
        [...env.harness.simulator.world().variables.values()].find(
          (one) => one.parentId === env.web && one.scope === "APPLICATION" && one.key === key,
        ),
    };
    return own;
  });
}
