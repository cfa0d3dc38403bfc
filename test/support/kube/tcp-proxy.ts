import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP proxy on loopback whose connections a test can break. TLS passes through it unchanged. */
export interface TcpProxy {
  readonly port: number;
  /** The number of connections that were opened. */
  connections(): number;
  /** Resets every open connection. */
  reset(): void;
  /** Keeps open connections open but forwards nothing, like a firewall that has dropped their state. */
  freeze(): void;
  /** Freezes, and accepts new connections without forwarding, until `thaw`: like a server that was suspended. */
  freezeAll(): void;
  /** Resets frozen connections, and forwards new ones again. */
  thaw(): void;
  stop(): Promise<void>;
}

/**
 * @param target the port on loopback to forward to @param port its own port; 0, the default, takes a free one
 */
export async function tcpProxy(target: number, port = 0): Promise<TcpProxy> {
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
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
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
    port: (server.address() as AddressInfo).port,
    connections: () => opened,
    reset,
    freeze,
    freezeAll: () => {
      isFrozen = true;
      freeze();
    },
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
