/**
 * Mutation testing of a directory of src/, by Stryker: prints the mutants that survive and the score, and keeps the
 * counts in docs/reliability/mutants.json.
 *
 *   node scripts/mutants.ts src/engine/ledger
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { Stryker } from "@stryker-mutator/core";

import { countsOf, describeMutant, readMutationRuns, scoreOf, withRun } from "./reliability/mutants.ts";

const root = join(import.meta.dirname, "..");
process.chdir(root);
const directory = (process.argv[2] ?? "").replace(/\/+$/, "");
if (!/^src\/\w/.test(directory) || !existsSync(directory)) {
  console.error("name a directory of src/: make mutants DIR=src/engine/ledger");
  process.exit(2);
}

const began = new Date();
const commit = git("rev-parse", "--short=10", "HEAD") + (git("status", "--porcelain", "--", "src") && " and changes");
const results = await new Stryker({
  mutate: [`${directory}/**/*.ts`, `!${directory}/**/*.test.ts`],
  mutator: { excludedMutations: ["StringLiteral"] },
  // A static mutant is active while modules are loaded, so each needs all tests.
  ignoreStatic: true,
  testRunner: "vitest",
  plugins: [import.meta.resolve("@stryker-mutator/vitest-runner")],
  vitest: {
    configFile: "scripts/mutants.config.ts",
    // The layer: src/engine for src/engine/ledger.
    dir: directory.split("/").slice(0, 2).join("/"),
    // Coverage by test selects already; the search for related files takes longer than the tests.
    related: false,
    // A worker thread starts faster than a process.
    pool: "threads",
  },
  coverageAnalysis: "perTest",
  // Stryker starts its test runner again after each mutant that times out.
  timeoutMS: 3_000,
  // Stryker copies the repository to tempDirName, without these files; Git ignores the copy as well.
  ignorePatterns: readFileSync(".gitignore", "utf8").trim().split("\n"),
  tempDirName: "test-results/mutants",
  // Stryker reads tsconfig.json with an API that TypeScript 7 does not have.
  tsconfigFile: "none",
  concurrency: 1,
  reporters: ["progress-append-only"],
}).runMutationTest();
const mutants = results.map((mutant) => ({ ...mutant, fileName: relative(root, mutant.fileName) }));
const counts = countsOf(mutants);
if (counts.killed + counts.timedOut + counts.survived + counts.uncovered === 0) {
  console.error(`${directory} has nothing to mutate`);
  process.exit(1);
}

for (const mutant of mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage")) {
  console.log(`${describeMutant(mutant, readFileSync(mutant.fileName, "utf8"))}\n`);
}
const { killed, timedOut, survived, uncovered } = counts;
console.log(
  `${directory}: ${scoreOf(counts)} %, ${killed} killed, ${timedOut} timed out, ${survived} survived, ${uncovered} reached by no test`,
);
const run = {
  directory,
  at: began.toISOString(),
  commit,
  minutes: Math.round((Date.now() - began.getTime()) / 6_000) / 10,
  ...counts,
};
const kept = "docs/reliability/mutants.json";
writeFileSync(kept, `${JSON.stringify(withRun(readMutationRuns(kept), run), undefined, 2)}\n`);

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8" }).trim();
}
