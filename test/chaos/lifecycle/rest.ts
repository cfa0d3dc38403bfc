/** When an operator is at rest. */
import { setTimeout as sleep } from "node:timers/promises";

import { type ChaosEnv, POLL_MS } from "../env.ts";
import { isWrite } from "./plan.ts";

/** How long nothing may be written for the operator to be at rest. */
const QUIET_MS = 3 * POLL_MS + 100;
/** What it may take to come to rest: first looks after Ready may fill in a count. */
const RESTLESS_MS = 15_000;

/** O4: comes to rest, and stays there. @returns sentences about violations */
export async function restlessness(env: ChaosEnv): Promise<readonly string[]> {
  const until = performance.now() + RESTLESS_MS;
  for (;;) {
    const from = env.calls.length;
    await sleep(QUIET_MS);
    const writes = env.calls.slice(from).filter(({ what }) => isWrite(what) && !what.includes(" events "));
    if (writes.length === 0) return [];
    if (performance.now() > until) return [`O4 does not come to rest: ${writes.map(({ what }) => what).join(", ")}`];
  }
}
