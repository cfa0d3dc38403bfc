/**
 * The operator's own metrics. No label holds a name, id, URL or message: the number of series does not grow with the
 * objects.
 */
import { Counter, type Registry } from "prom-client";

import type { Change } from "../../engine/context/context.ts";
import type { CallRecord } from "../../platform/client/caller.ts";
import { instruments } from "./instruments.ts";

const PREFIX = "platform_operator";
/** The statuses that the client distinguishes or deployed services send; a platform may send hundreds of others. */
const STATUSES: ReadonlySet<number> = new Set([
  0, 200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 502, 503, 504,
]);
/** Seconds; a read ends within 15, a write within 8 (docs/architecture.md §8). */
const CALL_SECONDS = [0.1, 0.5, 1, 5, 15];

/** The sources of these metrics; functions are called at each scrape. */
export interface PlatformFigures {
  readonly version: string;
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
}

export function platformMetrics(registry: Registry, figures: PlatformFigures) {
  const { counter, gauge, histogram, gaugeFunc, collectedGauge } = instruments(registry);
  const build = gauge(`${PREFIX}_build_info`, "Version of the operator and of Node", ["version", "node"]);
  build.set({ version: figures.version, node: process.versions.node }, 1);
  const requests = counter(
    `${PREFIX}_api_requests_total`,
    "Requests to the platform by operation, method and status code; code 0 stands for no answer, 4xx and the like for statuses that are unusual, held for requests that the rate gate held back",
    ["operation", "method", "code"],
  );
  const seconds = histogram(
    `${PREFIX}_api_request_duration_seconds`,
    "Time from sending a request to the platform to the end of its answer",
    ["operation"],
    CALL_SECONDS,
  );
  gaugeFunc(
    `${PREFIX}_api_rate_limited_seconds`,
    "Seconds until the last connection that the platform asked to slow down may send again",
    () => figures.pausedMs() / 1_000,
  );
  gaugeFunc(
    `${PREFIX}_api_rate_requests_per_second`,
    "Requests a second that the operator allows itself with the token that the platform limits most, as it has learned so far",
    figures.lowestRate,
  );
  gaugeFunc(
    `${PREFIX}_api_waiting_requests`,
    "Requests that wait for the rate limit; objects whose requests would wait too are in workqueue_depth",
    figures.waiting,
  );
  const changes = counter(
    `${PREFIX}_changes_total`,
    "Changing calls of the platform by the kind of the custom resource, the operation and how they ended",
    ["kind", "operation", "result"],
  );
  collectedGauge(
    `${PREFIX}_watch_last_event_age_seconds`,
    "Seconds since the API server last showed a sign of life on the watch of a kind",
    ["kind"],
    (silence) => {
      for (const [kind, ms] of figures.silentMs()) silence.set({ kind }, ms / 1_000);
    },
  );
  const unreadable = counter(
    `${PREFIX}_watch_malformed_total`,
    "Objects and events of the API server that could not be read",
    ["kind"],
  );
  const dropped = counter(`${PREFIX}_events_dropped_total`, "Events that were not written");
  const moved = counter(
    `${PREFIX}_events_moved_total`,
    "Events of namespaces that are being terminated, written to the operator's namespace",
  );
  const spans = new Counter({
    name: `${PREFIX}_spans_dropped_total`,
    help: "Spans of traces that did not reach their collector",
    registers: [registry],
    collect: () => {
      spans.reset();
      spans.inc(figures.droppedSpans());
    },
  });
  const deliveries = counter(
    `${PREFIX}_webhook_deliveries_total`,
    "Requests to the receiver of the platform's deliveries, by event and by what became of them",
    ["event", "result"],
  );
  return {
    /** Counts a request to the platform, or one that the rate gate prevented. */
    called: ({ operation, method, status, sent, durationMs }: CallRecord) => {
      requests.inc({ operation, method, code: sent ? codeOf(status) : "held" });
      if (sent) seconds.observe({ operation }, durationMs / 1_000);
    },
    /** Counts a mutating call and its result. */
    changed: ({ key, op, result }: Change) => changes.inc({ kind: key.kind, operation: op, result }),
    eventDropped: () => dropped.inc(),
    /** Counts an event that was written to the operator's namespace, as its own is being terminated. */
    eventMoved: () => moved.inc(),
    malformed: (kind: string) => unreadable.inc({ kind }),
    /** Counts a request to the receiver of deliveries; event "none" where its body was not read. */
    delivered: (event: string, result: string) => deliveries.inc({ event, result }),
  };
}

function codeOf(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
