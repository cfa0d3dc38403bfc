import { afterEach } from "vitest";

import type { KubeRequest } from "../../../src/kube/api/transport.ts";
import type { Json } from "../../../src/kube/api/types.ts";
import { createReflector, type Reflector } from "../../../src/kube/watch/reflector.ts";
import { createStore } from "../../../src/kube/watch/store.ts";
import { manualClock } from "./clock.ts";
import { scriptedClient } from "./scripted-client.ts";
import { THING, thing, thingList } from "./things.ts";

type Answer = (request: KubeRequest) => Json | Promise<Json>;

/**
 * Returns a function that starts a reflector of Things with a scripted API server, and returns what tests observe. The
 * reflectors stop after the test.
 */
export function reflectorEnv() {
  const running: Reflector[] = [];

  afterEach(async () => {
    for (const reflector of running.splice(0)) await reflector.stop();
  });

  return async (answer: Answer = () => thingList("10", [thing("a", "5")])) => {
    const clock = manualClock();
    const client = scriptedClient(answer);
    const changes: string[] = [];
    const store = createStore((error) => {
      throw error;
    });
    store.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.uid}`));
    const told = { malformed: 0, failures: [] as string[] };
    const reflector = createReflector({
      client,
      store,
      type: THING,
      clock,
      random: () => 0,
      observer: {
        malformed: () => (told.malformed += 1),
        failed: (_, error) => told.failures.push(error.failure),
      },
    });
    running.push(reflector);
    reflector.start();
    await clock.advance(1);
    return { clock, client, store, changes, reflector, told, lists: () => client.calls.length };
  };
}
