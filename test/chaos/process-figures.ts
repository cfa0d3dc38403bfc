/** Measurements of the operator's process, from /proc and its metrics. */
import { readdir, readFile } from "node:fs/promises";

import type { RunningOperator } from "../support/env/operator.ts";
import { metricsOf } from "../support/env/secrets.ts";

const MB = 1_024 * 1_024;

export type ProcessFigures = Awaited<ReturnType<typeof figuresOf>>;

/** @throws Error if the process is gone */
export async function figuresOf(operator: RunningOperator) {
  const [status, files, metrics] = await Promise.all([
    readFile(`/proc/${operator.pid}/status`, "utf8"),
    readdir(`/proc/${operator.pid}/fd`),
    metricsOf(operator),
  ]);
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1]);
  return {
    /** Resident memory and its peak, in MiB. */
    residentMb: kilobytes("VmRSS") / 1_024,
    peakMb: kilobytes("VmHWM") / 1_024,
    /** Open files and sockets. */
    descriptors: files.length,
    heapMb: metric("nodejs_heap_size_used_bytes") / MB,
    /** The 99th percentile of the event loop's lag, in milliseconds. */
    lagMs: metric("nodejs_eventloop_lag_p99_seconds") * 1_000,
  };
}
