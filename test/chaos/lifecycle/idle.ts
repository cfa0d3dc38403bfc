/** The operator stops writing once nothing changes. */
import { setTimeout as sleep } from "node:timers/promises";

import { type ChaosEnv, POLL_MS } from "../env.ts";
import { isWrite } from "./plan.ts";

/** The operator is idle after this time without a write. */
const IDLE_MS = 3 * POLL_MS + 100;
/** The time limit until the operator is idle: the first polls after Ready may still report a count. */
const TIMEOUT_MS = 15_000;

/** Waits until the operator is idle. @returns violations */
export async function writesWhenIdle(env: ChaosEnv): Promise<readonly string[]> {
  const until = performance.now() + TIMEOUT_MS;
  for (;;) {
    const from = env.calls.length;
    await sleep(IDLE_MS);
    const writes = env.calls.slice(from).filter(({ what }) => isWrite(what) && !what.includes(" events "));
    if (writes.length === 0) return [];
    if (performance.now() > until) return [`O4 keeps writing: ${writes.map(({ what }) => what).join(", ")}`];
  }
}
