import type { ServerResponse } from "node:http";

import type { Clock } from "../base/clock.ts";
import { problemBody } from "../base/problems.ts";
import type { Fault, FaultAnswer } from "../request/faults.ts";
import type { Simulation } from "../request/simulation.ts";
import type { WireAnswer } from "./app.ts";

/** The response that a faulty answer is written to. */
export interface Outlet {
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly sim: Simulation;
}

/** Sends an answer without a fault. */
export function sendAnswer(response: ServerResponse, answer: WireAnswer): void {
  response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer) });
  response.end(answer.body);
}

function lengthOf(answer: WireAnswer): Record<string, string> {
  return answer.status === 204 ? {} : { "content-length": String(answer.body.length) };
}

/** Sends an answer with a fault. `real` is undefined if the platform has not executed the call. */
export async function misbehave(fault: Fault, real: WireAnswer | undefined, outlet: Outlet): Promise<void> {
  const { response, clock, sim } = outlet;
  const date = sim.time.wall().toUTCString();
  const answer = real ?? {
    status: 200,
    headers: { "content-type": "application/json; charset=utf-8", date },
    body: Buffer.from("{}"),
  };
  await send(fault.answer, answer, { response, clock, sim });
}

async function send(fault: FaultAnswer, answer: WireAnswer, outlet: Outlet): Promise<void> {
  const { response, clock } = outlet;
  switch (fault.is) {
    case "reset":
      response.socket?.resetAndDestroy();
      break;
    case "silence":
      break;
    case "slow":
      await pause(clock, fault.seconds * 1000);
      sendAnswer(response, answer);
      break;
    case "drip":
      await drip(answer, fault.intervalMs, outlet);
      break;
    case "endless-headers":
      await endlessHeaders(fault.intervalMs, outlet);
      break;
    case "truncated":
      truncate(answer, fault.contentLength, response);
      break;
    default:
      sendAnswer(response, alter(fault, answer, outlet.sim));
  }
}

type WireFault = "reset" | "silence" | "slow" | "drip" | "endless-headers" | "truncated";

/** @returns the answer of a fault that is wrong but well-formed HTTP */
function alter(fault: Exclude<FaultAnswer, { is: WireFault }>, answer: WireAnswer, sim: Simulation): WireAnswer {
  const { headers } = answer;
  switch (fault.is) {
    case "normal":
      return answer;
    case "status":
      return { status: fault.status, headers: { ...headers, ...fault.headers }, body: statusBody(fault, sim) };
    case "rate-limited": {
      const reset: Record<string, string> = fault.reset === undefined ? {} : { "x-ratelimit-reset": fault.reset };
      const body = statusBody({ status: 429, body: undefined }, sim);
      return { status: 429, headers: { ...headers, ...reset }, body };
    }
    case "html": {
      const body = Buffer.from("<!DOCTYPE html><html><body><h1>Please wait</h1></body></html>");
      return { status: fault.status, headers: { ...headers, "content-type": "text/html; charset=utf-8" }, body };
    }
    case "empty":
      return { status: fault.status, headers, body: Buffer.alloc(0) };
    case "huge":
      return { ...answer, body: Buffer.from(`{"padding":"${"x".repeat(fault.bytes)}"}`) };
    case "content-type":
      return { ...answer, headers: { ...headers, "content-type": fault.value } };
    case "malformed":
      return { ...answer, body: Buffer.from(`${answer.body.toString().slice(0, -1)},,`) };
    case "edited":
      return { ...answer, body: editJson(answer.body, fault) };
    default:
      return fault satisfies never;
  }
}

function statusBody(fault: { status: number; body?: unknown }, sim: Simulation): Buffer {
  if (typeof fault.body === "string") return Buffer.from(fault.body);
  const body = fault.body ?? problemBody(fault.status, "Simulated failure", sim.settings.profile.errorText);
  return Buffer.from(JSON.stringify(body));
}

/** Sends an answer byte by byte. */
async function drip(answer: WireAnswer, intervalMs: number, { response, clock }: Outlet): Promise<void> {
  response.writeHead(answer.status, { ...answer.headers, ...lengthOf(answer) });
  response.flushHeaders();
  for (const byte of answer.body) {
    await pause(clock, intervalMs);
    if (response.destroyed) return;
    response.write(Buffer.of(byte));
  }
  response.end();
}

/** Sends headers until the client closes the connection. */
async function endlessHeaders(intervalMs: number, { response, clock }: Outlet): Promise<void> {
  const { socket } = response;
  if (socket === null) return;
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n");
  for (let line = 0; !socket.destroyed; line += 1) {
    socket.write(`x-padding-${line}: x\r\n`);
    await pause(clock, intervalMs);
  }
}

/** Sends half of the body, then ends the connection: with a longer content-length, or without the last chunk. */
function truncate(answer: WireAnswer, contentLength: boolean, response: ServerResponse): void {
  const { "content-length": _, ...headers } = answer.headers;
  response.writeHead(answer.status, { ...headers, ...(contentLength ? lengthOf(answer) : {}) });
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  response.write(half, () => response.socket?.destroy());
}

function pause(clock: Clock, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(ms, resolve);
  return promise;
}

/** Members to set and to remove, by dotted path; array positions are numbers. */
export interface Edits {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** @returns the edited JSON text; a text other than a JSON object or array stays unchanged */
export function editJson(body: Buffer, edits: Edits): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return body;
  }
  for (const [path, member] of Object.entries(edits.set))
    change(value, path, (holder, key) => void (holder[key] = member));
  for (const path of edits.remove) change(value, path, (holder, key) => void delete holder[key]);
  return Buffer.from(JSON.stringify(value));
}

function change(root: unknown, path: string, edit: (holder: Record<string, unknown>, key: string) => void): void {
  const keys = path.split(".");
  const last = keys.pop();
  let holder: unknown = root;
  for (const key of keys) holder = isObject(holder) ? holder[key] : undefined;
  if (last !== undefined && isObject(holder)) edit(holder, last);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
