import { ApiError } from "../../platform/transport/errors.ts";

/**
 * Whether an order to stop was refused as there is nothing to stop. Where the surface shows no state, that is the only
 * way to learn it; a 409 is also the answer for what is at work (docs/architecture.md §9), and that is tried again.
 * @param error what the order to stop threw
 */
export function isStoppedAlready(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { failure, message } = error;
  return failure.is === "Conflict" && /already stopped/i.test(message) && !/in progress/i.test(message);
}
