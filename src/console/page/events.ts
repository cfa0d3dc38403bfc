/** Server-sent events (HTML standard, "Server-sent events"): `changed` for changes, and a regular `alive`. */
import type { ServerResponse } from "node:http";

import type { Clock } from "../../kube/api/types.ts";

/** The shortest time between two events, however much changes. */
const PAUSE_MS = 1_000;
/** How long the first change waits for further changes, as changes come in groups. */
const GATHER_MS = 50;
const ALIVE_MS = 10_000;
const MAX_STREAMS = 32;
/** Bytes that a browser may leave unread. */
const MAX_UNREAD = 16 * 1024;

export type Streams = ReturnType<typeof createStreams>;

/** @returns the streams of the browsers, none yet */
export function createStreams(clock: Clock) {
  const streams = new Map<ServerResponse, () => void>();
  let sentAt = -Infinity;
  let cancel: (() => void) | undefined;

  const send = (response: ServerResponse, event: string): void => {
    if (response.writableLength <= MAX_UNREAD) response.write(`event: ${event}\ndata:\n\n`);
    else response.destroy();
  };
  const sendChanged = (): void => {
    cancel = undefined;
    sentAt = clock.monotonic();
    for (const response of streams.keys()) send(response, "changed");
  };
  const keepAlive = (response: ServerResponse): void => {
    const again = clock.after(ALIVE_MS, () => {
      keepAlive(response);
    });
    streams.set(response, again);
    send(response, "alive");
  };

  return {
    /**
     * Writes events into the response, whose head is already sent, until the browser disconnects.
     * @returns false when there are too many streams
     */
    open: (response: ServerResponse): boolean => {
      if (streams.size >= MAX_STREAMS) return false;
      response.once("close", () => {
        streams.get(response)?.();
        streams.delete(response);
      });
      keepAlive(response);
      return true;
    },
    /** Reports a change to all streams. */
    changed: (): void => {
      if (streams.size === 0) return;
      cancel ??= clock.after(Math.max(GATHER_MS, sentAt + PAUSE_MS - clock.monotonic()), sendChanged);
    },
    /** Ends all streams. */
    close: (): void => {
      cancel?.();
      for (const response of streams.keys()) response.destroy();
    },
  };
}
