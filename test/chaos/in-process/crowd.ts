/**
 * Many objects in several namespaces, and an operator with all of its workers; calls of the platform take their time.
 */
import type { Surface } from "../../../simulator/base/operations.ts";
import { isSettled } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { sleep } from "../../../src/platform/transport/clock.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import { manualClock, settle, type ManualClock } from "../../support/kube/clock.ts";
import { memoryApiServer, type ApiServer } from "./api-server.ts";
import { startOperator } from "./operator.ts";
import type { InProcessPlatform, Platforms } from "./platform.ts";

/** The operator's own default. */
const WORKERS = 10;
/** How long the platform takes to answer, in milliseconds. */
export const CALL_MS = 200;

export interface Crowd {
  readonly clock: ManualClock;
  readonly cluster: ApiServer;
  readonly platform: InProcessPlatform;
  /** What the operator's kinds threw and no table knows. */
  readonly internal: readonly unknown[];
  /** Reconciles of the operator so far. */
  passes(): number;
  /** Lets time pass until `done`, which is asked after all that happens. @returns false when `ms` were not enough */
  until(done: () => boolean, ms: number): Promise<boolean>;
}

export interface CrowdOptions {
  readonly surface: Surface;
  /** In place of the platform's answer. @throws TransportError */
  readonly answer?: (request: HttpRequest, clock: ManualClock) => Promise<HttpAnswer> | undefined;
}

/** @returns a crowd of nobody yet. */
export function createCrowd(platforms: Platforms, { surface, answer }: CrowdOptions): Crowd {
  const clock = manualClock();
  const cluster = memoryApiServer(() => clock.now());
  const platform = platforms.fresh(surface, clock);
  const internal: unknown[] = [];
  let drawn = 0;
  let answering = 0;
  const operator = startOperator({
    process: { alive: true },
    workers: WORKERS,
    clock,
    random: () => ((drawn += 1) * 0.618_033_988_749) % 1,
    objects: [],
    internal: (error) => internal.push(error),
    request: (request) => Promise.resolve().then(() => cluster.answer(request)),
    exchange: async (request) => {
      const made = answer?.(request, clock);
      if (made !== undefined) return await made;
      await sleep(clock, CALL_MS);
      answering += 1;
      try {
        return await platform.exchange(request);
      } finally {
        answering -= 1;
      }
    },
  });

  const activity = (): number => cluster.version() + operator.passes() + answering;

  /** Everybody has gone as far as they come without time going by. */
  const idle = async (): Promise<void> => {
    for (;;) {
      const before = activity();
      await settle();
      const news = cluster.news();
      for (const each of news) operator.told(each);
      if (answering === 0 && activity() === before && news.length === 0) return;
    }
  };

  return {
    clock,
    cluster,
    platform,
    internal,
    passes: () => operator.passes() / 2,
    until: async (done, ms) => {
      const end = clock.monotonic() + ms;
      for (await idle(); !done(); await idle()) {
        if (!clock.step(end - clock.monotonic())) {
          await clock.advance(end - clock.monotonic());
          return false;
        }
      }
      return true;
    },
  };
}

/** Whether an object is Ready for its current generation. */
export function isReady(object: KubeObject | undefined): boolean {
  return object !== undefined && isSettled(object);
}
