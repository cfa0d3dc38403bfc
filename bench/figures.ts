/** The cost of a phase, as counted by the servers and the kernel, not by the operator itself. */
import { readdir, readFile, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { isWrite, parseAudit } from "../test/control-plane/audit.ts";

/** Figures per object, except time and memory. */
export interface Figures {
  /** From the first request of the phase until the last object is Ready. */
  readonly seconds: number;
  /** CPU time of the subject, in milliseconds. */
  readonly cpuMs: number;
  /** CPU time of kube-apiserver, in milliseconds. */
  readonly apiServerMs: number;
  readonly platformCalls: number;
  /** Writes of custom resources. */
  readonly kubernetesWrites: number;
  /** GETs of custom resources. */
  readonly kubernetesGets: number;
  readonly events: number;
  /** Resident memory of the subject at the end of the phase, and its maximum so far, in MiB. */
  readonly rssMiB: number;
  readonly peakMiB: number;
}

export interface Sources {
  /** The subject's process. */
  readonly pid: number;
  /** The subject's user name in the audit log. */
  readonly user: string;
  readonly auditLogPath: string;
  readonly apiServerPid: number;
  /** The control endpoint of the simulated platform. */
  readonly controlUrl: string;
}

const Journal = z.array(
  z.object({
    operation: z.string().nullable(),
    at: z.string(),
    status: z.number().nullable(),
    body: z.object({ git_commit_id: z.string().optional() }).nullable().catch(null),
  }),
);

/** Returns the calls that the platform received since its journal was cleared. */
export async function journal(controlUrl: string): Promise<z.infer<typeof Journal>> {
  return Journal.parse(await (await fetch(`${controlUrl}/journal?is=call`)).json());
}

/** The API server writes its audit log in batches. */
const AUDIT_BATCH_MS = 1_500;
/** A subject may write its events after the last object is Ready: 3 s after 1,000 creates. They belong to the phase. */
const LATE_EVENTS_MS = 5_000;

/** Measures a phase of `objects` objects. @param phase resolves when all of them are Ready */
export async function measure(sources: Sources, objects: number, phase: () => Promise<void>): Promise<Figures> {
  const { apiServerPid, auditLogPath, controlUrl, pid, user } = sources;
  await sleep(AUDIT_BATCH_MS);
  const { size } = await stat(auditLogPath);
  await fetch(`${controlUrl}/journal`, { method: "DELETE" });
  const cpuBefore = [await cpuMsOf(pid), await cpuMsOf(apiServerPid)] as const;
  const startedAt = performance.now();
  await phase();
  const seconds = (performance.now() - startedAt) / 1_000;
  const memory = await memoryOf(pid);
  await sleep(LATE_EVENTS_MS);
  const cpuMs = (await cpuMsOf(pid)) - cpuBefore[0];
  const apiServerMs = (await cpuMsOf(apiServerPid)) - cpuBefore[1];
  await sleep(AUDIT_BATCH_MS);
  const calls = await journal(controlUrl);
  const audit = parseAudit((await readFile(auditLogPath)).subarray(size).toString().trimEnd().split("\n"), user);
  const ofCustomResources = audit.filter(({ objectRef }) => objectRef?.apiGroup === "platform-operator.io");
  const each = (count: number): number => count / objects;
  return {
    seconds,
    cpuMs: each(cpuMs),
    apiServerMs: each(apiServerMs),
    platformCalls: each(calls.length),
    kubernetesWrites: each(ofCustomResources.filter(isWrite).length),
    kubernetesGets: each(ofCustomResources.filter(({ verb }) => verb === "get").length),
    events: each(audit.filter((one) => one.objectRef?.resource === "events" && isWrite(one)).length),
    ...memory,
  };
}

/** Returns the pid of a program with this argument. @throws Error when there is none */
export async function pidOf(program: string, argument: string): Promise<number> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.split("\0")[0]?.endsWith(`/${program}`) === true && line.includes(argument)) return Number(pid);
  }
  throw new Error(`there is no ${program} with ${argument}`);
}

/** Returns the CPU time that a process has used, in milliseconds; the kernel counts in units of 10 ms (proc(5)). */
export async function cpuMsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${String(pid)}/stat`, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Returns the resident memory of a process and its maximum so far, in MiB. */
export async function memoryOf(pid: number): Promise<Pick<Figures, "rssMiB" | "peakMiB">> {
  const text = await readFile(`/proc/${String(pid)}/status`, "utf8");
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) / 1_024;
  return { rssMiB: mib("VmRSS"), peakMiB: mib("VmHWM") };
}

/**
 * Requests the health endpoint continuously.
 * @returns a function that stops it, and returns the longest wait for an answer in milliseconds; undefined without an
 * endpoint
 */
export function watchStalls(url: string | undefined): () => number | undefined {
  if (url === undefined) return () => undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  let longest = 0;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const from = performance.now();
      await (await fetch(`${url}/healthz`, { signal })).text();
      longest = Math.max(longest, performance.now() - from);
      await sleep(2);
    }
  };
  run().catch(() => {});
  return () => {
    stopping.abort();
    return longest;
  };
}
