import { once } from "node:events";

import { onTestFinished } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { createApp, type App } from "../../../simulator/http/app.ts";
import { createWire } from "../../../simulator/http/wire.ts";
import { advance } from "../../../simulator/lifecycle/transitions.ts";
import type { World } from "../../../simulator/model/world.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import type { Simulation } from "../../../simulator/request/simulation.ts";
import { createSimulation, type Simulator, type SimulatorOptions } from "../../../simulator/simulator.ts";
import { boundKinds, CONNECTION_KINDS } from "../../../src/config/kinds.ts";
import type { BoundKinds } from "../../../src/engine/bind.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { createRedactor } from "../../../src/observability/secrets.ts";
import { createPlatforms } from "../../../src/operator/platforms.ts";
import { DEFAULT_DEADLINES, type Deadlines } from "../../../src/platform/client/caller.ts";
import type { Platform } from "../../../src/platform/index.ts";
import { TransportError } from "../../../src/platform/transport/errors.ts";
import type { Transport } from "../../../src/platform/transport/http.ts";
import { drawn, engineHarness, impatient, type Harness } from "../engine/harness.ts";
import type { Manifest } from "../env/cluster.ts";
import { exchangeDirectly } from "../env/simulated-platform.ts";
import { TEAM } from "../kube/api-server.ts";
import { manualClock, type ManualClock } from "../kube/clock.ts";
import { defaults } from "../kube/manifests.ts";
import { listen } from "../programs/free-port.ts";
import { callsIn, isChange } from "./calls.ts";
import { anyTransport } from "./client.ts";
import { MINUTE } from "./durations.ts";
import { memoryOrphans } from "./orphans.ts";

export type OperatorEnv = Awaited<ReturnType<typeof operatorEnv>>;

interface OperatorEnvOptions {
  readonly surface?: Surface;
  /** In real milliseconds, because sockets use real time. */
  readonly deadlines?: Partial<Deadlines>;
  /** The uid of kube-system; "installation-1" by default. */
  readonly installation?: string;
  /** Another operator whose platform and clock this one shares. Each runs its own work. */
  readonly beside?: { readonly clock: ManualClock; readonly platform: DirectPlatform };
  /** Answers have no Date header, as behind a proxy that strips it. */
  readonly isDateless?: boolean;
  /** The kinds that it reconciles; the operator's own by default. */
  readonly kinds?: () => BoundKinds<Platform>;
}

/**
 * Starts the whole operator except its Kubernetes side: every kind, the engine with its real times, the platform's client
 * and a simulated platform at its usual speed, with a cluster in memory. `transportTo` says which calls use a socket. The
 * clock is manual, so hours take only as long as their calls. It ends with the current test.
 */
export async function operatorEnv({
  surface = "full",
  deadlines = {},
  installation = "installation-1",
  beside,
  isDateless = false,
  kinds = boundKinds,
}: OperatorEnvOptions = {}) {
  const clock = beside?.clock ?? manualClock();
  const startedAt = clock.now().getTime();
  const platform = beside?.platform ?? (await startDirectPlatform({ surface, clock, seed: "operator bench" }));
  const random = drawn();
  let transport: Transport;
  const harness = engineHarness<Platform>({
    clock,
    random,
    kinds,
    connectionKinds: CONNECTION_KINDS,
    // All objects are in this namespace, also the Secrets of cluster-scoped connections.
    operatorNamespace: TEAM,
    process: () => {
      const own = isDateless ? dateless(transportTo(platform)) : transportTo(platform);
      transport = own;
      const { connect } = createPlatforms({
        config: {
          allowedPlatformHosts: ["127.0.0.1"],
          allowInsecurePlatform: true,
          deadlines: { ...DEFAULT_DEADLINES, ...deadlines },
        },
        version: "0.0.0",
        clock: impatient(clock),
        random,
        redactor: createRedactor(),
        onCall: () => {},
        // A connection that is closed does not end the calls of the others.
        transport: { exchange: (request) => own.exchange(request), close: () => Promise.resolve() },
      });
      return { connect, orphans: memoryOrphans(clock), installation };
    },
  });
  harness.restart();
  const end = async (): Promise<void> => {
    await harness.engine.connections.closeAll();
    await transport.close();
  };
  onTestFinished(async () => {
    await end();
    if (beside === undefined) await platform.close();
  });

  const { cluster } = harness;
  const calls = (since?: number): readonly CallEntry[] => callsIn(platform.journal(), since);

  const restart = harness.restart.bind(harness);
  return Object.assign(harness as Omit<Harness<Platform>, "restart">, {
    platform,
    /** Creates objects or changes their specs, like a user's apply. */
    apply: (...manifests: readonly Manifest[]): void => {
      for (const manifest of manifests) cluster.apply(manifest);
    },
    restart: async (): Promise<void> => {
      harness.kill();
      await end();
      restart();
    },
    get: (kind: string, name: string): KubeObject => cluster.get(kind, name),
    /** The condition as "True/Available"; "" without such a condition. */
    condition: (kind: string, name: string, type = "Ready"): string => {
      const found = conditionOf(cluster.get(kind, name), type);
      return found === undefined ? "" : `${found.status}/${found.reason}`;
    },
    summary: (kind: string, name: string): string => harness.conditions(kind, name).join(" "),
    /** Calls that arrived at the platform, oldest first. @param since a result of `baseline()` */
    calls,
    /** The operations of calls that ask for a change, refused ones included. @param since a result of `baseline()` */
    writes: (since?: number): readonly string[] =>
      calls(since)
        .filter(isChange)
        .map(({ operation }) => operation ?? ""),
    /** "createProject created shop" for each effect on the platform, in alphabetical order. */
    effects: (since?: number): readonly string[] => effectsOf(platform.world(), calls(since)),
    /** All projects, environments and services of the platform by their ids, e.g. "project shop". */
    remotes: (): ReadonlyMap<string, string> => remotesIn(platform.world()),
    /** The number of the last call so far. */
    baseline: (): number => platform.journal().at(-1)?.seq ?? 0,
    /** When a call arrived, in milliseconds since the start. */
    at: (call: CallEntry): number => Date.parse(call.at) - startedAt,
  });
}

/** Starts an operator with a connection and some objects, and lets them settle. */
export async function settledEnv(
  manifests: (env: OperatorEnv) => readonly Manifest[],
  { minutes = 15, ...options }: OperatorEnvOptions & { readonly minutes?: number } = {},
): Promise<OperatorEnv> {
  const env = await operatorEnv(options);
  env.apply(...defaults(env), ...manifests(env));
  await env.run(minutes * MINUTE);
  return env;
}

function remotesIn({ projects, environments, services }: World): ReadonlyMap<string, string> {
  const all = Object.entries({ project: projects, environment: environments, service: services });
  return new Map(
    all.flatMap(([what, records]) => [...records.values()].map(({ id, name }) => [id, `${what} ${name}`])),
  );
}

function effectsOf(world: World, calls: readonly CallEntry[]): readonly string[] {
  const remotes = remotesIn(world);
  const nameOf = (id: string): string => {
    const service = world.blueprints.get(id)?.serviceId ?? id;
    return remotes.get(service)?.replace(/^\w+ /, "") ?? (world.webhooks.has(id) ? "webhook" : id);
  };
  return calls
    .flatMap(({ operation, effects }) =>
      effects.map((effect) => {
        const [what = "", id = ""] = Object.entries(effect)[0] ?? [];
        return `${operation} ${what} ${nameOf(String(id))}`;
      }),
    )
    .toSorted();
}

/** Apps for the next tests to use: their routes take long to build, and read `sim` at each call. */
const free: { readonly sim: Simulation; readonly app: App }[] = [];

type DirectPlatform = Awaited<ReturnType<typeof startDirectPlatform>>;

/** Starts a platform on loopback that can be called without a socket too, without a control server. */
async function startDirectPlatform(options: SimulatorOptions & { readonly clock: ManualClock }) {
  const setup = createSimulation(options);
  const used = free.pop() ?? { sim: setup.sim, app: await createApp(setup.sim) };
  const sim = Object.assign(used.sim, setup.sim);
  const server = createWire(sim, used.app, options.clock);
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    ...setup,
    sim,
    url,
    app: used.app,
    world: () => {
      advance(sim);
      return sim.world;
    },
    journal: () => {
      advance(sim);
      return sim.journal.entries;
    },
    close: async (): Promise<void> => {
      sim.deliveries.stop();
      server.closeAllConnections();
      await once(server.close(), "close");
      free.push(used);
    },
  } satisfies Omit<Simulator, "controlUrl"> & { readonly app: App };
}

function dateless(transport: Transport): Transport {
  return {
    ...transport,
    exchange: async (request) => {
      const answer = await transport.exchange(request);
      return { ...answer, header: (name) => (name.toLowerCase() === "date" ? undefined : answer.header(name)) };
    },
  };
}

/**
 * The calls of one process. A call goes over a socket where the platform has faults, or is another one: sockets take
 * most of the time of a call.
 */
function transportTo({ url, sim, app }: DirectPlatform): Transport {
  const http = anyTransport(8);
  let isOpen = true;
  return {
    exchange: async (request) => {
      if (!request.url.startsWith(url) || sim.faults.list().length > 0) return await http.exchange(request);
      const answer = await exchangeDirectly(sim, app, request);
      if (!isOpen) throw new TransportError("interrupted", "the process has ended");
      return answer;
    },
    close: async () => {
      isOpen = false;
      await http.close();
    },
  };
}
