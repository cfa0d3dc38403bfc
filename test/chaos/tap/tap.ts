/**
 * A reverse proxy between the operator and one of its servers. It numbers each call and applies the interceptor's
 * decision, which can kill the operator at exactly one call.
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { certificate, privateKey } from "../../support/kube/tls.ts";
import type { Call, Interceptor, Decision, Sequence, Side } from "./call.ts";
import { ownerOf } from "./owner.ts";
import { openWatch, resetConnection, socketOf, type TappedRequest, type TappedResponse } from "./watch.ts";

export interface TapOptions {
  readonly side: Side;
  /** The server: http, or https with the certificate of its authority. */
  readonly target: { readonly url: string; readonly ca?: string };
  readonly sequence: Sequence;
  readonly name: (method: string, url: string, body: Buffer) => string;
  /** Returns the current interceptor; evaluated for each call. */
  readonly interceptor: () => Interceptor;
  /** Returns the operator's processes. */
  readonly pids: () => readonly number[];
  /** Kills the operator synchronously. */
  readonly crash: () => void;
  /** Offers no HTTP/2, as a proxy that speaks HTTP/1.1 alone. */
  readonly isHttp1?: boolean | undefined;
}

interface Tap extends TapOptions {
  readonly forward: (exchange: Omit<Exchange, "response">) => Promise<IncomingMessage>;
  /** The process of each connection. */
  readonly owners: WeakMap<Socket, number>;
  /** Aborts when the tap closes. */
  readonly closing: AbortSignal;
}

interface Exchange {
  readonly call: Call;
  readonly request: TappedRequest;
  readonly response: TappedResponse;
}

/** Opens a tap that listens on loopback. Like the API server, a secure one offers HTTP/2 and HTTP/1.1. */
export async function openTap(options: TapOptions) {
  const secure = options.target.url.startsWith("https:");
  const agent = secure
    ? new https.Agent({ keepAlive: true, ca: options.target.ca })
    : new http.Agent({ keepAlive: true });
  const end = new AbortController();
  const forward = forwarder(options.target.url, agent);
  const tap: Tap = { ...options, forward, owners: new WeakMap(), closing: end.signal };
  const handle = (request: TappedRequest, response: TappedResponse): void => {
    // Writing fails if the operator has been killed.
    response.on("error", () => {});
    handleCall(tap, request, response).catch(() => response.destroy());
  };
  const identity = { cert: certificate, key: privateKey };
  const server =
    secure && options.isHttp1 !== true
      ? http2.createSecureServer({ ...identity, allowHTTP1: true }, handle)
      : httpServer(secure ? https.createServer(identity, handle) : http.createServer(handle));
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // A session fails when the operator is killed.
  server.on("sessionError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    /** Https with the certificate of test/support/kube/tls.ts if the target is https. */
    url: `${secure ? "https" : "http"}://127.0.0.1:${port}`,
    /** Ends all connections. Calls that are delayed do not reach the server any more. */
    close: async (): Promise<void> => {
      end.abort();
      server.close();
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await once(server, "close");
    },
  };
}

/** Idle connections stay open, as the operator's pool closes them itself. */
function httpServer<Server extends http.Server>(server: Server): Server {
  server.keepAliveTimeout = 0;
  return server;
}

function forwarder(target: string, agent: http.Agent | https.Agent): Tap["forward"] {
  const { hostname, port, protocol } = new URL(target);
  const send = protocol === "https:" ? https.request : http.request;
  return async ({ call, request }) => {
    // HTTP/2 has the method, the path and the host as pseudo-headers.
    const given = Object.entries(request.headers).filter(([header]) => !header.startsWith(":"));
    const headers = { ...Object.fromEntries(given), host: `${hostname}:${port}` };
    const outgoing = send({ hostname, port, agent, method: call.method, path: call.url, headers });
    outgoing.end(call.body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  };
}

function ownerOfCall({ pids, owners }: Tap, request: TappedRequest): number | undefined {
  const socket = socketOf(request);
  if (socket === undefined) return undefined;
  const known = owners.get(socket) ?? ownerOf(socket, pids());
  if (known !== undefined) owners.set(socket, known);
  return known;
}

async function handleCall(tap: Tap, request: TappedRequest, response: TappedResponse): Promise<void> {
  const { method = "GET", url = "/", httpVersion } = request;
  const body = await bytesOf(request);
  const what = `${tap.side} ${tap.name(method, url, body)}`;
  const pid = ownerOfCall(tap, request);
  const call = tap.sequence.next({ side: tap.side, method, url, what, body, httpVersion, pid });
  const decision = tap.interceptor().decide?.(call) ?? { do: "forward" };
  await apply(decision, { call, request, response }, tap);
}

async function apply(decision: Decision, exchange: Exchange, tap: Tap): Promise<void> {
  const { response } = exchange;
  switch (decision.do) {
    case "forward":
      return forwardCall(exchange, tap);
    case "slow":
      await sleep(decision.ms, undefined, { signal: tap.closing });
      return forwardCall(exchange, tap);
    case "hang":
      return;
    case "answer":
      response.writeHead(decision.status, { "content-type": "application/json", ...decision.headers });
      response.end(decision.body ?? "{}");
      return;
    case "reset":
      if (decision.effect) await forwardUnanswered(exchange, tap);
      resetConnection(response);
      return;
    case "crash":
      return crash(decision, exchange, tap);
    default:
      decision satisfies never;
  }
}

type Crash = Extract<Decision, { do: "crash" }>;

async function crash({ phase, lateMs = 0 }: Crash, exchange: Exchange, tap: Tap): Promise<void> {
  switch (phase) {
    case "before":
      tap.crash();
      return;
    case "late":
      tap.crash();
      await sleep(lateMs);
      return forwardUnanswered(exchange, tap);
    case "after":
      await forwardUnanswered(exchange, tap);
      tap.crash();
      return;
    case "replied": {
      const { response } = exchange;
      const flushed = isWatch(exchange.call) ? once(exchange.request, "watch-opened") : once(response, "finish");
      void flushed.then(() => {
        tap.crash();
      });
      return forwardCall(exchange, tap);
    }
    default:
      phase satisfies never;
  }
}

/** Forwards a call and withholds the answer from the operator. */
async function forwardUnanswered(exchange: Exchange, tap: Tap): Promise<void> {
  const { call } = exchange;
  const answer = await tap.forward(exchange);
  if (isWatch(call)) {
    answer.destroy();
    return;
  }
  tap.interceptor().onAnswer?.(call, { status: answer.statusCode ?? 502, body: await bytesOf(answer) });
}

async function forwardCall(exchange: Exchange, tap: Tap): Promise<void> {
  const { call, request, response } = exchange;
  const answer = await tap.forward(exchange);
  const { statusCode = 502, headers } = answer;
  if (isWatch(call) && statusCode === 200) {
    response.writeHead(statusCode, headersOf(headers));
    // Over HTTP/2 writeHead sends them.
    if (response instanceof http.ServerResponse) response.flushHeaders();
    request.emit("watch-opened");
    openWatch(call, answer, response, tap.interceptor());
    return;
  }
  const body = await bytesOf(answer);
  tap.interceptor().onAnswer?.(call, { status: statusCode, body });
  response.writeHead(statusCode, headersOf(headers));
  response.end(body);
}

const HOP_BY_HOP: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding"]);

function headersOf(headers: IncomingMessage["headers"]): http.OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
}

function isWatch({ side, method, url }: Call): boolean {
  return side === "kube" && method === "GET" && /[?&]watch=(1|true)/.test(url);
}

async function bytesOf(stream: TappedRequest): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
