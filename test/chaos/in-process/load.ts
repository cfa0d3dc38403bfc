/** An environment for many objects in several namespaces: all workers run, and each call of the platform takes time. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { isSettled } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { sleep } from "../../../src/platform/transport/clock.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import type { ManualClock } from "../../support/kube/clock.ts";
import { createChaosEnv, type ChaosEnv } from "./env.ts";
import type { Platforms } from "./platform.ts";

/** The operator's default. */
const WORKERS = 10;
/** The platform's response time, in milliseconds. */
export const CALL_MS = 200;

export interface LoadOptions {
  readonly surface: Surface;
  /** Replaces the platform's answer unless it returns undefined. @throws TransportError */
  readonly answer?: (request: HttpRequest, clock: ManualClock) => Promise<HttpAnswer> | undefined;
}

export function createLoadEnv(platforms: Platforms, { surface, answer }: LoadOptions): ChaosEnv {
  return createChaosEnv(
    platforms,
    { surface, faults: [] },
    {
      workers: WORKERS,
      intercept: async (request, clock) => {
        const replacement = answer?.(request, clock);
        if (replacement !== undefined) return await replacement;
        await sleep(clock, CALL_MS);
        return undefined;
      },
    },
  );
}

/** Reports whether an object is Ready for its current generation. */
export function isReady(object: KubeObject | undefined): boolean {
  return object !== undefined && isSettled(object);
}
