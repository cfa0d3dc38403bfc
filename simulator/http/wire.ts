import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import type { Clock } from "../base/clock.ts";
import { problemBody } from "../base/problems.ts";
import { advance } from "../lifecycle/transitions.ts";
import { effectOf, type Fault } from "../request/faults.ts";
import type { CallEntry } from "../request/journal.ts";
import { maskBody } from "../request/masks.ts";
import { barePath, matchOperation, type Match } from "../request/matching.ts";
import type { Simulation } from "../request/simulation.ts";
import { routes } from "../routes/index.ts";
import type { App, WireAnswer, WireRequest } from "./app.ts";
import { misbehave, sendAnswer } from "./misbehavior.ts";

/** The largest request body that is read. */
const bodyLimit = 16 * 1024 * 1024;

/** @returns a server that journals each call, applies the fault that matches it, if any, and passes it to the app */
export function createWire(sim: Simulation, app: App, clock: Clock): Server {
  return createServer((request, response) => {
    serve(sim, app, clock, request, response).catch(() => response.destroy());
  });
}

async function serve(
  sim: Simulation,
  app: App,
  clock: Clock,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const request: WireRequest = {
    method: incoming.method ?? "GET",
    url: incoming.url ?? "/",
    headers: incoming.headers,
    body: await readBody(incoming),
  };
  const { entry, fault, work } = accept(sim, app, request);
  if (fault === undefined) {
    sendAnswer(response, await work());
    return;
  }
  entry.fault = fault.name;
  await misbehave(fault, await effect(fault, clock, work), { response, clock, sim });
}

/** A call that the platform has received and not answered yet. */
interface Accepted {
  readonly entry: CallEntry;
  /** The fault that applies to the call. */
  readonly fault: Fault | undefined;
  /** Executes the call, and returns its answer. */
  readonly work: () => Promise<WireAnswer>;
}

/** Receives a call: advances the world to the current time, and journals the call. */
export function accept(sim: Simulation, app: App, request: WireRequest): Accepted {
  advance(sim);
  const path = barePath(request.url);
  const match = matchOperation(request.method, path, sim.settings.surface);
  const operation = match.is === "operation" ? match.id : undefined;
  const keeps = routes.find((route) => route.operation === operation)?.keeps;
  const entry = sim.journal.call({
    method: request.method,
    path: request.url,
    operation: operation ?? null,
    body: maskBody(request.body, keeps, sim.world),
  });
  const fault = sim.faults.take({ method: request.method, path, operation });
  return { entry, fault, work: () => perform(sim, app, request, entry, match, path) };
}

/** @returns the real answer, if the fault lets the platform execute the call now */
async function effect(fault: Fault, clock: Clock, work: () => Promise<WireAnswer>): Promise<WireAnswer | undefined> {
  switch (effectOf(fault)) {
    case "none":
      return undefined;
    case "applied":
      return work();
    case "late":
      clock.after(fault.lateSeconds * 1000, () => {
        // The platform may have been closed meanwhile.
        work().catch(() => undefined);
      });
      return undefined;
    default:
      throw new Error("no such effect");
  }
}

async function perform(
  sim: Simulation,
  app: App,
  request: WireRequest,
  entry: CallEntry,
  match: Match,
  path: string,
): Promise<WireAnswer> {
  advance(sim);
  const published = request.method === "GET" && path === "/openapi.json";
  const off = match.is === "operation" ? sim.settings.switchedOff[match.id] : undefined;
  const answer =
    off === undefined && (published || match.is === "operation")
      ? await app.exchange(request, entry)
      : refusal(sim, match, off);
  entry.status = answer.status;
  return { ...answer, headers: { ...answer.headers, date: sim.time.wall().toUTCString() } };
}

const REFUSALS: Readonly<Record<number, string>> = {
  401: "Access token is missing or invalid",
  403: "Access forbidden",
  404: "No such route",
  405: "Method not allowed",
  501: "Not implemented",
};

/** @param off the status of an operation that is switched off */
function refusal(sim: Simulation, match: Match, off: number | undefined): WireAnswer {
  const status = off ?? (match.is === "unknown" ? 404 : 405);
  const message = REFUSALS[status] ?? "Refused";
  const allow: Record<string, string> = match.is === "method-not-allowed" ? { allow: match.allow.join(", ") } : {};
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...allow },
    body: Buffer.from(JSON.stringify(problemBody(status, message, sim.settings.profile.errorText))),
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw new Error("request body too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
