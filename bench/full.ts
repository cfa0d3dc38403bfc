/**
 * `make bench`: compares the operator with a controller written with controller-runtime (bench/peers) and the oracle,
 * in one run on one machine, in alternating rounds. Writes bench/results/<commit>.json and docs/project/performance.md. All
 * figures come from the servers and the kernel: audit log, the platform's journal, /proc.
 */
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

import type { SettingsChange } from "../simulator/base/settings.ts";
import type { JsonObject } from "../src/kube/api/types.ts";
import { createAll, deleteAll, prepare, redeployAll, removeAll, UNLIMITED } from "./applications.ts";
import { type Figures, measure, memoryOf } from "./figures.ts";
import { type LimitedFigures, limitedOf } from "./limited.ts";
import { type ManyFigures, manyOf } from "./many.ts";
import { page, type Results } from "./page.ts";
import { buildPeer, type Rival, startRig, type Subject } from "./rig.ts";
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
/** The limits under which namespaces of different size compete. */
const LIMITS = [5, 20, 50];
/** The operator reads the ingress of an application within a minute of its deployment. */
const INGRESS_READ_MS = 75_000;

const log = (line: string): void => void process.stdout.write(`${line}\n`);
const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

buildPeer();
const rig = await startRig({
  program: join(root, "dist/operator.js"),
  nodeFlags: options["node-flags"].split(" ").filter((flag) => flag !== ""),
  logFile: undefined,
});
const head = {
  commit: git("rev-parse", "--short=12", "HEAD"),
  date: new Date().toISOString().slice(0, 10),
  machine: `${String(cpus().length)} × ${cpus()[0]?.model ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
  versions: { node: process.version, go: execFileSync("go", ["version"], { encoding: "utf8" }).split(" ")[2] ?? "" },
  nodeFlags: options["node-flags"],
  rounds,
  objects,
  many,
};
const parts: object[] = [head];
try {
  const results: Results = {
    ...head,
    ...(await recorded(bursts)),
    ...(await recorded(deletions)),
    ...(await recorded(budget)),
    ...(await recorded(async () => ({ limited: await limited(false) }))),
    ...(await recorded(async () => ({ shared: await limited(true) }))),
    ...(await recorded(tenants)),
    ...(await recorded(small)),
    ...(await recorded(large)),
  };
  await writeFile(join(root, "docs/project/performance.md"), page(results));
} finally {
  await rig.stop();
}

/** Runs a phase and writes the results so far, so that they are not lost if a later phase fails. */
async function recorded<Part extends Partial<Results>>(phase: () => Promise<Part>): Promise<Part> {
  const part = await phase();
  parts.push(part);
  await mkdir(join(root, "bench/results"), { recursive: true });
  const text = JSON.stringify(Object.assign({}, ...parts), undefined, 2);
  await writeFile(join(root, `bench/results/${head.commit}.json`), `${text}\n`);
  return part;
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
      const run = (phase: typeof createAll | typeof redeployAll) =>
        measure(running.sources, objects, () => Promise.race([phase(rig, namespace, objects), running.failed]));
      create[subject].push(await run(createAll));
      redeploy[subject].push(await run(redeployAll));
      await running.stop();
      await removeAll(rig, namespace);
      const [made, again] = [create[subject].at(-1), redeploy[subject].at(-1)];
      log(`round ${String(round)} ${subject}: create ${JSON.stringify(made)} redeploy ${JSON.stringify(again)}`);
    }
  }
  return { create, redeploy };
}

/**
 * Deletes all applications of a namespace at once, on a platform that deletes them as well. They are created on the
 * documented surface, as the peer's import has no scopes.
 */
async function deletions(): Promise<Pick<Results, "deletion">> {
  const deletion: Record<Rival, Figures[]> = { operator: [], peer: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of round % 2 === 0 ? (["operator", "peer"] as const) : (["peer", "operator"] as const)) {
      const namespace = `deleted-${subject}-${String(round)}`;
      await prepared([namespace], UNLIMITED);
      const running = await rig.start(subject, namespace);
      await createAll(rig, namespace, objects, { lifecycle: { deletionPolicy: "Delete" } });
      await changeSettings({ surface: "full" });
      const phase = () => Promise.race([deleteAll(rig, namespace), running.failed]);
      const figures = await measure(running.sources, objects, phase);
      deletion[subject].push(figures);
      await running.stop();
      await changeSettings({ surface: "documented" });
      log(`deletions, round ${String(round)} ${subject}: ${JSON.stringify(figures)}`);
    }
  }
  return { deletion };
}

/** Many settled objects: a cold start, idle time, and edits of single objects. */
async function large(): Promise<Pick<Results, "large">> {
  const namespace = "many";
  await prepared([namespace], UNLIMITED);
  const first = await rig.start("operator", namespace);
  await createAll(rig, namespace, many);
  await sleep(INGRESS_READ_MS);
  await first.stop();
  const of = async (subject: Rival, digit: string): Promise<ManyFigures> => {
    const figures = await manyOf({ rig, subject, namespace, many, digit });
    log(`${String(many)} objects, ${subject}: ${JSON.stringify(figures)}`);
    return figures;
  };
  return { large: { operator: await of("operator", "3"), peer: await of("peer", "4") } };
}

/** Creates under the platform's limit, each subject alone. */
async function limited(isShared: boolean): Promise<Record<Rival, LimitedFigures>> {
  const of = async (subject: Rival): Promise<LimitedFigures> => {
    const figures = await limitedOf({ rig, subject, setRate: (rate) => changeSettings({ rate }), isShared });
    log(`limited${isShared ? ", shared" : ""}, ${subject}: ${JSON.stringify(figures)}`);
    return figures;
  };
  return { operator: await of("operator"), peer: await of("peer") };
}

/** Namespaces of different size that compete, under each limit. */
async function tenants(): Promise<Pick<Results, "tenants">> {
  const all: Record<Rival, TenantsFigures[]> = { operator: [], peer: [] };
  for (const limit of LIMITS)
    for (const subject of ["operator", "peer"] as const) {
      all[subject].push(await tenantsOf(rig, subject, limit, (rate) => changeSettings({ rate })));
      log(`tenants, ${subject}: ${JSON.stringify(all[subject].at(-1))}`);
    }
  return { tenants: all };
}

/** The cost of a connection's default budget on a platform without a limit. */
async function budget(): Promise<Pick<Results, "budget">> {
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
  log(`budget: ${String(ownSeconds)} s, large ${String(largeSeconds)} s`);
  return { budget: { applications, ownSeconds, largeSeconds } };
}

async function small(): Promise<Pick<Results, "smallRssMiB">> {
  const namespace = "small";
  await prepared([namespace], UNLIMITED);
  const running = await rig.start("operator", namespace);
  await createAll(rig, namespace, 10);
  await sleep(5_000);
  const { rssMiB } = await memoryOf(running.sources.pid);
  await running.stop();
  return { smallRssMiB: rssMiB };
}

/** Changes settings of the platform (simulator/base/settings.ts). */
async function changeSettings(change: SettingsChange): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${rig.controlUrl}/settings`, { method: "PATCH", headers, body: JSON.stringify(change) });
}
