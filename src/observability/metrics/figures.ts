import type { Cache } from "../../kube/api/types.ts";
import type { MeasuredQueue } from "./queue.ts";

/** The sources of the metrics; functions are called at each scrape. */
export interface Figures {
  readonly version: string;
  readonly kinds: readonly string[];
  readonly workers: number;
  /** Whether to serve a series for each object. */
  readonly perObject: boolean;
  readonly now: () => Date;
  readonly cache: () => Cache;
  readonly leading: () => boolean;
  /** The longest time for which a connection may not send yet after a 429, in milliseconds; 0 if none waits. */
  readonly pausedMs: () => number;
  /** The lowest rate of all tokens, in requests per second; undefined while none is used. */
  readonly lowestRate: () => number | undefined;
  /** Requests that wait for the rate limit. */
  readonly waiting: () => number;
  /** Kind → milliseconds since the last sign of life of its watch. */
  readonly silentMs: () => ReadonlyMap<string, number>;
  /** The number of spans that never reached their collector. */
  readonly droppedSpans: () => number;
  /** Kind → the number of objects that stayed on the platform when their resources were deleted. */
  readonly orphans: () => ReadonlyMap<string, number>;
  readonly queue: () => MeasuredQueue;
}
