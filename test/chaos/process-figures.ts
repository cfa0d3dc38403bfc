/** Measurements of the operator's process, from /proc and its metrics. */
import { readdir, readFile } from "node:fs/promises";

const MB = 1_024 * 1_024;

export interface ProcessFigures {
  /** Resident memory and its peak, in MiB. */
  readonly residentMb: number;
  readonly peakMb: number;
  /** Open files and sockets. */
  readonly descriptors: number;
  readonly heapMb: number;
  /** The 99th percentile of the event loop's lag, in milliseconds. */
  readonly lagMs: number;
}

/** @throws Error if the process is gone */
export async function figuresOf(operator: {
  readonly pid: number;
  readonly metricsUrl: string;
}): Promise<ProcessFigures> {
  const [status, files, answer] = await Promise.all([
    readFile(`/proc/${operator.pid}/status`, "utf8"),
    readdir(`/proc/${operator.pid}/fd`),
    fetch(`${operator.metricsUrl}/metrics`),
  ]);
  const metrics = await answer.text();
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
  const metric = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, "m").exec(metrics)?.[1]);
  return {
    residentMb: kilobytes("VmRSS") / 1_024,
    peakMb: kilobytes("VmHWM") / 1_024,
    descriptors: files.length,
    heapMb: metric("nodejs_heap_size_used_bytes") / MB,
    lagMs: metric("nodejs_eventloop_lag_p99_seconds") * 1_000,
  };
}
