/** The metrics of controller-runtime, with its names, labels and buckets (pkg/metrics, pkg/internal). */
import { exponentialBuckets, type Registry } from "prom-client";

import { LEASE_NAME, OPERATOR } from "../../config/names.ts";
import type { EndedRequest } from "../../kube/api/client.ts";
import type { QueueMetrics, WorkQueue } from "../../kube/queue/workqueue.ts";
import { instruments } from "./instruments.ts";

const RESULTS = ["success", "error", "requeue", "requeue_after"] as const;
/** The outcome of a reconcile. */
export type ResultLabel = (typeof RESULTS)[number];
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** The buckets of client-go (k8s.io/component-base/metrics/prometheus/restclient). */
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** 10 ns to 1,000 s. */
const QUEUE_SECONDS = exponentialBuckets(10e-9, 10, 12);

export type ReconcileMetrics = ReturnType<typeof reconcileMetrics>;

/**
 * controller_runtime_*. A controller is named by its kind in lower case.
 * @param kinds every kind, so that all series exist from the start
 */
export function reconcileMetrics(registry: Registry, kinds: readonly string[], workers: number) {
  const { counter, gauge, histogram } = instruments(registry);
  const labelNames = ["controller"] as const;
  const total = counter("controller_runtime_reconcile_total", ["controller", "result"]);
  const errors = counter("controller_runtime_reconcile_errors_total", labelNames);
  const terminal = counter("controller_runtime_terminal_reconcile_errors_total", labelNames);
  const panics = counter("controller_runtime_reconcile_panics_total", labelNames);
  const timeouts = counter("controller_runtime_reconcile_timeouts_total", labelNames);
  const durations = histogram("controller_runtime_reconcile_time_seconds", labelNames, RECONCILE_SECONDS);
  const maxWorkers = gauge("controller_runtime_max_concurrent_reconciles", labelNames);
  const active = gauge("controller_runtime_active_workers", labelNames);
  for (const controller of kinds.map(controllerOf)) {
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    for (const metric of [errors, terminal, panics, timeouts]) metric.inc({ controller }, 0);
    durations.zero({ controller });
    maxWorkers.set({ controller }, workers);
    active.set({ controller }, 0);
  }
  return {
    started: (kind: string) => active.inc({ controller: controllerOf(kind) }),
    finished: (kind: string, result: ResultLabel, seconds: number) => {
      const controller = controllerOf(kind);
      active.dec({ controller });
      total.inc({ controller, result });
      durations.observe({ controller }, seconds);
      if (result === "error") errors.inc({ controller });
    },
    /** Counts an unexpected error. */
    panicked: (kind: string) => panics.inc({ controller: controllerOf(kind) }),
  };
}

function controllerOf(kind: string): string {
  return kind.toLowerCase();
}

/** The figures of a queue. */
export type MeasuredQueue = Pick<WorkQueue, "depth" | "unfinishedSeconds" | "longestRunningSeconds">;

/**
 * workqueue_*. controller-runtime names a queue by its controller; here a single queue serves all kinds.
 * @param queue is called at each scrape
 */
export function queueMetrics(registry: Registry, queue: () => MeasuredQueue): QueueMetrics {
  const { counter, histogram, gaugeFunc } = instruments(registry);
  const labelNames = ["name", "controller"] as const;
  const labels = { name: OPERATOR, controller: OPERATOR };
  gaugeFunc("workqueue_depth", () => queue().depth(), { ...labels, priority: "" });
  gaugeFunc("workqueue_unfinished_work_seconds", () => queue().unfinishedSeconds(), labels);
  gaugeFunc("workqueue_longest_running_processor_seconds", () => queue().longestRunningSeconds(), labels);
  const adds = counter("workqueue_adds_total", labelNames);
  const retries = counter("workqueue_retries_total", labelNames);
  const waits = histogram("workqueue_queue_duration_seconds", labelNames, QUEUE_SECONDS);
  const works = histogram("workqueue_work_duration_seconds", labelNames, QUEUE_SECONDS);
  for (const metric of [adds, retries]) metric.inc(labels, 0);
  for (const metric of [waits, works]) metric.zero(labels);
  return {
    added: () => adds.inc(labels),
    retried: () => retries.inc(labels),
    waited: (seconds) => waits.observe(labels, seconds),
    worked: (seconds) => works.observe(labels, seconds),
  };
}

/** rest_client_* and leader_election_*. @param leading is called at each scrape */
export function apiServerMetrics(registry: Registry, leading: () => boolean) {
  const { counter, gaugeFunc, histogram } = instruments(registry);
  const seconds = histogram("rest_client_request_duration_seconds", ["verb", "host"], REQUEST_SECONDS);
  const requests = counter("rest_client_requests_total", ["code", "method", "host"]);
  gaugeFunc("leader_election_master_status", () => (leading() ? 1 : 0), { name: LEASE_NAME });
  const slow = counter("leader_election_slowpath_total", ["name"]);
  slow.inc({ name: LEASE_NAME }, 0);
  return {
    requested: ({ code, method, host, durationMs }: EndedRequest) => {
      requests.inc({ code, method, host });
      seconds.observe({ verb: method, host }, durationMs / 1_000);
    },
    /** Counts a failed attempt to get or renew the lease. */
    leaseFailed: () => slow.inc({ name: LEASE_NAME }),
  };
}
