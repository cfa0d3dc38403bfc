/**
 * The operator's own metrics. No label holds a name, id, URL or message: the number of series does not grow with the
 * objects.
 */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

import type { Change } from "../../engine/context/context.ts";
import type { CallRecord } from "../../platform/client/caller.ts";
import type { Figures } from "./figures.ts";

const PREFIX = "platform_operator";
/** The statuses that the client distinguishes or deployed services send; a platform may send hundreds of others. */
const STATUSES: ReadonlySet<number> = new Set([
  0, 200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 502, 503, 504,
]);
/** Seconds; a read ends within 15, a write within 8 (docs/architecture.md §8). */
const CALL_SECONDS = [0.1, 0.5, 1, 5, 15];

export interface PlatformMetrics {
  /** A request to the platform, or one that the rate gate prevented. */
  readonly called: (call: CallRecord) => void;
  /** A mutating call and its result. */
  readonly changed: (change: Change) => void;
  readonly eventDropped: () => void;
  /** Counts an event that was written to the operator's namespace, as its own is being terminated. */
  readonly eventMoved: () => void;
  readonly malformed: (kind: string) => void;
  /** Counts a request to the receiver of deliveries; event "none" where its body was not read. */
  readonly delivered: (event: string, result: string) => void;
}

export function platformMetrics(
  registry: Registry,
  figures: Pick<Figures, "version" | "pausedMs" | "lowestRate" | "waiting" | "silentMs" | "droppedSpans">,
): PlatformMetrics {
  const registers = [registry];
  const build = new Gauge({
    name: `${PREFIX}_build_info`,
    help: "Version of the operator and of Node",
    labelNames: ["version", "node"],
    registers,
  });
  build.set({ version: figures.version, node: process.versions.node }, 1);
  const requests = new Counter({
    name: `${PREFIX}_api_requests_total`,
    help: "Requests to the platform by operation, method and status code; code 0 stands for no answer, 4xx and the like for statuses that are unusual, held for requests that the rate gate held back",
    labelNames: ["operation", "method", "code"],
    registers,
  });
  const seconds = new Histogram({
    name: `${PREFIX}_api_request_duration_seconds`,
    help: "Time from sending a request to the platform to the end of its answer",
    labelNames: ["operation"],
    buckets: CALL_SECONDS,
    registers,
  });
  const limited = new Gauge({
    name: `${PREFIX}_api_rate_limited_seconds`,
    help: "Seconds until the last connection that the platform asked to slow down may send again",
    registers,
    collect: () => {
      limited.set(figures.pausedMs() / 1_000);
    },
  });
  const rate = new Gauge({
    name: `${PREFIX}_api_rate_requests_per_second`,
    help: "Requests a second that the operator allows itself with the token that the platform limits most, as it has learned so far",
    registers,
    collect: () => {
      const lowest = figures.lowestRate();
      if (lowest === undefined) rate.remove();
      else rate.set(lowest);
    },
  });
  const waiting = new Gauge({
    name: `${PREFIX}_api_waiting_requests`,
    help: "Requests that wait for the rate limit; objects whose requests would wait too are in workqueue_depth",
    registers,
    collect: () => {
      waiting.set(figures.waiting());
    },
  });
  const changes = new Counter({
    name: `${PREFIX}_changes_total`,
    help: "Changing calls of the platform by the kind of the custom resource, the operation and how they ended",
    labelNames: ["kind", "operation", "result"],
    registers,
  });
  const silence = new Gauge({
    name: `${PREFIX}_watch_last_event_age_seconds`,
    help: "Seconds since the API server last showed a sign of life on the watch of a kind",
    labelNames: ["kind"],
    registers,
    collect: () => {
      for (const [kind, ms] of figures.silentMs()) silence.set({ kind }, ms / 1_000);
    },
  });
  const unreadable = new Counter({
    name: `${PREFIX}_watch_malformed_total`,
    help: "Objects and events of the API server that could not be read",
    labelNames: ["kind"],
    registers,
  });
  const dropped = new Counter({
    name: `${PREFIX}_events_dropped_total`,
    help: "Events that were not written",
    registers,
  });
  const moved = new Counter({
    name: `${PREFIX}_events_moved_total`,
    help: "Events of namespaces that are being terminated, written to the operator's namespace",
    registers,
  });
  const spans = new Counter({
    name: `${PREFIX}_spans_dropped_total`,
    help: "Spans of traces that did not reach their collector",
    registers,
    collect: () => {
      spans.reset();
      spans.inc(figures.droppedSpans());
    },
  });
  const deliveries = new Counter({
    name: `${PREFIX}_webhook_deliveries_total`,
    help: "Requests to the receiver of the platform's deliveries, by event and by what became of them",
    labelNames: ["event", "result"],
    registers,
  });
  return {
    called: ({ operation, method, status, sent, durationMs }) => {
      requests.inc({ operation, method, code: sent ? codeOf(status) : "held" });
      if (sent) seconds.observe({ operation }, durationMs / 1_000);
    },
    changed: ({ key, op, result }) => {
      changes.inc({ kind: key.kind, operation: op, result });
    },
    eventDropped: () => {
      dropped.inc();
    },
    eventMoved: () => {
      moved.inc();
    },
    malformed: (kind) => {
      unreadable.inc({ kind });
    },
    delivered: (event, result) => {
      deliveries.inc({ event, result });
    },
  };
}

function codeOf(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
