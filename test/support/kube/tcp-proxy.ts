import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { listen } from "../programs/free-port.ts";

export type TcpProxy = Awaited<ReturnType<typeof tcpProxy>>;

/**
 * Starts a TCP proxy on loopback whose connections a test can break. TLS passes through it unchanged.
 * @param target the port on loopback to forward to @param port its own port; by default it takes a free one
 */
export async function tcpProxy(target: number, port?: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let opened = 0;
  let isFrozen = false;
  const server = createServer((near) => {
    opened += 1;
    const far = connect(target, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [far, near] as const]) {
      if (isFrozen) from.resume();
      else from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  const own = await listen(server, port);
  const reset = (): void => {
    for (const [near] of pairs) near.resetAndDestroy();
  };
  const freeze = (): void => {
    for (const [near, far] of pairs) {
      near.unpipe(far);
      far.unpipe(near);
      far.resume();
      near.resume();
    }
  };
  return {
    port: own,
    /** The number of connections since the start. */
    connections: () => opened,
    /** The number of connections that are open now. */
    open: () => pairs.size,
    reset,
    /** Keeps open connections open but forwards nothing, like a firewall that has dropped their state. */
    freeze,
    /** Freezes, and accepts new connections without forwarding, until `thaw`: like a server that was suspended. */
    freezeAll: () => {
      isFrozen = true;
      freeze();
    },
    /** Resets frozen connections, and forwards new ones again. */
    thaw: () => {
      isFrozen = false;
      reset();
    },
    stop: async () => {
      reset();
      server.close();
      await once(server, "close");
    },
  };
}
