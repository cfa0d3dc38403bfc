/** From an answer, or from its absence, to a value or an ApiError. Pure. */
import type { Decode, Received } from "../codec/decode.ts";
import { isRead } from "../codec/operations.ts";
import type { OperationName } from "../codec/operations.ts";
import { ShapeError } from "../codec/shape.ts";
import { cleaned, errorText } from "../codec/text.ts";
import { parseDate, pauseMs, quotaOf, type Quota } from "../rate/rate-headers.ts";
import { ApiError } from "../transport/errors.ts";
import { failureOfShape, failureOfStatus, failureOfTransport } from "../transport/failures.ts";
import type { Effect } from "../transport/failures.ts";
import { TransportError } from "../transport/transport.ts";
import type { HttpAnswer } from "../transport/transport.ts";
import type { Prepared } from "./request.ts";

/** The platform's clock as an answer tells it. */
export function serverDateOf(answer: HttpAnswer): Date | undefined {
  return parseDate(answer.header("date"));
}

/** What an answer tells of the platform's rate limit. */
export function quotaIn(answer: HttpAnswer, now: Date): Quota | undefined {
  const told = (name: string): string | undefined => answer.header(`x-ratelimit-${name}`);
  const headers = { limit: told("limit"), remaining: told("remaining"), reset: told("reset") };
  return quotaOf({ ...headers, date: answer.header("date") }, now);
}

/** Reads a success: any 2xx. @throws ApiError */
export function valueOf<T>(answer: HttpAnswer, { operation, secrets }: Prepared, decode: Decode<T>, now: Date): T {
  if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, operation, secrets, now);
  const serverDate = serverDateOf(answer);
  const header = (name: string): string | undefined => answer.header(name);
  const received: Received = { text: answer.text, header, ...(serverDate !== undefined && { serverDate }) };
  try {
    return decode(received);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ApiError(operation, failureOfShape(effectOf(operation)), answer.status, cleaned(error.message, secrets));
  }
}

/**
 * Whatever went wrong, as an ApiError. Anything else than the absence of an answer is a defect of ours and thrown on.
 */
export function failureOf(error: unknown, { operation }: Prepared): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof TransportError)) throw error;
  return new ApiError(operation, failureOfTransport(error.failure, effectOf(operation)), 0, error.message);
}

function refusalOf(answer: HttpAnswer, operation: OperationName, secrets: readonly string[], now: Date): ApiError {
  const { status, text } = answer;
  const headers = {
    reset: answer.header("x-ratelimit-reset"),
    retryAfter: answer.header("retry-after"),
    date: answer.header("date"),
  };
  const failure = failureOfStatus(status, effectOf(operation), pauseMs(headers, now));
  return new ApiError(operation, failure, status, errorText(status, text, secrets));
}

function effectOf(operation: OperationName): Effect {
  return isRead(operation) ? "read" : "write";
}
