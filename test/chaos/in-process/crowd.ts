/** Many objects in several namespaces, and an operator with all of its workers; calls of the platform take their time. */
import type { Surface } from "../../../simulator/base/operations.ts";
import { isSettled } from "../../../src/engine/contract/status.ts";
import type { KubeObject } from "../../../src/kube/api/types.ts";
import { sleep } from "../../../src/platform/transport/clock.ts";
import type { HttpAnswer, HttpRequest } from "../../../src/platform/transport/http.ts";
import type { ManualClock } from "../../support/kube/clock.ts";
import { createChaosEnv, type ChaosEnv } from "./env.ts";
import type { Platforms } from "./platform.ts";

/** The operator's own default. */
const WORKERS = 10;
/** How long the platform takes to answer, in milliseconds. */
export const CALL_MS = 200;

export interface CrowdOptions {
  readonly surface: Surface;
  /** In place of the platform's answer. @throws TransportError */
  readonly answer?: (request: HttpRequest, clock: ManualClock) => Promise<HttpAnswer> | undefined;
}

/** @returns a crowd of nobody yet. */
export function createCrowd(platforms: Platforms, { surface, answer }: CrowdOptions): ChaosEnv {
  return createChaosEnv(
    platforms,
    { surface, faults: [] },
    {
      workers: WORKERS,
      ahead: async (request, clock) => {
        const made = answer?.(request, clock);
        if (made !== undefined) return await made;
        await sleep(clock, CALL_MS);
        return undefined;
      },
    },
  );
}

/** Whether an object is Ready for its current generation. */
export function isReady(object: KubeObject | undefined): boolean {
  return object !== undefined && isSettled(object);
}
