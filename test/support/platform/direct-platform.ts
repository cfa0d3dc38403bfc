/** A simulated platform for tests with a manual clock, which can be called without a socket. */
import { once } from "node:events";

import { createApp, type App } from "../../../simulator/http/app.ts";
import { accept, createWire } from "../../../simulator/http/wire.ts";
import { advance } from "../../../simulator/lifecycle/transitions.ts";
import type { Simulation } from "../../../simulator/request/simulation.ts";
import { createSimulation, type Simulator, type SimulatorOptions } from "../../../simulator/simulator.ts";
import { TransportError } from "../../../src/platform/transport/errors.ts";
import { createTransport, type Transport } from "../../../src/platform/transport/http.ts";
import type { ManualClock } from "../kube/clock.ts";
import { listen } from "../programs/free-port.ts";

/** Apps for the next tests to use: their routes take long to build, and read `sim` at each call. */
const free: { readonly sim: Simulation; readonly app: App }[] = [];

export type DirectPlatform = Awaited<ReturnType<typeof startDirectPlatform>>;

/** Starts a platform on loopback, without a control server. */
export async function startDirectPlatform(options: SimulatorOptions & { readonly clock: ManualClock }) {
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

/**
 * The calls of one process. A call goes over a socket where the platform has faults, or is another one: sockets take
 * most of the time of a call.
 */
export function transportTo({ url, sim, app }: DirectPlatform): Transport {
  const options = { connections: 8, connectTimeoutMs: 5_000, network: () => ({}) };
  const http = createTransport({ ...options, mayCall: () => true, allowAddress: () => true });
  let isOpen = true;
  return {
    exchange: async (request) => {
      if (!request.url.startsWith(url) || sim.faults.list().length > 0) return await http.exchange(request);
      const { method, headers, body = "" } = request;
      const call = { method, url: request.url.slice(url.length), headers, body: Buffer.from(body) };
      const answer = await accept(sim, app, call).work();
      if (!isOpen) throw new TransportError("interrupted", "the process has ended");
      const header = (name: string): string | undefined => answer.headers[name];
      return { status: answer.status, text: answer.body.toString(), header };
    },
    close: async () => {
      isOpen = false;
      await http.close();
    },
  };
}
