/** Many settled applications: what they cost while nothing changes, and how fast single changes are sent. */
import { setTimeout as sleep } from "node:timers/promises";

import { edit } from "./applications.ts";
import { cpuMsOf, type Figures, journal, measure, memoryOf, watchStalls } from "./figures.ts";
import type { Rig, Rival } from "./rig.ts";

const EDITS = 200;
const EDIT_EVERY_MS = 100;
const CHURN_EDITS = 600;
const CHURN_EVERY_MS = 50;
const IDLE_MS = 60_000;

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly missing: number;
}

export interface ManyFigures {
  /** CPU time in the first three seconds, in milliseconds, and the maximum memory until then, in MiB. */
  readonly startCpuMs: number;
  readonly startPeakMiB: number;
  /** The longest time without an answer of the health endpoint, in milliseconds; only the operator has one. */
  readonly longestStallMs: number | undefined;
  readonly idleReadsPerSecond: number;
  /** Reads of ingresses among them. */
  readonly idleIngressReadsPerSecond: number;
  readonly idleCpuPercent: number;
  readonly rssMiB: number;
  /** From the edit of a commit to the request for it, in milliseconds. */
  readonly latency: Latency;
  /** Twenty edits a second: the cost of each, and its latency. */
  readonly churn: Figures & { readonly latency: Latency };
}

export interface ManyOptions {
  readonly rig: Rig;
  readonly subject: Rival;
  /** The namespace of the applications, which exist and are Ready. */
  readonly namespace: string;
  readonly many: number;
  /** A hexadecimal digit that no other subject has: it identifies the commits. */
  readonly digit: string;
}

/**
 * Measures a subject with many settled applications: a cold start, idle time, edits of single ones, and a steady
 * stream of edits.
 */
export async function manyOf(options: ManyOptions): Promise<ManyFigures> {
  const { rig, subject, namespace, digit } = options;
  const running = await rig.start(subject, namespace);
  const { pid } = running.sources;
  const stalls = watchStalls(running.healthUrl);
  await sleep(3_000);
  const startCpuMs = await cpuMsOf(pid);
  const { peakMiB: startPeakMiB } = await memoryOf(pid);
  await sleep(10_000);
  const longestStallMs = stalls();
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const before = await cpuMsOf(pid);
  await sleep(IDLE_MS);
  const idleCpuPercent = (100 * ((await cpuMsOf(pid)) - before)) / IDLE_MS;
  const reads = await journal(rig.controlUrl);
  const idleReadsPerSecond = reads.length / (IDLE_MS / 1_000);
  const ingresses = reads.filter(({ operation }) => operation === "getIngressDeploymentStatus");
  const latency = await latencyOf(options, digit.repeat(32), EDITS, EDIT_EVERY_MS);
  const { rssMiB } = await memoryOf(pid);
  let churned: Latency = { p50: NaN, p99: NaN, missing: CHURN_EDITS };
  const cost = await measure(running.sources, CHURN_EDITS, async () => {
    churned = await latencyOf(options, `${digit}c`.repeat(16), CHURN_EDITS, CHURN_EVERY_MS);
  });
  await running.stop();
  return {
    startCpuMs,
    startPeakMiB,
    longestStallMs,
    idleReadsPerSecond,
    idleIngressReadsPerSecond: ingresses.length / (IDLE_MS / 1_000),
    idleCpuPercent,
    rssMiB,
    latency,
    churn: { ...cost, latency: churned },
  };
}

/**
 * Edits single applications at a steady pace, without waiting for results.
 * @param commit the first 32 digits of the commits
 */
async function latencyOf(
  { rig, namespace, many }: ManyOptions,
  commit: string,
  count: number,
  everyMs: number,
): Promise<Latency> {
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const sent = new Map<string, number>();
  const edits: Promise<void>[] = [];
  const from = performance.now();
  for (let index = 0; index < count; index += 1) {
    const name = `app-${String((index * 17) % many)}`;
    const gitCommitId = `${commit}${String(index).padStart(8, "0")}`;
    edits.push(edit(rig, namespace, name, gitCommitId).then((at) => void sent.set(gitCommitId, at)));
    await sleep(Math.max(0, from + (index + 1) * everyMs - performance.now()));
  }
  await Promise.all(edits);
  await sleep(5_000);
  const took = (await journal(rig.controlUrl)).flatMap(({ at, body }) => {
    const sentAt = sent.get(body?.git_commit_id ?? "");
    return sentAt === undefined ? [] : [Date.parse(at) - sentAt];
  });
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), missing: count - took.length };
}
