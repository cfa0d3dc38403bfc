/** Repeats reads. A write is never repeated here: only the ledger knows whether it may be. */
import { type Clock, sleep } from "../transport/clock.ts";
import { ApiError } from "../transport/errors.ts";

const MAX_ATTEMPTS = 3;
const BASE_MS = 200;

/**
 * Returns a function that runs a read up to three times while it fails with Server or Unreachable, or with a body that
 * was cut on its way, 200 and 400 ms apart ± 50 %. After three such failures in a row, of any reads, the platform counts as down: until a read gets another
 * answer, every read is sent once, so that probes do not send three requests (docs/reliability.md C2). The function
 * takes the read, which gets a function that returns the rest of `deadlineMs`, and the number of the attempt, from 1.
 * The deadline spans all attempts and the pauses between them. The function throws the ApiError of the last attempt.
 */
export function createRetry(clock: Clock, random: () => number) {
  let failures = 0; // in a row

  return async <T>(
    attempt: (remainingMs: () => number, made: number) => Promise<T>,
    deadlineMs: number,
  ): Promise<T> => {
    const endsAt = clock.monotonic() + deadlineMs;
    for (let made = 1; ; made += 1) {
      const isDown = failures >= MAX_ATTEMPTS;
      try {
        const value = await attempt(() => endsAt - clock.monotonic(), made);
        failures = 0;
        return value;
      } catch (error) {
        if (isTransient(error)) failures += 1;
        else if (error instanceof ApiError && error.status > 0) failures = 0; // an answer, if only a refusal
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
