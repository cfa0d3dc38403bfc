/** Repeats reads. A write is never repeated here: only the ledger knows whether it may be. */
import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
import { ApiError } from "./errors.ts";

const MAX_ATTEMPTS = 3;
const BASE_MS = 200;

/** Repeats reads for one connection. */
export interface Retries {
  /**
   * Runs a read up to three times while it fails with Server or Unreachable, 200 and 400 ms apart ± 50 %. After as many
   * failures in a row the platform counts as down: until something succeeds every read is sent once, so that probes do
   * not send three requests (docs/reliability.md C2).
   * @param attempt gets a function for the rest of `deadlineMs`, which spans all attempts and the pauses between them,
   * and the number of the attempt, from 1
   * @throws ApiError of the last attempt
   */
  run<T>(attempt: (remainingMs: () => number, made: number) => Promise<T>, deadlineMs: number): Promise<T>;
}

export function createRetries(clock: Clock, random: () => number): Retries {
  let failures = 0; // in a row

  return {
    run: async (attempt, deadlineMs) => {
      const endsAt = clock.monotonic() + deadlineMs;
      for (let made = 1; ; made += 1) {
        const isDown = failures >= MAX_ATTEMPTS;
        try {
          const value = await attempt(() => endsAt - clock.monotonic(), made);
          failures = 0;
          return value;
        } catch (error) {
          if (isTransient(error)) failures += 1;
          else if (isAnswer(error)) failures = 0;
          const pause = BASE_MS * made * (0.5 + random());
          const isLast = isDown || made === MAX_ATTEMPTS || !isTransient(error);
          if (isLast || clock.monotonic() + pause >= endsAt) throw error;
          await sleep(clock, pause);
        }
      }
    },
  };
}

/** Reports whether the platform answered, even if it refused. */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.status > 0;
}

function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.failure.is === "Server" || error.failure.is === "Unreachable");
}
