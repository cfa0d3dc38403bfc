/**
 * `make bench-quick`: measures what a create and a redeploy of an application cost the operator and the oracle, in
 * about two minutes. limits.json limits exact counts; figures that depend on the machine are shown as ratios to the
 * oracle's.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { z } from "zod";

import { createAll, prepare, redeployAll, UNLIMITED } from "./applications.ts";
import { type Figures, measure } from "./figures.ts";
import { startRig, type Subject } from "./rig.ts";

const text = { type: "string" } as const;
const { values: options } = parseArgs({
  options: {
    applications: { ...text, default: "300" },
    program: { ...text, default: join(import.meta.dirname, "../dist/operator.js") },
    "node-flags": { ...text, default: "" },
    "no-oracle": { type: "boolean", default: false },
    log: text,
    results: text,
  },
});
const objects = Number(options.applications);
const PHASES = { create: createAll, redeploy: redeployAll };
type Phase = keyof typeof PHASES;

const FIGURES = [
  ...(["seconds", "cpuMs", "apiServerMs", "rssMiB", "peakMiB"] as const),
  ...(["platformCalls", "kubernetesWrites", "kubernetesGets", "events"] as const),
] satisfies (keyof Figures)[];
const Limits = z.record(z.enum(["create", "redeploy"]), z.partialRecord(z.enum(FIGURES), z.number()));

const rig = await startRig({
  program: options.program,
  nodeFlags: options["node-flags"].split(" ").filter((flag) => flag !== ""),
  logFile: options.log,
});
const results = new Map<Subject, Record<Phase, Figures>>();
try {
  const subjects: readonly Subject[] = options["no-oracle"] ? ["operator"] : ["operator", "oracle"];
  const first = await rig.start("operator", "");
  for (const subject of subjects) await prepare(rig, subject, UNLIMITED);
  await first.stop();
  for (const subject of subjects) {
    const running = await rig.start(subject, subject);
    const run = (phase: Phase) =>
      measure(running.sources, objects, () => Promise.race([PHASES[phase](rig, subject, objects), running.failed]));
    results.set(subject, { create: await run("create"), redeploy: await run("redeploy") });
    await running.stop();
  }
} finally {
  await rig.stop();
}
for (const phase of ["create", "redeploy"] as const) process.stdout.write(`${table(phase).join("\n")}\n\n`);
if (options.results !== undefined)
  await writeFile(options.results, `${JSON.stringify({ objects, ...Object.fromEntries(results) }, undefined, 2)}\n`);
const broken = await overLimit();
process.stdout.write(broken.map((line) => `over the limit: ${line}\n`).join(""));
process.exitCode = broken.length === 0 ? 0 : 1;

function table(phase: Phase): string[] {
  const own = results.get("operator")?.[phase];
  const oracle = results.get("oracle")?.[phase];
  if (own === undefined) return [];
  const rows = FIGURES.map((name) => {
    const other = oracle?.[name];
    const ratio = other === undefined || other === 0 ? "" : `${(own[name] / other).toFixed(2)} x`;
    return [
      name.padEnd(18),
      ...[own[name].toFixed(2), other?.toFixed(2) ?? "", ratio].map((cell) => cell.padStart(10)),
    ];
  });
  const head = [phase.padEnd(18), ...["operator", "oracle", "ratio"].map((cell) => cell.padStart(10))].join("");
  return [head, ...rows.map((cells) => cells.join(""))];
}

/** Returns the counts that exceed their limit, each as a line. */
async function overLimit(): Promise<string[]> {
  const limits = Limits.parse(JSON.parse(await readFile(join(import.meta.dirname, "limits.json"), "utf8")));
  const over = (phase: Phase) =>
    FIGURES.flatMap((name) => {
      const value = results.get("operator")?.[phase][name] ?? Number.NaN;
      const limit = limits[phase][name] ?? Number.POSITIVE_INFINITY;
      return value <= limit ? [] : [`${phase} ${name} ${value.toFixed(2)}, limit ${String(limit)}`];
    });
  return [...over("create"), ...over("redeploy")];
}
