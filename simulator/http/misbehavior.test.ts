import { connect } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { call } from "../../test/support/env/simulated-platform.ts";
import { manualClock, type ManualClock } from "../../test/support/kube/clock.ts";
import type { FaultAnswer, FaultInput } from "../request/faults.ts";
import { startSimulator, type Simulator } from "../simulator.ts";

let simulator: Simulator;
let clock: ManualClock;
beforeEach(async () => {
  clock = manualClock();
  simulator = await startSimulator({ surface: "documented", speed: "instant", seed: "faults", clock });
});
afterEach(() => simulator.close());

const path = (): string => `/organization/${simulator.organizationId}/project`;
const create = { match: { operation: "createProject" } };
const projects = (): number => simulator.world().projects.size;

const set = (fault: FaultInput) => simulator.sim.faults.add(fault);

/** Sends one request over a socket, so that the test can read the raw bytes of the answer. */
function exchange(method: string, body = "") {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(simulator.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  socket.on("close", () => resolve(text));
  socket.write(
    `${method} ${path()} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Token ${simulator.tokens.admin}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return { done: promise, seen: () => text, close: () => socket.destroy() };
}

/** Advances the clock until a text matches. */
async function until(sent: ReturnType<typeof exchange>, wanted: RegExp, stepMs: number): Promise<void> {
  const step = () => clock.advance(stepMs).then(() => sent.seen());
  await expect.poll(step, { interval: 1 }).toMatch(wanted);
}

const ok = JSON.stringify({ name: "shop" });

describe("a connection with a fault", () => {
  it("gets no answer although the platform executed the call", async () => {
    set({ ...create, effect: "applied", answer: { is: "silence" } });
    const silent = exchange("POST", ok);
    await expect.poll(projects).toBe(1);
    await clock.advance(3600_000);
    expect(silent.seen()).toBe("");
    silent.close();
  });

  it("gets an error before the platform executes the call", async () => {
    set({ ...create, effect: "late", lateSeconds: 12, answer: { is: "status", status: 504 } });
    expect(await exchange("POST", ok).done).toMatch(/^HTTP\/1.1 504 /);
    await clock.advance(11_999);
    expect(projects()).toBe(0);
    await clock.advance(1);
    await expect.poll(projects).toBe(1);
  });

  it("gets headers without an end", async () => {
    set({ answer: { is: "endless-headers", intervalMs: 10 } });
    const endless = exchange("GET");
    await until(endless, /x-padding-50: x/, 10);
    expect(endless.seen()).not.toContain("\r\n\r\n");
    endless.close();
  });

  it("gets the body byte by byte", async () => {
    set({ answer: { is: "drip", intervalMs: 1000 } });
    const dripping = exchange("GET");
    await expect.poll(() => dripping.seen()).toContain("\r\n\r\n");
    expect(dripping.seen()).not.toContain("{");
    await until(dripping, /\{"results$/, 1000);
    await until(dripping, /\{"results":\[\]\}$/, 1000);
  });

  it.each<[string, boolean]>([
    ["with a content length", true],
    ["in chunks", false],
  ])("ends in the middle of a body %s", async (_, contentLength) => {
    set({ answer: { is: "truncated", contentLength } });
    const text = await exchange("GET").done;
    expect(text).toContain(contentLength ? "content-length: 14" : "Transfer-Encoding: chunked");
    expect(text).toContain(`{"resul`);
    expect(text).not.toContain("]}");
  });

  it("gets its answer late, with the state at the time of the call", async () => {
    set({ match: { method: "GET" }, answer: { is: "slow", seconds: 30 } });
    const slow = exchange("GET");
    await expect.poll(() => simulator.sim.journal.entries.length).toBe(1);
    await call(simulator, `POST ${path()}`, { name: "shop" });
    await clock.advance(29_999);
    expect(slow.seen()).toBe("");
    await clock.advance(1);
    expect(await slow.done).toContain(`{"results":[]}`);
  });
});

const plain = { is: "status", headers: {} } as const;
type Expected = { status?: number; type?: string; text?: RegExp; reset?: string; applied?: true };
it.each<[string, FaultAnswer, Expected]>([
  ["an error status", { ...plain, status: 502 }, { status: 502, text: /Bad Gateway/ }],
  ["an error status with a body", { ...plain, status: 409, body: { a: 1 } }, { status: 409, text: /^\{"a":1\}$/ }],
  ["raw text", { ...plain, status: 200, body: `{"n":9223372036854775807}` }, { text: /9223372036854775807/ }],
  ["429", { is: "rate-limited" }, { status: 429 }],
  ["429 with a reset", { is: "rate-limited", reset: "5" }, { status: 429, reset: "5" }],
  ["429 with an invalid reset", { is: "rate-limited", reset: "1e400" }, { status: 429, reset: "1e400" }],
  ["HTML", { is: "html", status: 200 }, { type: "text/html; charset=utf-8", text: /^<!DOCTYPE html>/ }],
  ["an empty body", { is: "empty", status: 200 }, { text: /^$/ }],
  ["a body of 5 MB", { is: "huge", bytes: 5_000_000 }, { text: /x{1000}"\}$/ }],
  [
    "another content type",
    { is: "content-type", value: "text/csv" },
    { type: "text/csv", text: /"shop"/, applied: true },
  ],
  ["broken JSON", { is: "malformed" }, { text: /"shop".*,,$/, applied: true }],
  [
    "an edited body",
    { is: "edited", set: { name: null, extra: { a: 1 } }, remove: ["created_at"] },
    { text: /^(?!.*created_at).*"name":null.*"extra":\{"a":1\}/, applied: true },
  ],
  ["the normal answer", { is: "normal" }, { text: /"shop"/, applied: true }],
])("an answer with a fault can be %s", async (_what, fault, expected) => {
  set({ ...create, answer: fault });
  const answer = await call(simulator, `POST ${path()}`, { name: "shop" });
  expect(answer.status).toBe(expected.status ?? 200);
  expect(answer.headers.get("content-type")).toBe(expected.type ?? "application/json; charset=utf-8");
  expect(answer.headers.get("x-ratelimit-reset")).toBe(expected.reset ?? null);
  expect(answer.text).toMatch(expected.text ?? "");
  expect(projects()).toBe(expected.applied === true ? 1 : 0);
});
