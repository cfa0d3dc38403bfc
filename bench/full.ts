/**
 * `make bench`: compares the operator with a controller written with controller-runtime (bench/peers) and the oracle,
 * in one run on one machine, in alternating rounds. Writes bench/results/<commit>.json and docs/performance.md. All
 * figures come from the servers and the kernel: audit log, the platform's journal, /proc.
 */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import type { JsonObject } from "../src/kube/api/types.ts";
import { createAll, edit, prepare, redeployAll, removeAll, UNLIMITED } from "./applications.ts";
import { cpuMsOf, type Figures, journal, measure, memoryOf, watchStalls } from "./figures.ts";
import { page } from "./page.ts";
import { buildPeer, type Rig, startRig, type Subject } from "./rig.ts";
import { tenantsOf, type TenantsFigures } from "./tenants.ts";

const text = { type: "string" } as const;
const { values: options } = parseArgs({
  options: {
    rounds: { ...text, default: "3" },
    applications: { ...text, default: "1000" },
    many: { ...text, default: "5000" },
    "node-flags": { ...text, default: "" },
  },
});
const root = join(import.meta.dirname, "..");
const rounds = Number(options.rounds);
const objects = Number(options.applications);
const many = Number(options.many);
const SUBJECTS = ["operator", "peer", "oracle"] as const;
type Rival = Exclude<Subject, "oracle">;
const EDITS = 200;
const EDIT_EVERY_MS = 100;
const IDLE_MS = 60_000;
/** The limit of the limiting platform in requests per second, and the number of applications created on it. */
const LIMIT = 20;
const LIMITED = 150;
/** The limits under which namespaces of different size compete. */
const LIMITS = [5, 20, 50];

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
  readonly idleCpuPercent: number;
  readonly rssMiB: number;
  /** From the edit of a commit to the request for it, in milliseconds. */
  readonly latency: Latency;
}

export interface LimitedFigures {
  readonly seconds: number;
  /** The least time for these calls under the platform's limit. */
  readonly boundSeconds: number;
  readonly calls: number;
  /** The percentage of requests that were refused with 429, of all and of those after the first ten seconds. */
  readonly refusedPercent: number;
  readonly lateRefusedPercent: number;
}

export interface Results {
  readonly commit: string;
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly nodeFlags: string;
  readonly rounds: number;
  readonly objects: number;
  readonly many: number;
  readonly create: Readonly<Record<Subject, readonly Figures[]>>;
  readonly redeploy: Readonly<Record<Subject, readonly Figures[]>>;
  readonly large: Readonly<Record<Rival, ManyFigures>>;
  readonly limited: Readonly<Record<Rival, LimitedFigures>>;
  readonly tenants: Readonly<Record<Rival, readonly TenantsFigures[]>>;
  /** Seconds until that number of applications is Ready, with a connection's default budget and with a large one. */
  readonly budget: { readonly applications: number; readonly ownSeconds: number; readonly largeSeconds: number };
  /** Resident memory with ten objects, in MiB. */
  readonly smallRssMiB: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

buildPeer();
const rig = await startRig({
  program: join(root, "dist/operator.js"),
  nodeFlags: options["node-flags"].split(" ").filter((flag) => flag !== ""),
  logFile: undefined,
});
try {
  const results: Results = {
    commit: git("rev-parse", "--short=12", "HEAD"),
    date: new Date().toISOString().slice(0, 10),
    machine: `${String(cpus().length)} × ${cpus()[0]?.model ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    versions: { node: process.version, go: execFileSync("go", ["version"], { encoding: "utf8" }).split(" ")[2] ?? "" },
    nodeFlags: options["node-flags"],
    rounds,
    objects,
    many,
    ...(await bursts()),
    budget: await budget(),
    limited: { operator: await limitedOf("operator"), peer: await limitedOf("peer") },
    tenants: { operator: await tenants("operator"), peer: await tenants("peer") },
    smallRssMiB: await small(),
    large: await large(),
  };
  await mkdir(join(root, "bench/results"), { recursive: true });
  await writeFile(join(root, `bench/results/${results.commit}.json`), `${JSON.stringify(results, undefined, 2)}\n`);
  await writeFile(join(root, "docs/performance.md"), page(results));
} finally {
  await rig.stop();
}

/** Runs the operator until the parents of applications are Ready in these namespaces. */
async function prepared(namespaces: readonly string[], rateLimit: JsonObject | undefined): Promise<void> {
  const operator = await rig.start("operator", "");
  for (const namespace of namespaces) await prepare(rig, namespace, rateLimit);
  await operator.stop();
}

/** Creates and redeploys, in alternating rounds of the subjects. */
async function bursts(): Promise<Pick<Results, "create" | "redeploy">> {
  const create: Record<Subject, Figures[]> = { operator: [], peer: [], oracle: [] };
  const redeploy: Record<Subject, Figures[]> = { operator: [], peer: [], oracle: [] };
  for (let round = 0; round < rounds; round += 1) {
    const turn = [...SUBJECTS.slice(round % 3), ...SUBJECTS.slice(0, round % 3)];
    await prepared(
      turn.map((subject) => `${subject}-${String(round)}`),
      UNLIMITED,
    );
    for (const subject of turn) {
      const namespace = `${subject}-${String(round)}`;
      const running = await rig.start(subject, namespace);
      const run = (phase: typeof createAll) =>
        measure(running.sources, objects, () => Promise.race([phase(rig, namespace, objects), running.failed]));
      create[subject].push(await run(createAll));
      redeploy[subject].push(await run(redeployAll));
      await running.stop();
      await removeAll(rig, namespace);
      const [made, again] = [create[subject].at(-1), redeploy[subject].at(-1)];
      say(`round ${String(round)} ${subject}: create ${JSON.stringify(made)} redeploy ${JSON.stringify(again)}`);
    }
  }
  return { create, redeploy };
}

/** Many settled objects: a cold start, idle time, and edits of single objects. */
async function large(): Promise<Results["large"]> {
  const namespace = "many";
  await prepared([namespace], UNLIMITED);
  const first = await rig.start("operator", namespace);
  await createAll(rig, namespace, many);
  await first.stop();
  return { operator: await manyOf("operator", namespace, "3"), peer: await manyOf("peer", namespace, "4") };
}

async function manyOf(subject: Rival, namespace: string, digit: string): Promise<ManyFigures> {
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
  const idleReadsPerSecond = (await journal(rig.controlUrl)).length / (IDLE_MS / 1_000);
  const latency = await latencyOf(rig, namespace, digit.repeat(40));
  const { rssMiB } = await memoryOf(pid);
  await running.stop();
  const figures = {
    startCpuMs,
    startPeakMiB,
    longestStallMs,
    idleReadsPerSecond,
    idleCpuPercent,
    rssMiB,
    latency,
  };
  say(`${String(many)} objects, ${subject}: ${JSON.stringify(figures)}`);
  return figures;
}

/** Edits single applications at a steady pace, without waiting for results. */
async function latencyOf(on: Rig, namespace: string, commit: string): Promise<Latency> {
  await fetch(`${on.controlUrl}/journal`, { method: "DELETE" });
  const sent = new Map<string, number>();
  const edits: Promise<void>[] = [];
  for (let index = 0; index < EDITS; index += 1) {
    const name = `app-${String((index * 17) % many)}`;
    const gitCommitId = `${commit.slice(8)}${String(index).padStart(8, "0")}`;
    edits.push(edit(on, namespace, name, gitCommitId).then((at) => void sent.set(gitCommitId, at)));
    await sleep(EDIT_EVERY_MS);
  }
  await Promise.all(edits);
  await sleep(5_000);
  const took = (await journal(on.controlUrl)).flatMap(({ at, body }) => {
    const sentAt = sent.get(body?.git_commit_id ?? "");
    return sentAt === undefined ? [] : [Date.parse(at) - sentAt];
  });
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), missing: EDITS - took.length };
}

/** Many creates on a platform that refuses requests above its limit. */
async function limitedOf(subject: Rival): Promise<LimitedFigures> {
  const namespace = `limited-${subject}`;
  await prepared([namespace], UNLIMITED);
  await setRate({ limit: LIMIT, windowSeconds: 1, reset: "seconds" });
  const running = await rig.start(subject, namespace);
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const from = Date.now();
  await createAll(rig, namespace, LIMITED);
  const seconds = (Date.now() - from) / 1_000;
  const calls = await journal(rig.controlUrl);
  const late = calls.filter(({ at }) => Date.parse(at) > from + 10_000);
  const refused = (of: typeof calls): number => of.filter(({ status }) => status === 429).length;
  const percent = (of: typeof calls): number => (100 * refused(of)) / Math.max(1, of.length);
  const figures = {
    seconds,
    boundSeconds: (calls.length - refused(calls)) / LIMIT,
    calls: calls.length,
    refusedPercent: percent(calls),
    lateRefusedPercent: percent(late),
  };
  await running.stop();
  await setRate(null);
  await removeAll(rig, namespace);
  say(`limited, ${subject}: ${JSON.stringify(figures)}`);
  return figures;
}

/** Namespaces of different size that compete, under each limit. */
async function tenants(subject: Rival): Promise<readonly TenantsFigures[]> {
  const all: TenantsFigures[] = [];
  for (const limit of LIMITS) {
    all.push(await tenantsOf(rig, subject, limit, setRate));
    say(`tenants, ${subject}: ${JSON.stringify(all.at(-1))}`);
  }
  return all;
}

/** The cost of a connection's default budget on a platform without a limit. */
async function budget(): Promise<Results["budget"]> {
  const applications = 100;
  const seconds: number[] = [];
  for (const [namespace, rateLimit] of [
    ["own-budget", undefined],
    ["large-budget", UNLIMITED],
  ] as const) {
    await prepared([namespace], rateLimit);
    const running = await rig.start("operator", namespace);
    const from = Date.now();
    await createAll(rig, namespace, applications);
    seconds.push((Date.now() - from) / 1_000);
    await running.stop();
    await removeAll(rig, namespace);
  }
  const [ownSeconds = NaN, largeSeconds = NaN] = seconds;
  say(`budget: ${String(ownSeconds)} s, large ${String(largeSeconds)} s`);
  return { applications, ownSeconds, largeSeconds };
}

async function small(): Promise<number> {
  const namespace = "small";
  await prepared([namespace], UNLIMITED);
  const running = await rig.start("operator", namespace);
  await createAll(rig, namespace, 10);
  await sleep(5_000);
  const { rssMiB } = await memoryOf(running.sources.pid);
  await running.stop();
  return rssMiB;
}

async function setRate(rate: object | null): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${rig.controlUrl}/settings`, { method: "PATCH", headers, body: JSON.stringify({ rate }) });
}
