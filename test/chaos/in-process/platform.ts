/** The simulated platform without sockets: its app is built once, its world is new for each run. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { createApp } from "../../../simulator/http/app.ts";
import { accept } from "../../../simulator/http/wire.ts";
import { advance } from "../../../simulator/lifecycle/transitions.ts";
import type { World } from "../../../simulator/model/world.ts";
import type { CallEntry } from "../../../simulator/request/journal.ts";
import { createSimulation, type Setup } from "../../../simulator/simulator.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import { manualClock, type ManualClock } from "../../support/kube/clock.ts";

/** Seconds: every state is passed through, and few looks are needed to follow it. */
const BRISK = { queue: 1, build: 2, deploy: 1, stop: 1, delete: 1 };

export interface InProcessPlatform extends Setup {
  readonly url: string;
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Brought up to date. */
  world(): World;
  /** All calls so far. */
  calls(): readonly CallEntry[];
}

export interface Platforms {
  /** Empties the platform. The one before must not be used any more. */
  fresh(surface: Surface, clock: ManualClock): InProcessPlatform;
  close(): Promise<void>;
}

/** Builds the app, which takes longer than a whole run. */
export async function buildPlatforms(): Promise<Platforms> {
  const options = (surface: Surface, clock: ManualClock) => ({ surface, clock, seed: "two faults" });
  // The routes look at its members at each call, so that others can be put in their place.
  const { sim } = createSimulation(options("full", manualClock()));
  const app = await createApp(sim);

  return {
    fresh: (surface, clock) => {
      const setup = createSimulation(options(surface, clock));
      setup.sim.settings.durations = { ...setup.sim.settings.durations, ...BRISK };
      Object.assign(sim, setup.sim);
      return {
        ...setup,
        url: "http://platform.test",
        exchange: async ({ method, url, headers, body = "" }) => {
          const { pathname, search } = new URL(url);
          const answer = await accept(sim, app, {
            method,
            url: pathname + search,
            headers,
            body: Buffer.from(body),
          }).work();
          return {
            status: answer.status,
            text: answer.body.toString(),
            header: (name) => new Map(Object.entries(answer.headers)).get(name),
          };
        },
        world: () => {
          advance(setup.sim);
          return setup.sim.world;
        },
        calls: () => setup.sim.journal.entries.filter((entry) => entry.is === "call"),
      };
    },
    close: () => app.close(),
  };
}
