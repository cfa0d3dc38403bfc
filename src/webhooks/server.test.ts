import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../../test/support/kube/clock.ts";
import { figure } from "../../test/support/platform/figure.ts";
import type { HttpServer } from "../http/server.ts";
import { startReceiver, type Deliveries } from "./server.ts";

const KEY = { kind: "PlatformConnection", namespace: "shop", name: "default" };
const KEYS = { path: `shop/hook/${"p".repeat(22)}`, secret: "s".repeat(22) };
const PROOF = { "platform-signature": KEYS.secret };
const KNOWN = "00000000-0000-4000-8000-00000000000a";
const UNKNOWN = "00000000-0000-4000-8000-00000000000b";

let clock: ManualClock;
let receiver: HttpServer;
let leads: boolean;
let delivered: (readonly string[])[];
let ended: string[];

const deliveries: Deliveries = {
  expected: ({ namespace, name }) =>
    namespace === "shop" && name === "hook" ? { ...KEYS, connection: KEY, sendsSecret: true } : undefined,
  enqueueDelivered: (connection, ids) => {
    expect(connection).toEqual(KEY);
    delivered.push(ids);
    return ids.filter((id) => id === KNOWN).length;
  },
};

/** @param requestMs how long a request may take; long enough for a busy machine unless the test is about it */
async function start(requestMs = 60_000): Promise<void> {
  clock = manualClock();
  leads = true;
  delivered = [];
  ended = [];
  const options = {
    clock,
    deliveries: () => (leads ? deliveries : undefined),
    ended: (event: string, result: string) => ended.push(`${event} ${result}`),
    requestMs,
  };
  receiver = await startReceiver({ host: "127.0.0.1", port: 0 }, options);
}

beforeEach(() => start());

afterEach(() => receiver.stop());

async function send(path: string, body: unknown, init: RequestInit = {}): Promise<number> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const headers = { ...PROOF, ...(init.headers as Record<string, string> | undefined) };
  const answer = await fetch(`${receiver.url}/${path}`, { method: "POST", body: text, ...init, headers });
  expect(await answer.text()).toBe("");
  return answer.status;
}

/** Opens a connection, and sends a text. */
function open(text: string): Socket {
  const socket = connect(Number(new URL(receiver.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.write(text);
  return socket;
}

const proof = `platform-signature: ${KEYS.secret}`;
const about = (id: string) => ({ event_type: "DEPLOYMENT_SUCCEEDED", payload: { application_id: id } });

describe("[E12] the receiver of deliveries", () => {
  it("has the services of a delivery reconciled", async () => {
    expect(await send(KEYS.path, about(KNOWN))).toBe(200);
    expect(delivered).toEqual([[KNOWN]]);
    expect(ended).toEqual(["DEPLOYMENT_SUCCEEDED queued"]);
  });

  it.each<[string, unknown, string]>([
    ["about a service that is not managed", about(UNKNOWN), "DEPLOYMENT_SUCCEEDED ignored"],
    ["without ids", { event_type: "DEPLOYMENT_STARTED", payload: {} }, "DEPLOYMENT_STARTED ignored"],
    ["of an unknown event", { event_type: "SURPRISE", payload: { application_id: KNOWN } }, "other queued"],
    ["with invalid JSON", "{", "other ignored"],
    ["without a body", "", "other ignored"],
    [
      "with 4,000 members",
      Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, at])),
      "other ignored",
    ],
    ["with 32,000 nested lists", `${"[".repeat(32_000)}${"]".repeat(32_000)}`, "other ignored"],
    [
      "with __proto__ and constructor",
      '{"__proto__":{"payload":{}},"payload":{"constructor":{"prototype":1}}}',
      "other ignored",
    ],
  ])("answers 200 to a proven delivery %s", async (_name, body, outcome) => {
    expect(await send(KEYS.path, body)).toBe(200);
    expect(ended).toEqual([outcome]);
  });

  it.each<[string, string, RequestInit, number]>([
    ["a wrong path", `shop/hook/${"0".repeat(22)}`, {}, 401],
    ["no path", "", {}, 401],
    ["a wrong secret", KEYS.path, { headers: { "platform-signature": "guess" } }, 401],
    ["an empty secret", KEYS.path, { headers: { "platform-signature": "" } }, 401],
    ["another method", KEYS.path, { method: "PUT" }, 405],
    ["another method without proof", "guess", { method: "PUT" }, 401],
    ["10 MiB without proof, which it does not read", "guess", { body: new Uint8Array(10 * 1024 * 1024) }, 401],
  ])("rejects %s with an empty body, and reconciles nothing", async (_name, path, init, status) => {
    expect(await send(path, about(KNOWN), init)).toBe(status);
    expect(delivered).toEqual([]);
    expect(ended).toEqual(["none rejected"]);
  });

  it.each(["GET", "HEAD", "OPTIONS", "DELETE"])("answers a %s request with 405 and an empty body", async (method) => {
    const answer = await fetch(`${receiver.url}/${KEYS.path}`, { method, headers: PROOF });
    expect(answer.status).toBe(405);
    expect(await answer.text()).toBe("");
    expect(delivered).toEqual([]);
  });

  const types = ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-7", "x".repeat(500)];
  it.each(types)("reads every delivery as JSON, whatever its content type is: %s", async (type) => {
    expect(await send(KEYS.path, about(KNOWN), { headers: { "content-type": type } })).toBe(200);
    expect(delivered).toEqual([[KNOWN]]);
    expect(await send(KEYS.path, `application_id=${KNOWN}`, { headers: { "content-type": type } })).toBe(200);
    expect(delivered).toHaveLength(1);
  });

  it("rejects a body beyond 64 KiB with 413", async () => {
    expect(await send(KEYS.path, `"${"x".repeat(65_000)}"`)).toBe(200);
    expect(await send(KEYS.path, `"${"x".repeat(66_000)}"`)).toBe(413);
    expect(ended).toEqual(["other ignored", "none too-large"]);
  });

  it("counts the bytes of a body without a content length", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let chunk = 0; chunk < 20; chunk += 1) controller.enqueue(new Uint8Array(8_192).fill(0x20));
        controller.close();
      },
    });
    const sent = send(KEYS.path, "", { body, duplex: "half" });
    // The answer and the end of the connection may arrive in either order.
    expect([413, "broken off"]).toContain(await sent.catch(() => "broken off"));
    expect(ended).toEqual(["none too-large"]);
  });

  it("answers 200 to each proven delivery, but reads only 100 at once and one more for each second", async () => {
    for (let sent = 0; sent < 101; sent += 1) expect(await send(KEYS.path, about(KNOWN))).toBe(200);
    expect(delivered).toHaveLength(100);
    expect(ended.at(-1)).toBe("none limited");
    await clock.advance(1_000);
    expect(await send(KEYS.path, about(KNOWN))).toBe(200);
    expect(delivered).toHaveLength(101);
  });

  it("limits requests without proof, and no proven ones", async ({ task }) => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 30; sent += 1) statuses.push(await send("guess", about(KNOWN)));
    const counted = (wanted: number): number => statuses.filter((status) => status === wanted).length;
    expect(counted(401)).toBe(20);
    expect(counted(429)).toBe(10);
    expect(delivered).toEqual([]);
    figure(task, `of ${statuses.length} without proof ${counted(401)} refused, ${counted(429)} held off, 0 read`);
    expect(await send(KEYS.path, about(KNOWN))).toBe(200);
  });

  it("answers 503 with Retry-After while another process leads", async () => {
    leads = false;
    const answer = await fetch(`${receiver.url}/${KEYS.path}`, {
      method: "POST",
      headers: PROOF,
      body: JSON.stringify(about(KNOWN)),
    });
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await answer.text()).toBe("");
    expect(ended).toEqual(["none standby"]);
  });

  it("rejects headers beyond 8 KiB with 431 and what is not HTTP with 400", async () => {
    expect(await send(KEYS.path, {}, { headers: { "x-long": "x".repeat(9_000) } })).toBe(431);
    const socket = open("\0\0\0\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
    expect(ended).toEqual([]);
  });

  it.each([
    ["headers", `POST /${KEYS.path} HTTP/1.1\r\nhost: x\r\nx-slow: `],
    ["body's bytes", `POST /${KEYS.path} HTTP/1.1\r\nhost: x\r\n${proof}\r\ncontent-length: 100\r\n\r\n`],
  ])("closes the connection of a sender whose %s arrive byte by byte", async (_name, begun) => {
    await receiver.stop();
    await start(1_000);
    const socket = open(begun);
    const drops = setInterval(() => socket.write("x"), 20);
    socket.resume();
    // A drop that is in flight may get a reset.
    await new Promise((resolve) => socket.once("close", resolve));
    clearInterval(drops);
    expect(delivered).toEqual([]);
    expect(await send(KEYS.path, about(KNOWN))).toBe(200);
  });

  it("continues after a sender closed its connection within a delivery", async () => {
    const socket = open(`POST /${KEYS.path} HTTP/1.1\r\nhost: x\r\n${proof}\r\ncontent-length: 100\r\n\r\n{`);
    await once(socket, "connect");
    socket.destroy();
    expect(await send(KEYS.path, about(KNOWN))).toBe(200);
    expect(ended).toEqual(["DEPLOYMENT_SUCCEEDED queued"]);
  });
});
