/** Keeps an operator running: restarts its process when it ends. */
import { setTimeout as sleep } from "node:timers/promises";

import { type Exit, type OperatorStart, type RunningOperator, startOperator } from "../support/env/operator.ts";

const RESTART_MS = 1_000;

/**
 * Starts the operator and keeps it running until `stop`.
 * @param say prints one line about each start and end
 * @throws Error when the first start fails; later ones are repeated
 */
export async function superviseOperator(start: OperatorStart, say: (line: string) => void) {
  const stopping = new AbortController();
  let operator: RunningOperator = await startOperator(start);

  const restart = async (): Promise<RunningOperator | undefined> => {
    while (!stopping.signal.aborted) {
      try {
        return await startOperator(start);
      } catch (error) {
        say(`operator: could not be started again: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    return undefined;
  };
  const supervise = async (): Promise<void> => {
    for (;;) {
      const exit = await operator.exited;
      if (stopping.signal.aborted) return;
      say(`operator: process ${operator.pid} ended (${textOf(exit)}); starting it again`);
      const next = await restart();
      if (next === undefined) return;
      operator = next;
      if (stopping.signal.aborted) await operator.stop();
      else say(`operator: pid ${operator.pid}; it goes to work once the lease of the former one has run out (15 s)`);
    }
  };

  say(`operator: pid ${operator.pid}`);
  const supervised = supervise();
  return {
    /** Stops the operator cleanly, without a restart. */
    stop: async (): Promise<void> => {
      stopping.abort();
      await operator.stop();
      await supervised;
    },
  };
}

function textOf({ code, signal }: Exit): string {
  return signal ?? `exit code ${code}`;
}
