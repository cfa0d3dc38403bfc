/** Runs the kinds with a simulated platform and a manual clock, without Kubernetes. */
import { afterAll, beforeAll, beforeEach } from "vitest";

import { changeSettings, type SettingsChange } from "../../../simulator/base/settings.ts";
import { foreignCancel, scheduledStop } from "../../../simulator/control/control.ts";
import { editRecord, removeRecord } from "../../../simulator/control/records.ts";
import type { Service } from "../../../simulator/model/world.ts";
import type { FaultInput } from "../../../simulator/request/faults.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { startSimulator, type Simulator } from "../../../simulator/simulator.ts";
import type { JsonObject } from "../../../src/engine/contract/kind.ts";
import { application } from "../../../src/kinds/application/index.ts";
import { blueprint } from "../../../src/kinds/blueprint/index.ts";
import { cluster } from "../../../src/kinds/cluster/index.ts";
import { database } from "../../../src/kinds/database/index.ts";
import { environment } from "../../../src/kinds/environment/index.ts";
import { operation } from "../../../src/kinds/operation/index.ts";
import { project } from "../../../src/kinds/project/index.ts";
import { webhook } from "../../../src/kinds/webhook/index.ts";
import { connectPlatform, type Platform } from "../../../src/platform/index.ts";
import { hurriedClock } from "../platform/client.ts";
import { kindRunner, type Runner, type Surroundings } from "./kind-runner.ts";

export type SurfaceName = "Documented" | "Full";

export const SURFACES = ["Documented", "Full"] as const;
/** An id that no object has. */
export const NOBODY = "00000000-0000-4000-8000-00000000dead";

export interface KindHarness {
  readonly simulator: Simulator;
  readonly api: Platform;
  readonly surface: SurfaceName;
  readonly clusterIds: readonly [string, string];
  /** Advances the time of the platform and of the client's cache. */
  pass(seconds: number): void;
  change(settings: SettingsChange): void;
  fault(fault: FaultInput): void;
  edit(id: string | undefined, members: Readonly<Record<string, unknown>>): void;
  remove(id: string | undefined): void;
  scheduledStop(environmentId: string): void;
  /** Cancels a deployment request like another user. */
  cancel(requestId: string): void;
  service(id: string | undefined): Service;
  /** Names and values of an application's variables and secrets on the platform. */
  values(id: string | undefined): Readonly<Record<string, string>>;
  /** The writes since the last call: operation and body. */
  writes(): readonly (readonly [operation: string, body: unknown])[];
  newProject(name: string): Promise<string>;
  newEnvironment(projectId: string, name: string): Promise<string>;
  cluster(spec: JsonObject): Runner;
  project(spec: JsonObject): Runner;
  environment(projectId: string, spec: JsonObject): Runner;
  application(environmentId: string, spec: JsonObject): Runner;
  database(environmentId: string, spec: JsonObject): Runner;
  blueprint(environmentId: string, spec: JsonObject): Runner;
  webhook(spec: JsonObject): Runner;
  /** @param ids the ids of its references, by field */
  operation(spec: JsonObject, ids: Readonly<Record<string, string>>): Runner;
  close(): Promise<void>;
}

/**
 * Starts a platform whose time only `pass` advances.
 * @param known the surface that the client assumes; with "Auto" it learns
 */
export async function startKindHarness(
  surface: SurfaceName,
  known: SurfaceName | "Auto" = surface,
): Promise<KindHarness> {
  const simulator = await startSimulator({ surface: surface === "Full" ? "full" : "documented", speed: 1 });
  const { sim } = simulator;
  const clock = hurriedClock();
  const api = connectPlatform({
    surface: known,
    baseUrl: simulator.url,
    pathPrefix: "",
    organizationId: simulator.organizationId,
    scheme: "Token",
    token: () => simulator.tokens.admin,
    rate: { requestsPerSecond: 1000, burst: 1000 },
    allowedHosts: ["127.0.0.1"],
    allowInsecure: true,
    version: "0.0.0",
    clock,
    random: () => 0,
  });
  const [first = "", second = ""] = simulator.clusterIds;
  let [told, passed] = [0, 0];
  const around = (ids: Readonly<Record<string, string>>): Surroundings => ({
    surface,
    ids,
    values: {},
    sources: "s@1",
    token: "token-1",
    passed: () => passed,
  });
  const inside = (environmentId: string): Surroundings => around({ "spec.environmentRef": environmentId });
  const service = (id: string | undefined): Service => {
    const found = simulator.world().services.get(id ?? "");
    if (found === undefined) throw new Error(`the platform has no service ${id}`);
    return found;
  };
  return {
    simulator,
    api,
    surface,
    clusterIds: [first, second],
    pass: (seconds) => {
      passed += seconds * 1000;
      sim.time.advance(seconds);
      clock.skip(seconds * 1000);
      simulator.world();
    },
    change: (settings) => changeSettings(sim.settings, settings),
    fault: (fault) => void sim.faults.add(fault),
    edit: (id, members) => void editRecord(sim, id ?? "", members),
    remove: (id) => removeRecord(sim, id ?? ""),
    scheduledStop: (environmentId) => void scheduledStop(sim, environmentId),
    cancel: (requestId) => foreignCancel(sim, requestId),
    service,
    values: (id) => {
      const own = [...simulator.world().variables.values()].filter(
        ({ parentId, scope }) => parentId === id && scope === "APPLICATION",
      );
      return Object.fromEntries(own.map(({ key, value }) => [key, value]));
    },
    writes: () => {
      const calls = simulator.journal().filter((entry): entry is CallEntry => entry.is === "call");
      const fresh = calls.slice(told).filter(({ method }) => method !== "GET");
      told = calls.length;
      return fresh.map(({ operation, body }) => [operation ?? "", body] as const);
    },
    newProject: async (name) => (await api.projects.create({ name })).id,
    newEnvironment: async (projectId, name) =>
      (await api.environments.create(projectId, { name, mode: "STAGING", clusterId: first })).id,
    cluster: (spec) => kindRunner(cluster, api, around({}), spec),
    project: (spec) => kindRunner(project, api, around({}), spec),
    environment: (projectId, spec) => {
      const ids = { "spec.projectRef": projectId, "spec.clusterRef": clusterOf(spec) ?? first };
      return kindRunner(environment, api, around(ids), spec);
    },
    database: (environmentId, spec) => kindRunner(database, api, inside(environmentId), spec),
    application: (environmentId, spec) => kindRunner(application, api, inside(environmentId), spec),
    blueprint: (environmentId, spec) => kindRunner(blueprint, api, inside(environmentId), spec),
    webhook: (spec) => kindRunner(webhook, api, around({}), spec),
    operation: (spec, ids) => kindRunner(operation, api, around(ids), spec),
    close: async () => {
      await api.close();
      await simulator.close();
    },
  };
}

/** Returns the cluster that a spec names by id. */
function clusterOf(spec: JsonObject): string | undefined {
  const { clusterRef } = spec as { readonly clusterRef?: { readonly externalId?: string } };
  return clusterRef?.externalId;
}

/** A platform with a project and an environment, for the tests of one `describe`. */
export interface KindEnv {
  readonly harness: KindHarness;
  readonly projectId: string;
  readonly environmentId: string;
  /** The number of the test, for names that no other test uses. */
  readonly number: number;
  /** The operations that were sent since the last call. */
  sent(): readonly string[];
  /** Reconciles until it is settled, two minutes later. */
  settled<Of extends Runner>(runner: Of): Promise<Of>;
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
 * @param more the members for one kind
 * @param prepare creates what each test starts with
 */
export function kindEnv<More extends object>(
  surface: SurfaceName,
  more: (env: KindEnv) => More,
  prepare: (env: KindEnv) => void | Promise<void> = () => {},
): KindEnv & More {
  let harness: KindHarness;
  let [projectId, environmentId, number] = ["", "", 0];
  beforeAll(async () => {
    harness = await startKindHarness(surface);
    projectId = await harness.newProject("shop");
    environmentId = await harness.newEnvironment(projectId, "staging");
  });
  beforeEach(async () => {
    number += 1;
    harness.simulator.sim.faults.clear();
    harness.change(USUAL_SETTINGS);
    await prepare(env);
    harness.writes();
  });
  afterAll(() => harness.close());
  const env: KindEnv = {
    get harness() {
      return harness;
    },
    get projectId() {
      return projectId;
    },
    get environmentId() {
      return environmentId;
    },
    get number() {
      return number;
    },
    sent: () => harness.writes().map(([operation]) => operation),
    settled: async (runner) => {
      await runner.run();
      harness.pass(120);
      const { is } = await runner.run();
      if (is !== "settled") throw new Error(`it is ${is}`);
      harness.writes();
      return runner;
    },
  };
  // With its getters.
  return Object.defineProperties(env, Object.getOwnPropertyDescriptors(more(env))) as KindEnv & More;
}
