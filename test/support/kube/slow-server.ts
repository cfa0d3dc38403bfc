import { once } from "node:events";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";

/** Runs in a thread of its own, which blocks: meanwhile the kernel accepts what the backlog holds, and no more. */
const SERVER = `
const { parentPort, workerData } = require("node:worker_threads");
const server = require("node:http").createServer((_request, response) => response.end("{}"));
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(workerData, 0, 0));
});`;

/**
 * Starts an HTTP server on 127.0.0.1 that a connection reaches only by a second packet, which the kernel sends after a
 * second, if `open` is called before.
 */
export async function slowServer() {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SERVER, { eval: true, workerData: gate });
  const [port]: number[] = await once(worker, "message");
  const fillers = [0, 1].map(() => connect(port ?? 0, "127.0.0.1"));
  await Promise.all(fillers.map((socket) => once(socket, "connect")));
  return {
    port: port ?? 0,
    open: () => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
    stop: async () => {
      for (const socket of fillers) socket.destroy();
      await worker.terminate();
    },
  };
}
