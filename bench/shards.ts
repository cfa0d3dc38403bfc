/**
 * `make bench-shards`: what shards divide. One, two and four processes reconcile the same applications, and the number
 * changes while they exist. The API server runs with the feature gate ShardedListAndWatch (docs/adr/0015-shards.md).
 * Prints the table of docs/scaling.md.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import { commitOf, createAll, prepare, redeployAll, UNLIMITED } from "./applications.ts";
import { cpuMsOf, journal, memoryOf } from "./figures.ts";
import { type Rig, type RunningSubject, startRig } from "./rig.ts";

const { values: options } = parseArgs({ options: { many: { type: "string", default: "10000" } } });
/** The names differ in the last character, so that each of four shards gets the same number of namespaces. */
const NAMESPACES = Array.from({ length: 8 }, (_, index) => `team-${String(index)}`);
const each = Math.ceil(Number(options.many) / NAMESPACES.length);
const many = each * NAMESPACES.length;
const SETTLE_MS = 15_000;
const IDLE_MS = 30_000;

const rig = await startRig({
  program: join(import.meta.dirname, "../dist/operator.js"),
  nodeFlags: [],
  logFile: undefined,
  apiServerFlags: { "feature-gates": "ShardedListAndWatch=true" },
});
try {
  let processes = await start(rig, 1);
  for (const namespace of NAMESPACES) await prepare(rig, namespace, UNLIMITED);
  for (const namespace of NAMESPACES) await createAll(rig, namespace, each);
  const rows: string[] = [];
  for (const [index, shards] of [1, 2, 4, 1].entries()) {
    await Promise.all(processes.map((process) => process.stop()));
    const from = performance.now();
    processes = await start(rig, shards);
    const startSeconds = (performance.now() - from) / 1_000;
    rows.push(await figuresOf(processes, index + 2, startSeconds));
    process.stdout.write(`${rows.at(-1) ?? ""}\n`);
  }
  await Promise.all(processes.map((process) => process.stop()));
} finally {
  await rig.stop();
}

async function start(on: Rig, shards: number): Promise<readonly RunningSubject[]> {
  const argsOf = (index: number) => [`--shards=${String(shards)}`, `--shard-index=${String(index)}`];
  return await Promise.all(Array.from({ length: shards }, (_, index) => on.start("operator", "", argsOf(index))));
}

/** Returns a row of the table: idle processes, and a redeployment of all applications. */
async function figuresOf(
  processes: readonly RunningSubject[],
  generation: number,
  startSeconds: number,
): Promise<string> {
  const pids = processes.map(({ sources }) => sources.pid);
  const cpuMs = async (): Promise<number> => sum(await Promise.all(pids.map(cpuMsOf)));
  await sleep(SETTLE_MS);
  const idleFrom = await cpuMs();
  await sleep(IDLE_MS);
  const idlePercent = (100 * ((await cpuMs()) - idleFrom)) / IDLE_MS;
  const idleMiB = await residentMiB(pids);
  await fetch(`${rig.controlUrl}/journal`, { method: "DELETE" });
  const [from, cpuFrom] = [performance.now(), await cpuMs()];
  const redeployed = Promise.all(NAMESPACES.map((namespace) => redeployAll(rig, namespace, each, generation)));
  await Promise.race([redeployed, ...processes.map(({ failed }) => failed)]);
  const seconds = (performance.now() - from) / 1_000;
  const perObjectMs = ((await cpuMs()) - cpuFrom) / many;
  const commit = commitOf(generation);
  const sent = (await journal(rig.controlUrl)).filter(({ body }) => body?.git_commit_id === commit).length;
  const cells = [
    String(processes.length),
    startSeconds.toFixed(1),
    idleMiB.join(", "),
    idlePercent.toFixed(1),
    seconds.toFixed(0),
    perObjectMs.toFixed(1),
    (await residentMiB(pids)).join(", "),
    String(sent - many),
  ];
  return `| ${cells.join(" | ")} |`;
}

async function residentMiB(pids: readonly number[]): Promise<readonly string[]> {
  const all = await Promise.all(pids.map(memoryOf));
  return all.map(({ rssMiB }) => rssMiB.toFixed(0));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
