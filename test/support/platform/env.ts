import type { Surface } from "../../../simulator/base/operations.ts";
import { startSimulator } from "../../../simulator/simulator.ts";
import type { ApplicationInput } from "../../../src/platform/areas/applications.ts";
import type { BlueprintInput } from "../../../src/platform/areas/blueprints.ts";
import type { DatabaseInput } from "../../../src/platform/areas/databases.ts";
import type { Platform, PlatformOptions } from "../../../src/platform/index.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import { extendedOn } from "../env/simulated-platform.ts";
import { COMMIT } from "../kube/manifests.ts";
import { callsIn } from "./calls.ts";
import { adminOf, anyTransport } from "./client.ts";

export type World = Awaited<ReturnType<typeof startHarness>>;

/** Starts a simulator with one object of each type, and an administrator's client to prepare others. */
export async function startHarness(surface: Surface, pathPrefix: string) {
  const simulator = await startSimulator({ surface, speed: "instant" });
  const clients: Platform[] = [];
  const connect = (change: Partial<PlatformOptions> = {}): Platform => {
    const client = adminOf(simulator, { pathPrefix, ...change });
    clients.push(client);
    return client;
  };
  const admin = connect();
  const [first = "", second = ""] = simulator.clusterIds;
  let names = 0;
  const name = () => {
    names += 1;
    return `thing-${names}`;
  };
  const project = await admin.projects.create({ name: name() });
  const environment = await admin.environments.create(project.id, { name: name(), mode: "STAGING", clusterId: first });
  const newApplication = async () => {
    const { id } = await admin.applications.create(environment.id, applicationInput(name()), extendedOn(simulator));
    await admin.applications.deploy(id, COMMIT);
    return id;
  };
  const newDatabase = async () => {
    const { id } = await admin.databases.create(environment.id, databaseInput(name()));
    await admin.databases.deploy(id);
    return id;
  };
  /** Creates a blueprint. @returns its id, and that of the service that it became */
  const newBlueprint = async (of: Omit<BlueprintInput, "name">, deploy = false) => {
    const { id = "" } = await admin.blueprints.create(environment.id, { name: name(), ...of }, { deploy });
    return { id, serviceId: simulator.world().blueprints.get(id)?.serviceId ?? "" };
  };
  return {
    simulator,
    members: () => extendedOn(simulator),
    admin,
    projectId: project.id,
    environmentId: environment.id,
    /** Deployed, like the database. */
    applicationId: await newApplication(),
    databaseId: await newDatabase(),
    clusterIds: [first, second] as const,
    name,
    newApplication,
    newDatabase,
    newBlueprint,
    connect,
    calls: () => callsIn(simulator.journal()),
    close: async () => {
      for (const client of clients) await client.close();
      await simulator.close();
    },
  };
}

/** @returns an administrator's client, and a function that returns its last HTTP answer */
export function listenerOf(world: World): { readonly platform: Platform; readonly heard: () => HttpAnswer } {
  let last: HttpAnswer = { status: 0, text: "", header: () => undefined };
  const http = anyTransport(1);
  const exchange = async (request: HttpRequest) => (last = await http.exchange(request));
  return { platform: world.connect({ transport: { exchange, close: () => http.close() } }), heard: () => last };
}

export function applicationInput(name: string): ApplicationInput {
  const ports = [{ internalPort: 8080, externalPort: 443, protocol: "HTTP", publiclyAccessible: true }];
  return {
    name,
    gitRepository: { url: "https://github.com/acme/web.git", branch: "main" },
    buildMode: "DOCKER",
    ports,
  };
}

export function databaseInput(name: string): DatabaseInput {
  return { name, type: "POSTGRESQL", version: "16", mode: "MANAGED", cpu: 250, memory: 512, storage: 10 };
}
