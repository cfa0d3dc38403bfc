/**
 * A reverse proxy between the operator and one of its servers: it numbers each call, asks the director what becomes of
 * it, and can kill the operator at exactly that point.
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";

import { certificate, privateKey } from "../../support/kube/tls.ts";
import type { Call, Director, Fate, Sequence, Side } from "./call.ts";
import { ownerOf } from "./owner.ts";
import { cut, openWatch } from "./watch.ts";

export interface TapOptions {
  readonly side: Side;
  /** Where calls go: https with the certificate of its authority, or http. */
  readonly target: { readonly url: string; readonly ca?: string };
  readonly sequence: Sequence;
  /** Names a call the same way in every run. */
  readonly name: (method: string, url: string, body: Buffer) => string;
  /** Asked anew for each call. */
  readonly director: () => Director;
  /** The processes whose calls these are. */
  readonly pids: () => readonly number[];
  /** Kills the operator, before it returns. */
  readonly crash: () => void;
}

export interface Tap {
  /** Of the tap itself, without a path; https with the certificate of test/support/kube/tls.ts where the target is. */
  readonly url: string;
  close(): Promise<void>;
}

interface Exchange {
  readonly call: Call;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** @returns a tap that listens on loopback. */
export async function openTap(options: TapOptions): Promise<Tap> {
  const secure = options.target.url.startsWith("https:");
  const agent = secure
    ? new https.Agent({ keepAlive: true, ca: options.target.ca })
    : new http.Agent({ keepAlive: true });
  const forward = forwarder(options.target.url, agent);
  const owners = new WeakMap<Socket, number>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // The operator may be dead by now, and its sockets with it.
    response.on("error", () => {});
    take(options, { forward, owners }, request, response).catch(() => response.destroy());
  };
  const server = secure
    ? https.createServer({ cert: certificate, key: privateKey }, handle)
    : http.createServer(handle);
  // Idle connections stay: the operator's own pool decides.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${secure ? "https" : "http"}://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, "close");
    },
  };
}

type Forward = (exchange: Omit<Exchange, "response">) => Promise<IncomingMessage>;

function forwarder(target: string, agent: http.Agent | https.Agent): Forward {
  const { hostname, port, protocol } = new URL(target);
  const send = protocol === "https:" ? https.request : http.request;
  return async ({ call, request }) => {
    const headers = { ...request.headers, host: `${hostname}:${port}` };
    const outgoing = send({ hostname, port, agent, method: call.method, path: call.url, headers });
    outgoing.end(call.body);
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return answer;
  };
}

interface Wires {
  readonly forward: Forward;
  /** Looked up once per connection. */
  readonly owners: WeakMap<Socket, number>;
}

function ownerOfCall({ pids }: TapOptions, { owners }: Wires, { socket }: IncomingMessage): number | undefined {
  const known = owners.get(socket) ?? ownerOf(socket, pids());
  if (known !== undefined) owners.set(socket, known);
  return known;
}

async function take(
  options: TapOptions,
  wires: Wires,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url = "/" } = request;
  const body = await bytesOf(request);
  const call = options.sequence.next({
    side: options.side,
    method,
    url,
    what: `${options.side} ${options.name(method, url, body)}`,
    body,
    pid: ownerOfCall(options, wires, request),
  });
  const fate = options.director().decide?.(call) ?? { do: "pass" };
  await meet(fate, { call, request, response }, options, wires.forward);
}

async function meet(fate: Fate, exchange: Exchange, options: TapOptions, forward: Forward): Promise<void> {
  const { response } = exchange;
  switch (fate.do) {
    case "pass":
      return pass(exchange, options, forward);
    case "slow":
      await lapse(fate.ms);
      return pass(exchange, options, forward);
    case "hang":
      return;
    case "answer":
      response.writeHead(fate.status, { "content-type": "application/json", ...fate.headers });
      response.end(fate.body ?? "{}");
      return;
    case "reset":
      if (fate.effect) await answerOf(exchange, options, forward);
      cut(response);
      return;
    case "crash":
      return crash(fate, exchange, options, forward);
    default:
      fate satisfies never;
  }
}

async function crash(
  { phase, lateMs = 0 }: Extract<Fate, { do: "crash" }>,
  exchange: Exchange,
  options: TapOptions,
  forward: Forward,
): Promise<void> {
  switch (phase) {
    case "before":
      options.crash();
      return;
    case "late":
      options.crash();
      await lapse(lateMs);
      return answerOf(exchange, options, forward);
    case "after":
      await answerOf(exchange, options, forward);
      options.crash();
      return;
    case "replied": {
      const { response } = exchange;
      const flushed = isWatch(exchange.call) ? once(exchange.request, "tapped") : once(response, "finish");
      void flushed.then(() => {
        options.crash();
      });
      return pass(exchange, options, forward);
    }
    default:
      phase satisfies never;
  }
}

/** Has a call take effect; what is answered goes no further. */
async function answerOf(exchange: Exchange, options: TapOptions, forward: Forward): Promise<void> {
  const { call } = exchange;
  const answer = await forward(exchange);
  if (isWatch(call)) {
    answer.destroy();
    return;
  }
  options.director().answered?.(call, { status: answer.statusCode ?? 502, body: await bytesOf(answer) });
}

async function pass(exchange: Exchange, options: TapOptions, forward: Forward): Promise<void> {
  const { call, request, response } = exchange;
  const answer = await forward(exchange);
  const { statusCode = 502, headers } = answer;
  if (isWatch(call) && statusCode === 200) {
    response.writeHead(statusCode, headersOf(headers));
    response.flushHeaders();
    request.emit("tapped");
    openWatch(call, answer, response, options.director());
    return;
  }
  const body = await bytesOf(answer);
  options.director().answered?.(call, { status: statusCode, body });
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

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function lapse(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
