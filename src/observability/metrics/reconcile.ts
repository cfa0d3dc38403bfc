/** controller_runtime_*, with the names, labels and buckets of controller-runtime (pkg/internal/controller/metrics). */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

import type { Outcome } from "../../kube/queue/controller.ts";

const RESULTS = ["success", "error", "requeue", "requeue_after"] as const satisfies readonly Outcome[];
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Returns the lower-case kind, as controller-runtime names controllers. */
export function controllerOf(kind: string): string {
  return kind.toLowerCase();
}

export interface ReconcileMetrics {
  started(kind: string): void;
  finished(kind: string, outcome: Outcome, seconds: number): void;
  /** Counts an unexpected error. */
  panicked(kind: string): void;
}

/** @param kinds every kind, so that all series exist from the start */
export function reconcileMetrics(registry: Registry, kinds: readonly string[], workers: number): ReconcileMetrics {
  const registers = [registry];
  const labelNames = ["controller"] as const;
  const total = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Total number of reconciliations per controller",
    labelNames: ["controller", "result"],
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const errors = counter(
    "controller_runtime_reconcile_errors_total",
    "Total number of reconciliation errors per controller",
  );
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Total number of terminal reconciliation errors per controller",
  );
  const panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Total number of reconciliation panics per controller",
  );
  const timeouts = counter(
    "controller_runtime_reconcile_timeouts_total",
    "Total number of reconciliation timeouts per controller",
  );
  const seconds = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of time per reconciliation per controller",
    labelNames,
    buckets: RECONCILE_SECONDS,
    registers,
  });
  const most = new Gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles per controller",
    labelNames,
    registers,
  });
  const active = new Gauge({
    name: "controller_runtime_active_workers",
    help: "Number of currently used workers per controller",
    labelNames,
    registers,
  });

  for (const controller of kinds.map(controllerOf)) {
    for (const result of RESULTS) total.inc({ controller, result }, 0);
    for (const metric of [errors, terminal, panics, timeouts]) metric.inc({ controller }, 0);
    seconds.zero({ controller });
    most.set({ controller }, workers);
    active.set({ controller }, 0);
  }
  return {
    started: (kind) => {
      active.inc({ controller: controllerOf(kind) });
    },
    finished: (kind, result, took) => {
      const controller = controllerOf(kind);
      active.dec({ controller });
      total.inc({ controller, result });
      seconds.observe({ controller }, took);
      if (result === "error") errors.inc({ controller });
    },
    panicked: (kind) => {
      panics.inc({ controller: controllerOf(kind) });
    },
  };
}
