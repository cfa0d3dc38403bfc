import type { Cache } from "../../kube/api/types.ts";
import type { MeasuredQueue } from "./queue.ts";

/** What the metrics are made of; functions are asked at each scrape. */
export interface Figures {
  readonly version: string;
  readonly kinds: readonly string[];
  readonly workers: number;
  /** Whether to serve a series for each object. */
  readonly perObject: boolean;
  readonly now: () => Date;
  readonly cache: () => Cache;
  readonly leading: () => boolean;
  /** For how long the connection that was asked to slow down most may still not send, in milliseconds; 0: none was. */
  readonly pausedMs: () => number;
  /** Requests a second that may be sent with the token that the platform limits most; undefined while none is used. */
  readonly lowestRate: () => number | undefined;
  /** Requests that wait for the rate limit. */
  readonly waiting: () => number;
  /** Kind → milliseconds since its watch showed a sign of life. */
  readonly silentMs: () => ReadonlyMap<string, number>;
  /** How many spans never reached their collector. */
  readonly droppedSpans: () => number;
  /** Kind → how many objects stayed on the platform when their resources went. */
  readonly orphans: () => ReadonlyMap<string, number>;
  readonly queue: () => MeasuredQueue;
}
