import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

import { expect, it, onTestFinished, vi } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { tcpProxy } from "../../../test/support/kube/tcp-proxy.ts";
import { certificate, privateKey } from "../../../test/support/kube/tls.ts";
import { createWatchConnections, DEAD_AFTER_MS } from "./watch-connections.ts";

const tls = { cert: certificate, key: privateKey };
const soon = { timeout: 10_000, interval: 10 };

/** Opens watches of a server behind a proxy, which sends a line to each and, with `send`, to all of them. */
async function watching(protocol: "HTTP/1.1" | "HTTP/2", count: number) {
  const senders: (() => void)[] = [];
  const server =
    protocol === "HTTP/2" ? createSecureServer({ ...tls, settings: { maxConcurrentStreams: 100 } }) : createServer(tls);
  server.on("request", (_request, response: NodeJS.WritableStream) => {
    response.on("error", () => {});
    response.write("a line\n");
    senders.push(() => void response.write("another\n"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const proxy = await tcpProxy((server.address() as AddressInfo).port);
  const clock = manualClock();
  const watches = createWatchConnections({ headersTimeout: 0, bodyTimeout: 0 }, { ca: certificate }, clock);
  onTestFinished(async () => {
    await watches.dispatcher.destroy();
    await proxy.stop();
    server.close();
  });
  const open = () =>
    watches.dispatcher.request({ origin: `https://127.0.0.1:${proxy.port}`, path: "/", method: "GET" });
  const answers = await Promise.all(Array.from({ length: count }, open));
  let received = 0;
  const ends = answers.map(async ({ body }) => {
    try {
      for await (const chunk of body) received += String(chunk).split("\n").length - 1;
      return "ended";
    } catch (error) {
      return error;
    }
  });
  return { clock, proxy, watches, ends, received: () => received, send: () => senders.map((send) => send()) };
}

it("240 watches share the connections of a server that takes 100 on each", async () => {
  const { proxy } = await watching("HTTP/2", 240);
  expect(proxy.open()).toBe(3);
});

it("over HTTP/1.1 each watch has a connection, whose silence proves nothing", async () => {
  const { proxy, watches } = await watching("HTTP/1.1", 3);
  expect(proxy.open()).toBe(3);
  expect(watches.silentMs()).toBeUndefined();
});

it("[B5] a connection that swallows all bytes ends with its watches after 20 s at most", async () => {
  const { clock, ends, proxy, watches } = await watching("HTTP/2", 2);
  proxy.freeze();
  await clock.advance(DEAD_AFTER_MS);
  for (const end of ends) expect(await end).toMatchObject({ code: "ETIMEDOUT" });
  await vi.waitFor(() => expect(watches.silentMs()).toBeUndefined(), soon);
  expect(clock.pending()).toBe(0);
});

it("[B5] a connection on which bytes arrive stays, however long its watches have no end", async () => {
  const { clock, proxy, received, send, watches } = await watching("HTTP/2", 2);
  for (let round = 1; round <= 6; round += 1) {
    send();
    await vi.waitFor(() => expect(received()).toBe(2 + 2 * round), soon);
    await clock.advance(12_000);
  }
  expect(watches.silentMs()).toBe(8_000);
  expect(proxy.open()).toBe(1);
});
