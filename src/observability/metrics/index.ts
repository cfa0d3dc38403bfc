/** All metrics, on one registry. */
import { collectDefaultMetrics, Registry } from "prom-client";

import type { StoreChange } from "../../kube/watch/store.ts";
import { LEASE_NAME, OPERATOR } from "../../operator/config/names.ts";
import { apiServerMetrics, queueMetrics, reconcileMetrics, type MeasuredQueue } from "./controller-runtime.ts";
import { instruments } from "./instruments.ts";
import { objectMetrics, type ObjectFigures } from "./objects.ts";
import { operationMetrics, type OperationFigures } from "./operations.ts";
import { platformMetrics, type PlatformFigures } from "./platform.ts";

/** The sources of the metrics. */
export interface Figures extends ObjectFigures, OperationFigures, PlatformFigures {
  readonly workers: number;
  /** Is called at each scrape. */
  readonly queue: () => MeasuredQueue;
}

/** What the parts of the operator report to the metrics. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Two dozen series of Node's that no dashboard of the operator uses, and those from files under /proc, which the
 * operator may not read (scripts/node-flags.ts): they would stay 0.
 */
const UNWANTED =
  /^(nodejs_(active|heap_space_size|eventloop_utilization)_|process_(heap|resident_memory|virtual_memory)_|process_(max|open)_fds)/;

export function createMetrics(figures: Figures) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (UNWANTED.test(name)) registry.removeSingleMetric(name);
  instruments(registry).gaugeFunc("process_resident_memory_bytes", () => process.memoryUsage.rss());
  const counted = objectMetrics(registry, figures);
  const followed = operationMetrics(registry, figures);
  return {
    registry,
    reconcile: reconcileMetrics(registry, figures.kinds, figures.workers),
    queue: queueMetrics(registry, OPERATOR, figures.queue),
    cluster: apiServerMetrics(registry, LEASE_NAME, figures.leading),
    platform: platformMetrics(registry, figures),
    /** Counts a change of the cache. */
    changed: (change: StoreChange) => {
      counted(change);
      followed(change);
    },
  };
}
