import { ApiError } from "../../platform/transport/errors.ts";

/**
 * Reports whether a request to stop was refused because nothing runs. Where the surface shows no state, that is the
 * only way to know it. A 409 is also the answer for what is at work (docs/architecture.md §9), and that is tried again.
 * @param error what the request to stop threw
 */
export function isStoppedAlready(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { failure, message } = error;
  return failure.is === "Conflict" && /already stopped/i.test(message) && !/in progress/i.test(message);
}
