/**
 * The HTTP servers of the process. Anyone in the network may reach their ports, so connections, headers and time are
 * limited on each. The servers of /metrics and of the probes answer GET for a fixed set of paths.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The address of a server; without a host it listens on all addresses. Port 0 takes a free port, which is logged. */
export interface BindAddress {
  readonly host: string | undefined;
  readonly port: number;
}

export interface Answer {
  readonly status: number;
  /** Plain text if absent. */
  readonly type?: string;
  readonly body: string;
}

/** Path → answer, e.g. "/healthz". */
export type Routes = Readonly<Record<string, (request: IncomingMessage) => Answer | Promise<Answer>>>;

export type HttpServer = Awaited<ReturnType<typeof listen>>;

export interface Limits {
  /** The number of open connections. */
  readonly connections: number;
  /** How long a request may take from its first byte to its last, in milliseconds; 5 s by default. */
  readonly requestMs?: number;
  /** How long a client may take to receive an answer, in milliseconds; unlimited by default. */
  readonly answerMs?: number;
}

const REQUEST_MS = 5_000;
const ANSWER_MS = 10_000;
/** How often Node looks for requests that take too long, in milliseconds. */
const CHECK_MS = 1_000;
const MAX_HEADER_BYTES = 8 * 1024;

/** Creates a server, which does not listen yet. */
export function limitedServer(limits: Limits, answer: RequestListener): Server {
  const { connections, requestMs = REQUEST_MS, answerMs } = limits;
  const server = createServer(
    {
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      keepAliveTimeout: requestMs,
      connectionsCheckingInterval: Math.min(CHECK_MS, requestMs),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    answer,
  );
  server.maxRequestsPerSocket = 1_000;
  limitConnections(server, connections);
  if (answerMs !== undefined) limitAnswers(server, answerMs);
  return server;
}

/**
 * Ends the connection that has waited longest for its request when there is one too many. Node itself would end the new
 * connection: whoever opens connections without a request would keep the probe out.
 */
function limitConnections(server: Server, max: number): void {
  /** The connections without a request that is being answered, in the order in which they began to wait. */
  const waiting = new Set<Socket>();
  let open = 0;
  const end = (socket: Socket): void => {
    waiting.delete(socket);
    socket.destroy();
  };
  server.on("connection", (socket) => {
    open += 1;
    socket.once("close", () => {
      open -= 1;
      waiting.delete(socket);
    });
    const [oldest = socket] = waiting;
    waiting.add(socket);
    if (open > max) end(oldest);
  });
  server.on("request", ({ socket }, response) => {
    waiting.delete(socket);
    response.once("close", () => {
      if (!socket.destroyed) waiting.add(socket);
    });
  });
}

/** Ends the connection of a client that does not receive an answer in time. */
function limitAnswers(server: Server, ms: number): void {
  server.on("request", ({ socket }, response) => {
    const timer = setTimeout(() => socket.destroy(), ms).unref();
    response.once("close", () => {
      clearTimeout(timer);
    });
  });
}

/** Starts a server of these paths. @throws Error with what to do when the address cannot be used */
export async function serve(address: BindAddress, connections: number, routes: Routes): Promise<HttpServer> {
  const server = limitedServer({ connections, answerMs: ANSWER_MS }, (request, response) => {
    void respond(routes, request, response);
  });
  return await listen(server, address);
}

/** Makes a server listen. @throws Error with what to do when the address cannot be used */
export async function listen(server: Server, address: BindAddress) {
  server.listen(address.port, address.host);
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    const shown = `${address.host ?? ""}:${String(address.port)}`;
    throw new Error(`cannot listen on ${shown} (${code}): choose another address, or 0 for no server`, {
      cause: error,
    });
  }
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
  return {
    /** The address, e.g. "http://127.0.0.1:8080". */
    url: `http://${hostOf(address)}:${String(port)}`,
    /** Ends all connections. */
    stop: async (): Promise<void> => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function hostOf({ host }: BindAddress): string {
  if (host === undefined) return "0.0.0.0";
  return host.includes(":") ? `[${host}]` : host;
}

async function respond(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, type = "text/plain; charset=utf-8", body } = await answer(routes, request);
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    ...(status === 405 ? { allow: "GET" } : {}),
  });
  response.end(body);
}

async function answer(routes: Routes, request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return { status: 404, body: "not found\n" };
  if (request.method !== "GET") return { status: 405, body: "only GET\n" };
  try {
    return await route(request);
  } catch {
    return { status: 500, body: "failed\n" };
  }
}
