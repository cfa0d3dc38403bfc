/**
 * Makes one call of one operation: builds the request, waits for the rate gate, sends it, reads the answer. The areas
 * define the operations.
 */
import type { Decode, Received } from "../codec/decode.ts";
import { idsByName, isOnce, isRead, type OperationName } from "../codec/operations.ts";
import { ShapeError } from "../codec/schema.ts";
import { cleaned, errorText, isCut, isJson } from "../codec/text.ts";
import type { Budget, RateGate, Turn } from "../rate/gate.ts";
import { parseDate, pauseMs, quotaOf } from "../rate/pacer.ts";
import type { Clock } from "../transport/clock.ts";
import {
  ApiError,
  type Effect,
  failureOfShape,
  failureOfStatus,
  failureOfTransport,
  TransportError,
} from "../transport/errors.ts";
import type { HttpAnswer, Transport } from "../transport/http.ts";
import { type CacheBudget, createReadCache, type Loaded } from "./read-cache.ts";
import { type ApiEndpoint, type Content, type Prepared, prepareRequest, queryOf } from "./request.ts";
import { createRetry } from "./retry.ts";

export interface ReadOptions {
  /** The largest age of a cached answer that may be used, in milliseconds; 0 by default. */
  readonly maxAgeMs?: number;
}

/** One request, whether it was sent or not, for metrics and logs. It holds no bodies. */
export interface CallRecord {
  readonly operation: OperationName;
  readonly method: string;
  /** The ids in the path, by placeholder. */
  readonly ids: Readonly<Record<string, string>>;
  /** The number of the attempt of the same read, from 1. */
  readonly attempt: number;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** False when the rate gate or `mayCall` prevented the request. */
  readonly sent: boolean;
  readonly failure: ApiError["failure"]["is"] | undefined;
  readonly durationMs: number;
  /** The platform's id of a deployment request, where the answer has one. */
  readonly requestId: string | undefined;
}

interface Call<T> extends Content {
  readonly answer: Decode<T>;
}

/** The interface that the areas are built on. Every method throws ApiError and nothing else. */
export interface Caller {
  /** Makes a read whose answer equal reads may share. @param ids the ids of the path, in its order */
  read<T>(name: OperationName, ids: readonly string[], call: Call<T> & ReadOptions): Promise<T>;
  /** Makes a read whose answer is never cached, e.g. because it is a credential. */
  fetch<T>(name: OperationName, ids: readonly string[], call: Call<T>): Promise<T>;
  /** Drops all cached answers. */
  readonly refresh: () => void;
  /** Makes a write: sent once, never repeated. */
  write<T>(name: OperationName, ids: readonly string[], call: Call<T>): Promise<T>;
  /**
   * Takes the rate token of a POST before its intent is written, so that no intent waits for the gate; the next POST
   * that may happen only once then takes none.
   * @throws ApiError "RateLimited" or "OverBudget" with the time to wait
   */
  readonly reserve: () => Promise<void>;
}

/** Deadlines in milliseconds, from connecting to the last byte. Tests scale them down. */
export interface Deadlines {
  /** Spans the retries of a read. */
  readonly readMs: number;
  readonly writeMs: number;
}

export const DEFAULT_DEADLINES: Deadlines = { readMs: 15_000, writeMs: 8_000 };

export interface CallerOptions {
  readonly target: ApiEndpoint;
  readonly deadlines: Deadlines;
  /** Returns the gate of the current token. */
  readonly gate: () => RateGate;
  /** Returns the priority and the lane of the current call; by default "high" and one lane. */
  readonly turn?: () => Turn;
  /**
   * Reports whether a call with this effect may be sent now. It is called after the wait for the rate gate, and again
   * with "read" when the bytes go out. By default every call is allowed.
   */
  readonly mayCall?: (effect: Effect) => boolean;
  readonly transport: Transport;
  /** Shared with all clients. */
  readonly cacheBudget: CacheBudget;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Receives every request, including those that the rate gate or `mayCall` prevented. Must not throw. */
  readonly onCall?: (call: CallRecord) => void;
  /** Receives the platform's clock from each answer that has it. */
  readonly onServerDate: (date: Date) => void;
}

const DEFAULT_TURN: Turn = { priority: "high", lane: "" };

/** Returns a caller whose reads are shared among all its users. */
export function createCaller(options: CallerOptions): Caller {
  const { target, deadlines, transport, clock, random } = options;
  const { turn = () => DEFAULT_TURN, mayCall = () => true } = options;
  const cache = createReadCache(clock, options.cacheBudget);
  const retry = createRetry(clock, random);

  const report = (
    { prepared: { operation, request }, ids, attempt }: Attempt,
    sentAt: number | undefined,
    end: Pick<CallRecord, "status" | "failure" | "requestId">,
  ) => {
    const durationMs = sentAt === undefined ? 0 : clock.monotonic() - sentAt;
    const sent = sentAt !== undefined;
    options.onCall?.({ operation, method: request.method, ids, attempt, ...end, sent, durationMs });
  };

  /** Sends one request that the gate has admitted. */
  const send = async <T>(attempt: Attempt, deadlineMs: number, decode: Decode<T>): Promise<Loaded<T>> => {
    const { prepared, gate } = attempt;
    const sentAt = clock.monotonic();
    try {
      const answer = await transport.exchange({ ...prepared.request, deadlineMs, maxBytes: decode.maxBytes });
      if (answer.status !== 429)
        gate.recordEnd({ sentAt, isAnswered: true, quota: quotaOf(answer.header, clock.now()) });
      const serverDate = parseDate(answer.header("date"));
      if (serverDate !== undefined) options.onServerDate(serverDate);
      if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, prepared, clock.now());
      const value = valueOf(answer, prepared, decode, serverDate);
      report(attempt, sentAt, { status: answer.status, failure: undefined, requestId: requestIdOf(value) });
      return { value, size: answer.text.length };
    } catch (error) {
      const failed = failureOf(error, prepared);
      if (failed.failure.is === "RateLimited") {
        gate.recordEnd({ sentAt, isAnswered: true, pauseMs: failed.failure.retryAfterMs });
      } else if (failed.status === 0) gate.recordEnd({ sentAt, isAnswered: false });
      report(attempt, sentAt, { status: failed.status, failure: failed.failure.is, requestId: undefined });
      throw failed;
    }
  };

  /** Throws unless the gate admits the request. @param waitMs what the gate returned */
  const throwUnlessAdmitted = (attempt: Attempt, waitMs: number): void => {
    const { operation } = attempt.prepared;
    if (waitMs === 0 && mayCall(effectOf(operation))) return;
    const error = waitMs === 0 ? notLeader(operation) : notAdmitted(operation, waitMs, attempt.gate.budget());
    report(attempt, undefined, { status: 0, failure: error.failure.is, requestId: undefined });
    throw error;
  };

  const fetch = async <T>(name: OperationName, ids: Ids, call: Call<T>): Promise<Loaded<T>> => {
    const prepared = prepareRequest(target, name, ids, call);
    const admitted = async (made: number): Promise<Attempt> => {
      const attempt = { prepared, ids, attempt: made, gate: options.gate() };
      throwUnlessAdmitted(attempt, await attempt.gate.admit(turn()));
      return attempt;
    };
    // The first attempt's wait for the gate is not part of the deadline.
    const first = await admitted(1);
    if (prepared.request.method !== "GET") return await send(first, deadlines.readMs, call.answer);
    const once = async (remainingMs: () => number, made: number): Promise<Loaded<T>> => {
      const attempt = made === 1 ? first : await admitted(made);
      return await send(attempt, Math.max(1, Math.ceil(remainingMs())), call.answer);
    };
    return await retry(once, deadlines.readMs);
  };

  return {
    fetch: async (name, ids, call) => (await fetch(name, idsByName(name, ids), call)).value,
    read: async (name, pathIds, call) => {
      const ids = idsByName(name, pathIds);
      const { priority, lane } = turn();
      const key = { operation: name, ids, query: queryOf(name, call), lane: `${priority} ${lane}` };
      return cache.get(key, call.maxAgeMs ?? 0, () => fetch(name, ids, call));
    },
    refresh: cache.clear,
    write: async (name, pathIds, call) => {
      const ids = idsByName(name, pathIds);
      const gate = options.gate();
      const attempt = { prepared: prepareRequest(target, name, ids, call), ids, attempt: 1, gate };
      throwUnlessAdmitted(attempt, await (isOnce(name) ? gate.admitReserved(turn()) : gate.admit(turn())));
      cache.invalidate(name, ids);
      try {
        return (await send(attempt, deadlines.writeMs, call.answer)).value;
      } finally {
        cache.invalidate(name, ids);
      }
    },
    reserve: async () => {
      const gate = options.gate();
      const waitMs = await gate.reserve(turn());
      if (waitMs > 0) throw notAdmitted("reserve", waitMs, gate.budget());
    },
  };
}

/** Returns the error of a process that no longer leads: nothing was sent, and the platform is not the cause. */
function notLeader(name: string): ApiError {
  const failure = { is: "OverBudget", retryAfterMs: 1_000 } as const;
  return new ApiError(name, failure, 0, "another process of the operator leads");
}

type Ids = Readonly<Record<string, string>>;

/** One attempt of a call. */
interface Attempt {
  readonly prepared: Prepared;
  readonly ids: Ids;
  /** Counted from 1. */
  readonly attempt: number;
  readonly gate: RateGate;
}

/** Returns the request id of an answer to a deploy, or of the status of a service or a deployment. */
function requestIdOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("deploymentRequestId" in value)) return undefined;
  const { deploymentRequestId: id } = value;
  return typeof id === "string" ? id : undefined;
}

/**
 * Returns the error of a request that the gate did not admit: "RateLimited" during a pause, else "OverBudget".
 * @param waitMs what the gate returned
 */
function notAdmitted(name: string, waitMs: number, { pausedMs }: Budget): ApiError {
  const failure = { is: pausedMs > 0 ? "RateLimited" : "OverBudget", retryAfterMs: waitMs } as const;
  const message = pausedMs > 0 ? "the platform asked to slow down" : "the rate limit leaves no room for it now";
  return new ApiError(name, failure, 0, message);
}

/** Reads a success: any 2xx. @throws ApiError */
function valueOf<T>(
  answer: HttpAnswer,
  { operation, secrets }: Prepared,
  decode: Decode<T>,
  serverDate: Date | undefined,
): T {
  const { text, header } = answer;
  const received: Received = { text, header, ...(serverDate !== undefined && { serverDate }) };
  try {
    return decode.read(received);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    const failure = failureOfShape(effectOf(operation));
    const cut = failure.is === "BadResponse" && isCut(text) ? { ...failure, isCut: true as const } : failure;
    throw new ApiError(operation, cut, answer.status, cleaned(error.message, secrets));
  }
}

/**
 * Converts a TransportError to an ApiError, and returns an ApiError unchanged.
 * @throws any other error, which is a defect of the operator
 */
function failureOf(error: unknown, { operation }: Prepared): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof TransportError)) throw error;
  return new ApiError(operation, failureOfTransport(error.failure, effectOf(operation)), 0, error.message);
}

function refusalOf(answer: HttpAnswer, { operation, secrets }: Prepared, now: Date): ApiError {
  const { status, text } = answer;
  const isOfPlatform = isJson(text);
  const refusal = { status, isJson: isOfPlatform, retryAfterMs: pauseMs(answer.header, now) };
  const failure = failureOfStatus(refusal, effectOf(operation));
  return new ApiError(operation, failure, status, errorText(text, secrets), !isOfPlatform);
}

function effectOf(operation: OperationName): Effect {
  return isRead(operation) ? "read" : "write";
}
