/** workqueue_*, with the names, labels and buckets of controller-runtime (pkg/internal/metrics/workqueue.go). */
import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "prom-client";

import type { QueueMetrics, WorkQueue } from "../../kube/queue/workqueue.ts";

/** 10 ns to 1,000 s. */
const QUEUE_SECONDS = exponentialBuckets(10e-9, 10, 12);

/** The figures of a queue. */
export type MeasuredQueue = Pick<WorkQueue, "depth" | "unfinishedSeconds" | "longestRunningSeconds">;

/** @param queue is read at each scrape */
export function queueMetrics(registry: Registry, name: string, queue: () => MeasuredQueue): QueueMetrics {
  const registers = [registry];
  const labelNames = ["name", "controller"] as const;
  const labels = { name, controller: name };
  const measured = (metric: string, help: string, read: () => number): void => {
    const gauge = new Gauge({
      name: metric,
      help,
      labelNames,
      registers,
      collect: () => {
        gauge.set(labels, read());
      },
    });
  };
  const depth = new Gauge({
    name: "workqueue_depth",
    help: "Current depth of workqueue by workqueue and priority",
    labelNames: ["name", "controller", "priority"],
    registers,
    collect: () => {
      depth.set({ ...labels, priority: "" }, queue().depth());
    },
  });
  const counter = (metric: string, help: string) => {
    const made = new Counter({ name: metric, help, labelNames, registers });
    made.inc(labels, 0);
    return made;
  };
  const histogram = (metric: string, help: string) => {
    const made = new Histogram({ name: metric, help, labelNames, buckets: QUEUE_SECONDS, registers });
    made.zero(labels);
    return made;
  };
  const adds = counter("workqueue_adds_total", "Total number of adds handled by workqueue");
  const waits = histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
  );
  const works = histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes.",
  );
  const retries = counter("workqueue_retries_total", "Total number of retries handled by workqueue");
  measured(
    "workqueue_unfinished_work_seconds",
    "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    () => queue().unfinishedSeconds(),
  );
  measured(
    "workqueue_longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.",
    () => queue().longestRunningSeconds(),
  );
  return {
    added: () => {
      adds.inc(labels);
    },
    retried: () => {
      retries.inc(labels);
    },
    waited: (took) => {
      waits.observe(labels, took);
    },
    worked: (took) => {
      works.observe(labels, took);
    },
  };
}
