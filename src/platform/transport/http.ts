/** HTTP over undici: one pool of connections to one platform. */
import type { Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";

import { Agent, type buildConnector, type Dispatcher } from "undici";

import {
  type Connector,
  type ConnectOptions,
  createConnector,
  failedToConnect,
  type Network,
  TOO_LATE,
  codesOf,
} from "./connect.ts";
import { TransportError } from "./errors.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for operations without a body: then no content type is sent either. */
  readonly body?: string;
  /** Milliseconds for the whole exchange, from connecting to the last byte. */
  readonly deadlineMs: number;
  /** The size of the largest body of a success, in bytes. */
  readonly maxBytes: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** The body; that of a failure is cut after 64 KiB. */
  readonly text: string;
  /** Returns a header by its lower-case name; the first one if it came twice. */
  readonly header: (name: string) => string | undefined;
}

export interface Transport {
  /** @throws TransportError for everything but an answer */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
  /** Ends all connections at once. Later exchanges fail with "connect". */
  close(): Promise<void>;
}

export interface HttpOptions extends ConnectOptions {
  /** Concurrent connections; further requests wait within their deadline. */
  readonly connections: number;
  /** Called at each request: when the result differs from the last one, new connections are opened. */
  readonly network: () => Network;
  /**
   * Reports whether a request may still be sent. It is called right before each write to the socket, because a request
   * that waited for a connection, or whose process was suspended, may be too late.
   */
  readonly mayCall: () => boolean;
}

/** Of the body of a failure only the beginning is read. */
const FAILURE_BYTES = 64 * 1024;
/** A server may send each byte in a packet of its own, and a packet takes more memory than a byte. */
const MAX_PACKETS = 10_000;

/**
 * Creates one pool of HTTP/1.1 connections to one platform. It does not follow redirects. When certificates or
 * credentials change, requests in flight finish on the old pool, which is then closed.
 */
export function createTransport(options: HttpOptions): Transport {
  let current: Pooled | undefined;
  let isClosed = false;
  const pool = (): Pooled => {
    if (isClosed) throw new TransportError("connect", "the client was closed before the request was sent");
    const network = options.network();
    if (current !== undefined && isDeepStrictEqual(current.network, network)) return current;
    void current?.agent.close().then(current.connector.close);
    const connector = createConnector(options, network);
    const agent = new Agent({
      allowH2: false,
      connections: options.connections,
      connect: guardedConnect(connector, options.mayCall),
    });
    current = { network, connector, agent };
    return current;
  };
  return {
    exchange: async (call) => await exchange(pool().agent, call),
    close: async () => {
      isClosed = true;
      await current?.agent.destroy();
      await current?.connector.close();
    },
  };
}

interface Pooled {
  readonly network: Network;
  readonly connector: Connector;
  readonly agent: Agent;
}

function guardedConnect({ connect }: Connector, mayCall: () => boolean): buildConnector.connector {
  return (target, done) => {
    connect(target, (error, socket) => {
      if (error !== null) return done(error, null);
      return done(null, guarded(socket, mayCall));
    });
  };
}

/**
 * @returns the socket, which refuses to send once `mayCall` returns false. The check is as near to the system call as
 * JavaScript allows.
 */
function guarded<S extends Socket>(socket: S, mayCall: () => boolean): S {
  socket.write = new Proxy(socket.write.bind(socket), {
    apply: (write, self, parts): unknown => {
      if (!mayCall()) throw Object.assign(new Error("too late"), { code: TOO_LATE });
      return Reflect.apply(write, self, parts);
    },
  });
  return socket;
}

async function exchange(
  agent: Dispatcher,
  { method, url, headers, body, deadlineMs, maxBytes }: HttpRequest,
): Promise<HttpAnswer> {
  try {
    // undici's own timers are coarse, and none of them ends a body that arrives byte by byte.
    const signal = AbortSignal.timeout(deadlineMs);
    const { origin, pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    const answer = await agent.request({ origin, path, method, headers, body: body ?? null, signal });
    const { statusCode: status } = answer;
    const isSuccess = status >= 200 && status <= 299;
    const { bytes, excess } = await readBody(answer.body, isSuccess ? maxBytes : FAILURE_BYTES);
    if (isSuccess && excess !== undefined) throw new TransportError("tooLarge", `the answer ${excess}`);
    const header = (name: string) => [answer.headers[name]].flat()[0];
    return { status, text: new TextDecoder().decode(bytes), header };
  } catch (error) {
    throw transportError(error, deadlineMs);
  }
}

/** Reads a body up to a limit. What exceeds it is not received: the connection is closed. */
async function readBody(body: AsyncIterable<Buffer>, maxBytes: number) {
  const packets: Buffer[] = [];
  let size = 0;
  let excess: string | undefined;
  for await (const packet of body) {
    packets.push(packet);
    size += packet.length;
    if (size > maxBytes) excess = `is larger than ${String(maxBytes)} bytes`;
    else if (packets.length > MAX_PACKETS) excess = `comes in more than ${String(MAX_PACKETS)} packets`;
    // This destroys the body, and with it the connection.
    if (excess !== undefined) break;
  }
  return { bytes: Buffer.concat(packets, Math.min(size, maxBytes)), excess };
}

function transportError(error: unknown, deadlineMs: number): TransportError {
  const early = failedToConnect(error);
  if (early !== undefined) return early;
  const { name, code } = codesOf(error);
  if (name === "TimeoutError") return new TransportError("deadline", `no answer within ${deadlineMs} ms`);
  return new TransportError("interrupted", `the exchange with the platform broke off (${code === "" ? name : code})`);
}
