import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

import { Agent, buildConnector, type Dispatcher } from "undici";

import type { Clock } from "./types.ts";

/** The server answers a PING of undici this often, so a live connection is never silent for longer. */
const PING_MS = 4_000;
/** The number of silent intervals in a row after which a connection counts as dead. */
const SILENT_INTERVALS = 4;
/** The longest time from the last byte of a connection until its watches fail. */
export const DEAD_AFTER_MS = PING_MS * (SILENT_INTERVALS + 1);

/** The connections of the watches. */
export interface WatchConnections {
  readonly dispatcher: Dispatcher;
  /**
   * Returns how long the open connection that has been silent longest has sent nothing, in milliseconds. It is undefined
   * without a connection whose death is noticed: over HTTP/1.1 a dead connection looks like a server without news.
   */
  readonly silentMs: () => number | undefined;
}

interface Watched {
  heardAt: number;
}

/**
 * Returns connections that many watches share, over HTTP/2 where the server offers it. A connection that received
 * nothing for 16 to 20 s, not even the answer to a PING, is destroyed, and its watches fail with ETIMEDOUT; undici alone waits
 * for as long as TCP does, which a proxy that swallows bytes makes forever.
 * @param connect TLS options and timeouts of a connection
 */
export function createWatchConnections(
  options: Agent.Options,
  connect: buildConnector.BuildOptions,
  clock: Clock,
): WatchConnections {
  const watched = new Set<Watched>();
  const open = buildConnector({ ...connect, allowH2: true, preferH2: true });

  const guard = (socket: Socket): void => {
    const own: Watched = { heardAt: clock.monotonic() };
    watched.add(own);
    let read = socket.bytesRead;
    let silent = 0;
    // Intervals are counted, not milliseconds: after a pause of this process the answers wait in the socket.
    const look = (): void => {
      cancel = clock.after(PING_MS, look);
      if (socket.bytesRead === read) {
        silent += 1;
        if (silent >= SILENT_INTERVALS) socket.destroy(Object.assign(new Error("silent"), { code: "ETIMEDOUT" }));
        return;
      }
      read = socket.bytesRead;
      silent = 0;
      own.heardAt = clock.monotonic();
    };
    let cancel = clock.after(PING_MS, look);
    socket.once("close", () => {
      cancel();
      watched.delete(own);
    });
  };

  const dispatcher = new Agent({
    ...options,
    allowH2: true,
    pingInterval: PING_MS,
    connect: (target, done) => {
      open(target, (...opened) => {
        const [, socket] = opened;
        if (socket instanceof TLSSocket && socket.alpnProtocol === "h2") guard(socket);
        done(...opened);
      });
    },
  });
  return {
    dispatcher,
    silentMs: () => {
      if (watched.size === 0) return undefined;
      const now = clock.monotonic();
      return Math.max(...[...watched].map(({ heardAt }) => now - heardAt));
    },
  };
}
