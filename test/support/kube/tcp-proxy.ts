import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A wire between a client and a server on loopback that a test can cut. TLS goes through it untouched. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections were opened. */
  connections(): number;
  /** Resets every open connection. */
  reset(): void;
  /** Keeps open connections open and lets nothing more through them, as a firewall that forgot them does. */
  freeze(): void;
  /** Freezes, and takes new connections that nothing comes through, until `thaw`: as a server does that was stopped. */
  freezeAll(): void;
  /** Resets what is frozen, and lets new connections through again. */
  thaw(): void;
  stop(): Promise<void>;
}

/**
 * @param target the port on loopback that connections lead to. @param port its own; 0, the default, takes a free one.
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
