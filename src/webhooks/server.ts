/**
 * The receiver of the platform's deliveries. It trusts no sender: it checks path and headers
 * before it reads the body, limits the body's size and time, and can only queue resources of the sender's connection,
 * at a limited rate. Without deliveries the operator detects the same changes later, at its routine checks.
 * A replica that does not lead answers 503, so that a sender that retries reaches the leader; the leader's routine
 * checks find every other change.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

import { LRUCache } from "lru-cache";

import { type BindAddress, type HttpServer, limitedServer, listen } from "../http/server.ts";
import { createTokenBucket, type TokenBucket, type TokenBucketOptions } from "../kube/api/token-bucket.ts";
import type { Clock, ObjectKey } from "../kube/api/types.ts";
import { type EventLabel, readDelivery, type Expected, senderOf } from "./delivery.ts";

/** How a request ended: a label with a bounded number of values. */
export type DeliveryResult =
  /** Resources were queued. */
  | "queued"
  /** Genuine, but about no resource of this operator. */
  | "ignored"
  /** Not proven to come from the platform, or not a POST. */
  | "rejected"
  /** Over the rate limit: its body was not read. */
  | "limited"
  | "too-large"
  /** This process does not lead. */
  | "standby";

/** The work of a process that leads. */
export interface Deliveries {
  readonly expected: Expected;
  /** Queues the resources of these ids. @returns their number */
  enqueueDelivered(connection: ObjectKey, ids: readonly string[]): number;
}

export interface ReceiverOptions {
  readonly clock: Clock;
  /** undefined while this process does not lead. */
  readonly deliveries: () => Deliveries | undefined;
  readonly ended: (event: EventLabel | "none", result: DeliveryResult) => void;
  /** How long a request may take from its first byte to its last, in milliseconds; 5 s by default. */
  readonly requestMs?: number;
}

/** Bytes; a delivery is a few thousand. */
const MAX_BYTES = 64 * 1024;
const MAX_CONNECTIONS = 128;
const REQUEST_MS = 5_000;
/** The rate of genuine requests of one connection. */
const GENUINE = { refillMs: 50, burst: 100 };
/** The rate of unproven requests of one address: enough for a misconfiguration, too low for guessing. */
const UNPROVEN = { refillMs: 1_000, burst: 20 };

interface Verdict {
  readonly status: number;
  readonly event: EventLabel | "none";
  readonly result: DeliveryResult;
}

/** Starts the receiver. @throws Error with what to do when the address cannot be used */
export async function startReceiver(address: BindAddress, options: ReceiverOptions): Promise<HttpServer> {
  const genuine = createRateLimiter(options.clock, GENUINE);
  const unproven = createRateLimiter(options.clock, UNPROVEN);

  const receive = async (request: IncomingMessage): Promise<Verdict> => {
    const deliveries = options.deliveries();
    if (deliveries === undefined) return { status: 503, event: "none", result: "standby" };
    const connection = senderOf(deliveries.expected, request.url ?? "", request.headers);
    if (connection === undefined) {
      if (!unproven(request.socket.remoteAddress ?? "")) return { status: 429, event: "none", result: "limited" };
      return { status: 401, event: "none", result: "rejected" };
    }
    if (request.method !== "POST") return { status: 405, event: "none", result: "rejected" };
    // Accepted but not read: the sender did nothing wrong, and the next routine check finds the change.
    if (!genuine(`${connection.kind}/${connection.namespace}/${connection.name}`)) {
      return { status: 200, event: "none", result: "limited" };
    }
    const text = await readText(request);
    if (text === undefined) return { status: 413, event: "none", result: "too-large" };
    const { event, ids } = readDelivery(text);
    const found = ids.length > 0 ? deliveries.enqueueDelivered(connection, ids) : 0;
    return { status: 200, event, result: found > 0 ? "queued" : "ignored" };
  };

  const { requestMs = REQUEST_MS } = options;
  const server = limitedServer(
    { connections: MAX_CONNECTIONS, requestMs, answerMs: requestMs },
    (request, response) => {
      void receive(request).then(
        (verdict) => {
          options.ended(verdict.event, verdict.result);
          answer(response, verdict.status);
        },
        // The sender disconnected or took too long: no answer is possible.
        () => request.destroy(),
      );
    },
  );
  return await listen(server, address);
}

/** Answers with the status only. If the request was not read to its end, the connection is closed. */
function answer(response: ServerResponse, status: number): void {
  const closing = status === 200 && response.req.complete ? {} : { connection: "close" };
  const later = status === 503 || status === 429 ? { "retry-after": "5" } : {};
  response.writeHead(status, { "content-length": 0, ...closing, ...later });
  response.end();
}

/** @returns undefined for a body that is too large. @throws Error when the sender disconnects */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The number of names with a bucket; the bucket that was used longest ago is dropped. */
const MAX_BUCKETS = 1_000;

/** @returns a function that counts one request of `name`, and reports whether it is within the rate */
function createRateLimiter(clock: Clock, rate: TokenBucketOptions): (name: string) => boolean {
  const buckets = new LRUCache<string, TokenBucket>({
    max: MAX_BUCKETS,
    memoMethod: () => createTokenBucket(clock, rate),
  });
  return (name) => buckets.memo(name).allow();
}
