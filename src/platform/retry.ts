import type { Clock } from "./clock.ts";
import { sleep } from "./clock.ts";
/** Repetition of reads. A write is never repeated: only its ledger knows whether it may be. */
import { ApiError } from "./errors.ts";

const MAX_ATTEMPTS = 3;
const BASE_MS = 200;

/**
 * Runs a read up to three times while it fails with Server or Unreachable, 200 and 400 ms apart ± 50 %.
 * @param attempt can ask what is left of `deadlineMs`, which spans all attempts and the pauses between them.
 * @throws ApiError of the last attempt.
 */
export async function withRetries<T>(
  attempt: (remainingMs: () => number) => Promise<T>,
  deadlineMs: number,
  clock: Clock,
  random: () => number,
): Promise<T> {
  const endsAt = clock.monotonic() + deadlineMs;
  for (let made = 1; ; made += 1) {
    try {
      return await attempt(() => endsAt - clock.monotonic());
    } catch (error) {
      const pause = BASE_MS * made * (0.5 + random());
      if (made === MAX_ATTEMPTS || !isTransient(error) || clock.monotonic() + pause >= endsAt) throw error;
      await sleep(clock, pause);
    }
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof ApiError && (error.failure.is === "Server" || error.failure.is === "Unreachable");
}
