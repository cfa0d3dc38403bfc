/** Runs the kinds with a simulated platform and a manual clock, without Kubernetes. */
import { afterAll, beforeAll, beforeEach } from "vitest";

import { changeSettings, type SettingsChange } from "../../../simulator/base/settings.ts";
import { editRecord, removeRecord } from "../../../simulator/control/records.ts";
import type { Service } from "../../../simulator/model/world.ts";
import type { FaultInput } from "../../../simulator/request/faults.ts";
import { startSimulator } from "../../../simulator/simulator.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { environment } from "../../../src/kinds/environment/index.ts";
import { project } from "../../../src/kinds/project/index.ts";
import { webhook } from "../../../src/kinds/webhook/index.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { callsIn } from "../platform/calls.ts";
import { adminOf, hurriedClock } from "../platform/client.ts";
import { kindRunner, type ContextChange, type Ran, type Runner } from "./kind-runner.ts";

export type SurfaceName = "Documented" | "Full";

export type KindHarness = Awaited<ReturnType<typeof startKindHarness>>;

/** Starts a platform whose time only `advance` and `wait` advance. */
async function startKindHarness(surface: SurfaceName) {
  const simulator = await startSimulator({ surface: surface === "Full" ? "full" : "documented", speed: 1 });
  const { sim } = simulator;
  const clock = hurriedClock();
  const api = adminOf(simulator, { clock });
  const [first = ""] = simulator.clusterIds;
  let [reported, passed, waited] = [0, 0, 0];
  const around = (ids: Readonly<Record<string, string>>) => ({ surface, ids, passed: () => passed });
  const inside = (environmentId: string) => around({ "spec.environmentRef": environmentId });
  const service = (id: string | undefined): Service => {
    const found = simulator.world().services.get(id ?? "");
    if (found === undefined) throw new Error(`the platform has no service ${id}`);
    return found;
  };
  const advance = (seconds: number): void => {
    passed += seconds * 1000;
    sim.time.advance(seconds);
    clock.skip(seconds * 1000);
    simulator.world();
  };
  return {
    simulator,
    api,
    /** Advances the time of the platform and of the client's cache. */
    advance,
    /** Advances the time, with the platform's wall clock. */
    wait: (seconds: number): void => {
      waited += seconds;
      sim.time.shiftWall(waited);
      advance(seconds);
    },
    change: (settings: SettingsChange): void => changeSettings(sim.settings, settings),
    /** Has a call end like this, the first one by default. @param match an operation, or other members of the call */
    fault: (
      match: string | FaultInput["match"],
      answer: FaultInput["answer"],
      more: Omit<FaultInput, "match" | "answer"> = {},
    ) => void sim.faults.add({ match: typeof match === "string" ? { operation: match } : match, answer, ...more }),
    edit: (id: string | undefined, members: Readonly<Record<string, unknown>>) =>
      void editRecord(sim, id ?? "", members),
    remove: (id: string | undefined): void => removeRecord(sim, id ?? ""),
    service,
    /** Names and values of an application's variables and secrets on the platform. */
    values: (id: string | undefined): Readonly<Record<string, string>> => {
      const own = [...simulator.world().variables.values()].filter(
        ({ parentId, scope }) => parentId === id && scope === "APPLICATION",
      );
      return Object.fromEntries(own.map(({ key, value }) => [key, value]));
    },
    /** The operations of all calls so far. */
    calls: (): readonly string[] => callsIn(simulator.journal()).map(({ operation }) => operation ?? ""),
    /** The writes since the last call: operation and body. */
    writes: (): readonly (readonly [operation: string, body: unknown])[] => {
      const calls = callsIn(simulator.journal());
      const fresh = calls.slice(reported).filter(({ method }) => method !== "GET");
      reported = calls.length;
      return fresh.map(({ operation, body }) => [operation ?? "", body] as const);
    },
    newProject: async (name: string) => (await api.projects.create({ name })).id,
    newEnvironment: async (projectId: string, name: string) =>
      (await api.environments.create(projectId, { name, mode: "STAGING", clusterId: first })).id,
    /** Creates an application like another user, and deploys a commit if one is given. @returns its id */
    newApplication: async (environmentId: string, name: string, commit?: string): Promise<string> => {
      const gitRepository = { url: "https://github.com/acme/api.git", branch: "main" };
      const { id } = await api.applications.create(environmentId, { name, gitRepository }, extendedOn(simulator));
      if (commit !== undefined) await api.applications.deploy(id, commit);
      return id;
    },
    /** The time that a test has let pass, for a runner of its own. In milliseconds. */
    passed: (): number => passed,
    cluster: (spec: JsonObject) => kindRunner(cluster, api, around({}), spec),
    project: (spec: JsonObject) => kindRunner(project, api, around({}), spec),
    environment: (projectId: string, spec: JsonObject) =>
      kindRunner(environment, api, around({ "spec.projectRef": projectId, "spec.clusterRef": first }), spec),
    database: (environmentId: string, spec: JsonObject) => kindRunner(database, api, inside(environmentId), spec),
    application: (environmentId: string, spec: JsonObject) => kindRunner(application, api, inside(environmentId), spec),
    blueprint: (environmentId: string, spec: JsonObject) => kindRunner(blueprint, api, inside(environmentId), spec),
    webhook: (spec: JsonObject) => kindRunner(webhook, api, around({}), spec),
    close: async () => {
      await api.close();
      await simulator.close();
    },
  };
}

/** A platform with a project and an environment, for the tests of one `describe`. */
export type KindEnv = ReturnType<typeof newEnv>;

function newEnv() {
  const env = {
    harness: undefined as unknown as KindHarness,
    projectId: "",
    environmentId: "",
    /** The number of the test, for names that no other test uses. */
    number: 0,
    sent: (): readonly string[] => env.harness.writes().map(([operation]) => operation),
    begun: async <Of extends Runner>(runner: Of): Promise<Of> => {
      await runner.run();
      return runner;
    },
    /** Reconciles once, after this many seconds on the platform. */
    after: async (seconds: number, runner: Runner, change?: ContextChange): Promise<Ran> => {
      env.harness.advance(seconds);
      return await runner.run(change);
    },
    /** Reconciles until it is settled, two minutes later. */
    settled: async <Of extends Runner>(runner: Of): Promise<Of> => {
      await runner.run();
      env.harness.advance(120);
      const { is } = await runner.run();
      if (is !== "settled") throw new Error(`it is ${is}`);
      env.harness.writes();
      return runner;
    },
  };
  return env;
}

/** What tests change, as it is at the beginning of each. */
const USUAL_SETTINGS: SettingsChange = {
  nullRequestIds: false,
  acceptLatencySeconds: 0,
  listLagSeconds: 0,
  goneAs: 404,
  queueMode: "queue",
  refusedVariables: [],
  profile: { applicationStatus: "whole", blueprintDeployed: "record", rejections: "text" },
};

/**
 * Starts a platform before the tests of the `describe` that it is called in.
 * @param prepare creates what each test starts with, for further members of the environment
 * @param more the members for one kind
 */
export function kindEnv<Fresh extends object, More extends object>(
  surface: SurfaceName,
  prepare: (env: KindEnv) => Fresh | Promise<Fresh>,
  more: (env: KindEnv & Fresh) => More,
): KindEnv & Fresh & More {
  const env = newEnv();
  beforeAll(async () => {
    env.harness = await startKindHarness(surface);
    env.projectId = await env.harness.newProject("shop");
    env.environmentId = await env.harness.newEnvironment(env.projectId, "staging");
  });
  beforeEach(async () => {
    env.number += 1;
    env.harness.simulator.sim.faults.clear();
    env.harness.change(USUAL_SETTINGS);
    Object.assign(env, await prepare(env));
    env.harness.writes();
  });
  afterAll(() => env.harness.close());
  return Object.assign(env, more(env as KindEnv & Fresh)) as KindEnv & Fresh & More;
}

/** Prepares a name that no other test uses. */
export const named =
  (prefix: string) =>
  ({ number }: KindEnv) => ({ name: `${prefix}-${number}` });
