/** Connections to the operator's ports whose requests never end: the ports keep answering. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { createEnv } from "../support/env/env.ts";
import { defaults } from "../support/kube/manifests.ts";
import { figure } from "../support/platform/figure.ts";

const CROWD = 2_000;
const BEGINNING = `GET / HTTP/1.1\r\nhost: localhost\r\nx-filler: ${"x".repeat(4_000)}`;

/** Each port, the connections that it keeps, and a request that it answers. */
const PORTS: readonly (readonly [server: string, most: number, path: string, status: number])[] = [
  ["health", 512, "/healthz", 200],
  ["metrics", 32, "/metrics", 200],
  ["webhook", 128, "/nobody", 401],
  ["status-page", 128, "/", 200],
];

describe("a port of the operator", () => {
  const env = createEnv({
    surface: "full",
    memoryMiB: 512,
    args: ["--webhook-bind-address=127.0.0.1:0", "--status-page-bind-address=127.0.0.1:0"],
  });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const addressOf = (server: string): string => {
    const address = env.operator.logs().find((one) => one["server"] === server)?.["address"];
    return typeof address === "string" ? address : expect.fail(`there is no server ${server}`);
  };
  /** Opens a connection, sends a text, and ends with the connection. */
  const open = (server: string, text: string): Socket => {
    const socket = connect(Number(new URL(addressOf(server)).port), "127.0.0.1");
    socket.on("error", () => {}).resume();
    socket.write(text);
    sockets.push(socket);
    return socket;
  };
  const crowd = (server: string): void => {
    for (let index = 0; index < CROWD; index += 1) open(server, BEGINNING);
  };
  /** The number of connections that the operator has not ended. */
  const left = (): number => sockets.filter((socket) => !socket.closed).length;
  const status = async (server: string, path: string): Promise<number> => {
    const answer = await fetch(`${addressOf(server)}${path}`, { method: server === "webhook" ? "POST" : "GET" });
    await answer.text();
    return answer.status;
  };

  it.each(PORTS)("[S5] (%s) keeps %i open requests, and answers a whole one", async (server, most, path, is) => {
    crowd(server);
    await expect.poll(left).toBeLessThanOrEqual(most);
    expect(await status(server, path)).toBe(is);
  });

  it.each(PORTS)("[S5] (%s) refuses headers of more than 8 KiB", async (server) => {
    const socket = open(server, `GET / HTTP/1.1\r\nhost: localhost\r\nx-filler: ${"x".repeat(9_000)}\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("[S5] that is crowded, as all others, delays neither the probes nor the work", async ({ task }) => {
    await env.apply(...defaults(env, { surface: "Full" }));
    for (const [server] of PORTS) crowd(server);
    await expect.poll(left).toBeLessThanOrEqual(512 + 32 + 128 + 128);
    for (const [server, , path, is] of PORTS) expect(await status(server, path), server).toBe(is);
    await env.waitFor("PlatformConnection", "default", { status: "True" });
    figure(task, `${String(PORTS.length * CROWD)} unfinished requests, 0 ports without an answer`);
  });

  it("[S5] ends requests that are not finished in time", async () => {
    for (const [server] of PORTS) open(server, BEGINNING);
    await expect.poll(left).toBe(0);
  });
});
