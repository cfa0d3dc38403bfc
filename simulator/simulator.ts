import { once } from "node:events";
import type { Server } from "node:http";

import { realClock, type Clock } from "./base/clock.ts";
import { createIds } from "./base/ids.ts";
import type { Surface } from "./base/operations.ts";
import { settingsOf } from "./base/settings.ts";
import { createTime, type Speed } from "./base/time.ts";
import { createControlServer } from "./control/control-server.ts";
import { createDeliveries } from "./deliveries/deliveries.ts";
import { createApp } from "./http/app.ts";
import { createWire } from "./http/wire.ts";
import { advance } from "./lifecycle/transitions.ts";
import type { Machine } from "./model/machine.ts";
import { seedWorld } from "./model/seed.ts";
import type { World } from "./model/world.ts";
import { createAuth } from "./request/auth.ts";
import { createFaults } from "./request/faults.ts";
import { createJournal, type JournalEntry } from "./request/journal.ts";
import type { Scope } from "./request/jwt.ts";
import { createRate } from "./request/rate.ts";
import type { Simulation } from "./request/simulation.ts";

const LOOPBACK = "127.0.0.1";

export interface SimulatorOptions {
  readonly surface: Surface;
  /** The address of the API; 127.0.0.1 by default. The control endpoint is always there. */
  readonly host?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** The speed of the platform; 1 by default. */
  readonly speed?: Speed;
  readonly organizationId?: string;
  /** The value of the token with the scope Admin; generated if absent. */
  readonly adminToken?: string;
  /** Makes ids and tokens the same in every run. */
  readonly seed?: string;
  readonly clock?: Clock;
}

/** A running platform. */
export interface Simulator {
  /** Without a path prefix; `${url}/api/v1` serves the same. */
  readonly url: string;
  readonly controlUrl: string;
  readonly organizationId: string;
  readonly otherOrganizationId: string;
  /** Values of API tokens by their scope; `foreign` is an Admin of another organization. */
  readonly tokens: Readonly<Record<"admin" | "read" | "deploy" | "write" | "foreign", string>>;
  /** Clusters of the organization: one on AWS, managed by the platform; one on GCP, managed by the customer. */
  readonly clusterIds: readonly string[];
  readonly credentialsId: string;
  /** The platform's parts, for tests in the same process. */
  readonly sim: Simulation;
  /** The world, brought up to date. */
  world(): World;
  /** All calls and transitions so far. */
  journal(): readonly JournalEntry[];
  close(): Promise<void>;
}

/** A platform without a network. */
export type Setup = Pick<
  Simulator,
  "organizationId" | "otherOrganizationId" | "tokens" | "clusterIds" | "credentialsId" | "sim"
>;

/** @returns a platform without a server, for {@link startSimulator} and tests of the state machine */
export function createSimulation(options: SimulatorOptions & { readonly clock: Clock }): Setup {
  const ids = createIds(options.seed);
  const time = createTime(options.clock, options.speed ?? 1);
  const { world, organizationId, otherOrganizationId, ...seeded } = seedWorld(ids, time, options.organizationId);
  const journal = createJournal(time);
  const auth = createAuth(ids, time);
  const token = (name: string, scope: Scope, organization = organizationId, value?: string): string =>
    auth.createToken({ name, organizationId: organization, scopes: [scope], ...(value !== undefined && { value }) })
      .value;
  const machine: Machine = {
    world,
    time,
    ids,
    settings: settingsOf(options.surface),
    notify: (transition) => {
      journal.transition(transition);
      deliveries.notify(transition);
    },
  };
  const deliveries = createDeliveries(machine, options.clock);
  return {
    organizationId,
    otherOrganizationId,
    ...seeded,
    tokens: {
      admin: token("admin", "Admin", organizationId, options.adminToken),
      read: token("read", "Read"),
      deploy: token("deploy", "Deploy"),
      write: token("write", "Write"),
      foreign: token("foreign", "Admin", otherOrganizationId),
    },
    sim: { ...machine, journal, auth, rate: createRate(time), faults: createFaults(), deliveries },
  };
}

/** Starts a platform. @throws when a port is taken or the address is not the machine's. */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const clock = options.clock ?? realClock();
  const setup = createSimulation({ ...options, clock });
  const { sim, organizationId } = setup;
  const app = await createApp(sim);
  const server = createWire(sim, app, clock);
  const control = createControlServer(sim, organizationId);
  const url = await listen(server, options.host ?? LOOPBACK, options.port ?? 0);
  const controlUrl = await control.listen({ port: options.controlPort ?? 0, host: LOOPBACK });
  return {
    ...setup,
    url,
    controlUrl,
    world() {
      advance(sim);
      return sim.world;
    },
    journal() {
      advance(sim);
      return sim.journal.entries;
    },
    async close() {
      sim.deliveries.stop();
      server.closeAllConnections();
      await Promise.all([once(server.close(), "close"), app.close(), control.close()]);
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${host}:${address.port}`;
}
