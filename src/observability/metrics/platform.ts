/**
 * The operator's own metrics. No label holds a name, id, URL or message: the number of series does not grow with the
 * objects.
 */
import type { Registry } from "prom-client";

import type { ChangeRecord } from "../../engine/context/context.ts";
import type { CallRecord } from "../../platform/client/caller.ts";
import type { Budget } from "../../platform/rate/gate.ts";
import { instruments } from "./instruments.ts";

/** The statuses that the client distinguishes or deployed services send; a platform may send hundreds more. */
const STATUSES: ReadonlySet<number> = new Set([
  0, 200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 422, 429, 500, 501, 502, 503, 504,
]);
/** Seconds; a read ends within 15, a write within 8 (DEFAULT_DEADLINES). */
const CALL_SECONDS = [0.1, 0.5, 1, 5, 15];

/** The sources of these metrics; functions are called at each scrape. */
export interface PlatformFigures {
  readonly version: string;
  /** The budget of each token that is used. */
  readonly budgets: () => readonly Budget[];
  /** Kind → milliseconds since the last sign of life of its watch. */
  readonly silentMs: () => ReadonlyMap<string, number>;
  /** The number of watched namespaces that cannot be read. */
  readonly notServed: () => number;
  /** The number of other releases of the operator that watch the same namespaces. */
  readonly overlapping: () => number;
}

/**
 * Registers the metrics of the requests to the platform, of the watches and of the events.
 * @returns the functions that count
 */
export function platformMetrics(registry: Registry, figures: PlatformFigures) {
  const { counter, gauge, histogram, gaugeFunc, collectedGauge } = instruments(registry);
  const build = gauge("platform_operator_build_info", ["version", "node"]);
  build.set({ version: figures.version, node: process.versions.node }, 1);
  const requests = counter("platform_operator_api_requests_total", ["operation", "method", "code"]);
  const seconds = histogram("platform_operator_api_request_duration_seconds", ["operation"], CALL_SECONDS);
  const { budgets } = figures;
  gaugeFunc(
    "platform_operator_api_rate_limited_seconds",
    () => Math.max(0, ...budgets().map(({ pausedMs }) => pausedMs)) / 1_000,
  );
  gaugeFunc("platform_operator_api_rate_requests_per_second", () => {
    const rates = budgets().map(({ requestsPerSecond }) => requestsPerSecond);
    return rates.length === 0 ? undefined : Math.min(...rates);
  });
  gaugeFunc("platform_operator_api_waiting_requests", () => budgets().reduce((sum, { waiting }) => sum + waiting, 0));
  const changes = counter("platform_operator_changes_total", ["kind", "operation", "result"]);
  collectedGauge("platform_operator_watch_last_event_age_seconds", ["kind"], (silence) => {
    for (const [kind, ms] of figures.silentMs()) silence.set({ kind }, ms / 1_000);
  });
  gaugeFunc("platform_operator_namespaces_not_served", figures.notServed);
  gaugeFunc("platform_operator_overlapping_releases", figures.overlapping);
  const unreadable = counter("platform_operator_watch_malformed_total", ["kind"]);
  const dropped = counter("platform_operator_events_dropped_total");
  const moved = counter("platform_operator_events_moved_total");
  const deliveries = counter("platform_operator_webhook_deliveries_total", ["event", "result"]);
  return {
    /** Counts a request to the platform, or one that the rate gate prevented. */
    called: ({ operation, method, status, sent, durationMs }: CallRecord) => {
      requests.inc({ operation, method, code: sent ? codeOf(status) : "held" });
      if (sent) seconds.observe({ operation }, durationMs / 1_000);
    },
    /** Counts a mutating call and its result. */
    changed: ({ key, op, result }: ChangeRecord) => changes.inc({ kind: key.kind, operation: op, result }),
    eventDropped: () => dropped.inc(),
    /** Counts an event that was written to the operator's namespace because its own is being terminated. */
    eventMoved: () => moved.inc(),
    malformed: (kind: string) => unreadable.inc({ kind }),
    /** Counts a request to the receiver of deliveries; event "none" where its body was not read. */
    delivered: (event: string, result: string) => deliveries.inc({ event, result }),
  };
}

function codeOf(status: number): string {
  return STATUSES.has(status) ? String(status) : `${Math.floor(status / 100)}xx`;
}
