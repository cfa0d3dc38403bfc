/** All metrics, on one registry. */
import { totalmem } from "node:os";

import { collectDefaultMetrics, Registry } from "prom-client";

import type { StoreChange } from "../../kube/watch/store.ts";
import { applyMetrics, type ApplyFigures } from "./applies.ts";
import { apiServerMetrics, queueMetrics, reconcileMetrics, type MeasuredQueue } from "./controller-runtime.ts";
import { instruments } from "./instruments.ts";
import { objectMetrics, type ObjectFigures } from "./objects.ts";
import { operationMetrics, type OperationFigures } from "./operations.ts";
import { platformMetrics, type PlatformFigures } from "./platform.ts";

/** The sources of the metrics. */
export interface Figures extends ObjectFigures, OperationFigures, ApplyFigures, PlatformFigures {
  readonly workers: number;
  /** Is called at each scrape. */
  readonly queue: () => MeasuredQueue;
}

/** The functions by which the operator's parts report to the metrics. */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Metrics of Node that are removed: two dozen series that no dashboard of the operator uses, and those from files under
 * /proc, which the operator may not read (scripts/image.ts), so that they would stay 0.
 */
const UNWANTED =
  /^(nodejs_(active|heap_space_size|eventloop_utilization)_|process_(heap|resident_memory|virtual_memory)_|process_(max|open)_fds)/;

/**
 * The sampling interval of Node's histogram of the event loop's delay. The metrics of the lag include it. Each sample
 * wakes the process: at prom-client's 10 ms an idle operator needed 1.3 percent of a core, at 50 ms 0.8.
 */
const LAG_RESOLUTION_MS = 50;

/**
 * Registers all metrics in a registry of their own.
 * @returns the registry, and the functions that report to the metrics
 */
export function createMetrics(figures: Figures) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_RESOLUTION_MS });
  for (const { name } of registry.getMetricsAsArray()) if (UNWANTED.test(name)) registry.removeSingleMetric(name);
  const { gaugeFunc } = instruments(registry);
  gaugeFunc("process_resident_memory_bytes", () => process.memoryUsage.rss());
  gaugeFunc("platform_operator_memory_limit_bytes", () => {
    const bytes = process.constrainedMemory();
    return bytes > 0 && bytes < totalmem() ? bytes : undefined;
  });
  const objects = objectMetrics(registry, figures);
  const operations = operationMetrics(registry, figures);
  const applies = applyMetrics(registry, figures);
  return {
    registry,
    reconcile: reconcileMetrics(registry, figures.kinds, figures.workers),
    queue: queueMetrics(registry, figures.queue),
    cluster: apiServerMetrics(registry, figures.leading),
    platform: platformMetrics(registry, figures),
    /** Measures the time to the first request to the platform. @param key of the object that is being reconciled */
    called: applies.called,
    /** Receives every change of the cache. */
    changed: (change: StoreChange) => {
      objects(change);
      operations(change);
      applies.changed(change);
    },
  };
}
