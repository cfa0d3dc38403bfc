/** The simulated platform without sockets: built once, reset for each run. */
import { afterAll, beforeAll } from "vitest";

import type { Surface } from "../../../simulator/base/operations.ts";
import { createApp } from "../../../simulator/http/app.ts";
import { advance } from "../../../simulator/lifecycle/transitions.ts";
import { createSimulation } from "../../../simulator/simulator.ts";
import type { HttpRequest } from "../../../src/platform/transport/http.ts";
import { exchangeDirectly } from "../../support/env/simulated-platform.ts";
import { manualClock, type ManualClock } from "../../support/kube/clock.ts";

/** In seconds: short, but every intermediate state occurs. */
const DURATIONS = { queue: 1, build: 2, deploy: 1, stop: 1, delete: 1 };

export type Platforms = Awaited<ReturnType<typeof buildPlatforms>>;
export type InProcessPlatform = ReturnType<Platforms["reset"]>;

/** Registers setup and teardown for the enclosing describe or file. @returns the platforms, once a test runs */
export function openPlatforms(): () => Platforms {
  let platforms: Platforms;
  beforeAll(async () => {
    platforms = await buildPlatforms();
  }, 60_000);
  afterAll(() => platforms.close());
  return () => platforms;
}

/** Builds the app once, which takes longer than a run. */
async function buildPlatforms() {
  const options = (surface: Surface, clock: ManualClock) => ({ surface, clock, seed: "two faults" });
  // The routes read its members at each call, so `reset` can replace them.
  const { sim } = createSimulation(options("full", manualClock()));
  const app = await createApp(sim);

  return {
    /** Resets the platform; the previous one must not be used any more. */
    reset: (surface: Surface, clock: ManualClock) => {
      const setup = createSimulation(options(surface, clock));
      setup.sim.settings.durations = { ...setup.sim.settings.durations, ...DURATIONS };
      Object.assign(sim, setup.sim);
      return {
        ...setup,
        url: "http://platform.test",
        exchange: (request: HttpRequest) => exchangeDirectly(sim, app, request),
        /** The state at the current time. */
        world: () => {
          advance(setup.sim);
          return setup.sim.world;
        },
        /** All calls so far. */
        calls: () => setup.sim.journal.entries.filter((entry) => entry.is === "call"),
      };
    },
    close: () => app.close(),
  };
}
