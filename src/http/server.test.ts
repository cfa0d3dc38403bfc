import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";

import { describe, expect, it, onTestFinished } from "vitest";

import { type Limits, limitedServer, listen } from "./server.ts";

const slowly: RequestListener = (_request, response) => {
  response.writeHead(200).flushHeaders();
};

/** Starts a server. @returns a function that connects to it, sends a text and returns the socket once it is open */
async function serverOf(limits: Limits, answer: RequestListener = slowly) {
  const server = limitedServer(limits, answer);
  const { url, stop } = await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(stop);
  return async (text = ""): Promise<Socket> => {
    const arrived = once(server, text.endsWith("\r\n\r\n") ? "request" : "connection");
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(text);
    await arrived;
    return socket;
  };
}

const REQUEST = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
const isOpen = (socket: Socket): boolean => !socket.closed;

describe("[S5] a server with a limit of connections", () => {
  it("closes the connection that has waited longest for its request", async () => {
    const open = await serverOf({ connections: 2 });
    const sockets = [await open("GET / HTTP/1.1\r\n"), await open(), await open()];
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.map(isOpen)).toEqual([false, true, true]);
  });

  it("closes a new connection rather than one whose request is being answered", async () => {
    const open = await serverOf({ connections: 2 });
    const sockets = [await open(REQUEST), await open(REQUEST), await open()];
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.map(isOpen)).toEqual([true, true, false]);
  });

  it("closes an idle connection that was answered rather than a newer one", async () => {
    const open = await serverOf({ connections: 2 }, (_request, response) => void response.end());
    const sockets = [await open(REQUEST), await open(), await open()];
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.map(isOpen)).toEqual([false, true, true]);
  });
});

it("[S5] a client that does not receive its answer is disconnected in time", async () => {
  const ended = Promise.withResolvers<boolean>();
  const open = await serverOf({ connections: 2, answerMs: 50 }, (_request, response) => {
    response.once("close", () => {
      ended.resolve(response.writableFinished);
    });
    response.end(Buffer.alloc(64 * 1024 * 1024));
  });
  await open(REQUEST);
  expect(await ended.promise, "whether all of it was sent").toBe(false);
});
