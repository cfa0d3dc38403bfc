/** One call of one operation: path, gate, exchange, failure, decoding. The areas say what; this file does it. */
import type { Clock } from "./clock.ts";
import type { Decode, Received } from "./decode.ts";
import { ShapeError } from "./decode.ts";
import { ApiError } from "./errors.ts";
import { failureOfShape, failureOfStatus, failureOfTransport } from "./failures.ts";
import type { Effect } from "./failures.ts";
import type { Gate, Priority } from "./gate.ts";
import { stringifyJson } from "./json.ts";
import { isRead, operation } from "./operations.ts";
import type { OperationName, PathIds } from "./operations.ts";
import { buildPath } from "./paths.ts";
import { parseDate, pauseMs } from "./rate-headers.ts";
import { createSharedReads } from "./reads.ts";
import { withRetries } from "./retry.ts";
import { cleaned, errorText } from "./text.ts";
import type { HttpAnswer, HttpRequest, Transport } from "./transport.ts";
import { TransportError } from "./transport.ts";

export interface ReadOptions {
  /** An answer from memory will do if it is at most so old; default 0. */
  readonly maxAgeMs?: number;
  /** Default "follow". */
  readonly priority?: Priority;
}

/** One request, or one that was not sent because the gate was closed; for metrics and logs. Holds no bodies. */
export interface CallRecord {
  readonly operation: OperationName;
  readonly method: string;
  /** HTTP status, 0 when there was no answer. */
  readonly status: number;
  /** False when the gate held it back. */
  readonly sent: boolean;
  readonly failure: ApiError["failure"]["is"] | undefined;
  readonly durationMs: number;
}

export interface Query {
  readonly [name: string]: string | number | boolean | undefined;
}

interface Call<T> {
  readonly answer: Decode<T>;
  readonly query?: Query;
  readonly body?: object;
}

/** What the areas are written on. */
export interface Caller {
  readonly organizationId: string;
  readonly scheme: "Token" | "Bearer";
  /** A read that others may share. @throws ApiError */
  read<Name extends OperationName, T>(name: Name, ids: PathIds<Name>, call: Call<T> & ReadOptions): Promise<T>;
  /** A read whose answer is never remembered, e.g. because it is a credential. @throws ApiError */
  fetch<Name extends OperationName, T>(name: Name, ids: PathIds<Name>, call: Call<T>): Promise<T>;
  /** A write: sent once, never repeated. @throws ApiError */
  write<Name extends OperationName, T>(name: Name, ids: PathIds<Name>, call: Call<T>): Promise<T>;
}

export interface CallerOptions {
  readonly base: string;
  readonly organizationId: string;
  readonly scheme: "Token" | "Bearer";
  readonly token: () => string;
  readonly userAgent: string;
  readonly readDeadlineMs: number;
  readonly writeDeadlineMs: number;
  readonly gate: Gate;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onCall: (call: CallRecord) => void;
  /** The platform's clock, from each answer that tells it. */
  readonly onServerDate: (date: Date) => void;
}

const TOKEN = /^[\x21-\x7e]+$/;

/** @returns a caller whose reads are shared among all who use it. */
export function createCaller(options: CallerOptions): Caller {
  const { gate, transport, clock, random } = options;
  const shared = createSharedReads(clock);

  /** Builds the request; everything that is refused is refused here, before the gate. */
  const prepare = (name: OperationName, ids: Readonly<Record<string, string>>, call: Call<unknown>) => {
    const query = encodeQuery(call.query);
    const path = buildPath(name, { ...ids, organizationId: options.organizationId });
    const token = options.token().replace(/\r?\n$/, "");
    if (!TOKEN.test(token)) {
      throw new ApiError(name, { is: "Refused" }, 0, "the token is empty or holds characters that no header can carry");
    }
    const body = call.body === undefined ? {} : { body: stringifyJson(call.body) };
    const headers = {
      accept: "application/json",
      authorization: `${options.scheme} ${token}`,
      "user-agent": options.userAgent,
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    };
    return {
      token,
      query,
      request: { method: operation(name).method, url: `${options.base}${path}${query}`, headers, ...body },
    };
  };

  /** Sends one request that the gate has let through, and tells `onCall` how it ended. */
  const send = async <T>(name: OperationName, request: HttpRequest, token: string, answer: Decode<T>): Promise<T> => {
    const startedAt = clock.monotonic();
    const tell = (status: number, failure: ApiError["failure"]["is"] | undefined) =>
      options.onCall({
        operation: name,
        method: request.method,
        status,
        sent: true,
        failure,
        durationMs: clock.monotonic() - startedAt,
      });
    try {
      const received = await transport.exchange(request);
      const value = settle(name, received, token, answer);
      tell(received.status, undefined);
      return value;
    } catch (error) {
      const failed = asApiError(name, error);
      tell(failed.status, failed.failure.is);
      throw failed;
    }
  };

  /** Turns an answer into a value. @throws ApiError */
  const settle = <T>(name: OperationName, received: HttpAnswer, token: string, answer: Decode<T>): T => {
    const serverDate = parseDate(received.header("date"));
    if (serverDate !== undefined) options.onServerDate(serverDate);
    const { status, text } = received;
    if (status >= 200 && status < 300) {
      return decode(name, status, answer, { text, ...(serverDate === undefined ? {} : { serverDate }) }, token);
    }
    const retryAfterMs = pauseMs(
      {
        reset: received.header("x-ratelimit-reset"),
        retryAfter: received.header("retry-after"),
        date: received.header("date"),
      },
      clock.now(),
    );
    if (status === 429) gate.pause(retryAfterMs);
    throw new ApiError(
      name,
      failureOfStatus(status, effectOf(name), retryAfterMs),
      status,
      errorText(status, text, token),
    );
  };

  const pass = (name: OperationName, retryAfterMs: number): void => {
    if (retryAfterMs === 0) return;
    options.onCall({
      operation: name,
      method: operation(name).method,
      status: 0,
      sent: false,
      failure: "RateLimited",
      durationMs: 0,
    });
    throw rateLimited(name, retryAfterMs);
  };

  const fetch = <T>(
    name: OperationName,
    ids: Readonly<Record<string, string>>,
    call: Call<T> & ReadOptions,
  ): Promise<T> => {
    const { request, token } = prepare(name, ids, call);
    const once = async (remainingMs: number) => {
      pass(name, await gate.admit(call.priority ?? "follow"));
      return send(name, { ...request, deadlineMs: Math.max(1, Math.ceil(remainingMs)) }, token, call.answer);
    };
    return request.method === "GET"
      ? withRetries(once, options.readDeadlineMs, clock, random)
      : once(options.readDeadlineMs);
  };

  return {
    organizationId: options.organizationId,
    scheme: options.scheme,
    fetch: async (name, ids, call) => fetch(name, ids, call),
    read: async (name, ids, call) =>
      shared.get({ operation: name, ids, query: encodeQuery(call.query) }, call.maxAgeMs ?? 0, () =>
        fetch(name, ids, call),
      ),
    write: async (name, ids, call) => {
      const { request, token } = prepare(name, ids, call);
      pass(name, await gate.admitWrite());
      shared.forget(name, ids);
      try {
        return await send(name, { ...request, deadlineMs: options.writeDeadlineMs }, token, call.answer);
      } finally {
        shared.forget(name, ids);
      }
    },
  };
}

/** What a caller gets while the gate is closed to it. */
export function rateLimited(name: string, retryAfterMs: number): ApiError {
  return new ApiError(name, { is: "RateLimited", retryAfterMs }, 0, "the connection's rate budget is used up");
}

function effectOf(name: OperationName): Effect {
  return isRead(name) ? "read" : "write";
}

function decode<T>(name: OperationName, status: number, answer: Decode<T>, received: Received, token: string): T {
  try {
    return answer(received);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ApiError(name, failureOfShape(effectOf(name)), status, cleaned(error.message, token));
  }
}

function asApiError(name: OperationName, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TransportError) {
    return new ApiError(name, failureOfTransport(error.failure, effectOf(name)), 0, error.message);
  }
  throw error;
}

function encodeQuery(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return search.size === 0 ? "" : `?${search.toString()}`;
}
