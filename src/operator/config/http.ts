/**
 * Starts and stops HTTP servers; those of /metrics and of the probes answer GET for a fixed set of paths.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import type { BindAddress } from "./flags.ts";

export interface Answer {
  readonly status: number;
  /** Plain text if absent. */
  readonly type?: string;
  readonly body: string;
}

/** Path → answer, e.g. "/healthz". */
export type Routes = Readonly<Record<string, (request: IncomingMessage) => Answer | Promise<Answer>>>;

export type HttpServer = Awaited<ReturnType<typeof listen>>;

/** The time limit of a request to one of these paths. */
const REQUEST_MS = 5_000;

/** Starts a server. @throws Error with what to do when the address cannot be used */
export async function serve(address: BindAddress, routes: Routes): Promise<HttpServer> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    void respond(routes, request, response);
  });
  server.maxRequestsPerSocket = 1_000;
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
