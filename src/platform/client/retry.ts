/** Repeats reads. A write is never repeated here: only the ledger knows whether it may be. */
import { type Clock, sleep } from "../transport/clock.ts";
import { ApiError } from "../transport/errors.ts";

const MAX_ATTEMPTS = 3;
const BASE_MS = 200;

/**
 * Creates the repetition of one client's reads. A read that fails with Server or Unreachable, or whose body was cut on
 * its way, is sent up to three times, 200 and 400 ms apart ± 50 %. After three such failures in a row, of any reads,
 * the platform counts as down: until a read gets another answer, every read is sent once, so that a probe of a platform
 * that is down is a single request.
 */
export function createRetry(clock: Clock, random: () => number) {
  let failuresInARow = 0;

  /**
   * @param attempt sends the read: it takes a function that returns the rest of the deadline in milliseconds, and the
   * number of the attempt, from 1
   * @param deadlineMs spans all attempts and the pauses between them
   * @throws ApiError of the last attempt
   */
  return async <T>(
    attempt: (remainingMs: () => number, made: number) => Promise<T>,
    deadlineMs: number,
  ): Promise<T> => {
    const endsAt = clock.monotonic() + deadlineMs;
    for (let made = 1; ; made += 1) {
      const isDown = failuresInARow >= MAX_ATTEMPTS;
      try {
        const value = await attempt(() => endsAt - clock.monotonic(), made);
        failuresInARow = 0;
        return value;
      } catch (error) {
        if (isTransient(error)) failuresInARow += 1;
        else if (error instanceof ApiError && error.status > 0) failuresInARow = 0; // the platform has answered
        const pause = BASE_MS * made * (0.5 + random());
        const isLast = isDown || made === MAX_ATTEMPTS || !isTransient(error);
        if (isLast || clock.monotonic() + pause >= endsAt) throw error;
        await sleep(clock, pause);
      }
    }
  };
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { failure } = error;
  return (
    failure.is === "Server" || failure.is === "Unreachable" || (failure.is === "BadResponse" && failure.isCut === true)
  );
}
