/**
 * `npm run compatible`: refuses a change of the CRDs or of the chart's values that may break manifests and values for
 * the last release, unless the changelog announces it. With --write, the current state becomes the baseline for later
 * changes; a release does that (docs/versions.md).
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { parse } from "yaml";

import { breaksBetween, contract, contractOf, nameOf, unannounced } from "./compatibility/contract.ts";

const root = join(import.meta.dirname, "..");
const baseline = join(root, "scripts/compatibility/baseline.json");
const read = async (path: string): Promise<string> => await readFile(join(root, path), "utf8");

const files = (await readdir(join(root, "crds"))).filter((name) => name.endsWith(".yaml")).toSorted();
const definitions = await Promise.all(files.map(async (name): Promise<unknown> => parse(await read(`crds/${name}`))));
const now = contractOf(definitions, JSON.parse(await read("helm-chart/values.schema.json")));

if (process.argv.includes("--write")) {
  const lines = Object.entries(now).map(([path, facts]) => `  ${JSON.stringify(path)}: ${JSON.stringify(facts)}`);
  await writeFile(baseline, `{\n${lines.join(",\n")}\n}\n`);
} else {
  const before = contract.parse(JSON.parse(await readFile(baseline, "utf8")));
  const found = unannounced(breaksBetween(before, now), await read("CHANGELOG.md"));
  for (const { path, what } of found) console.error(`${nameOf(path)} ${what}.`);
  if (found.length > 0) {
    console.error(
      'Each may break manifests or values that work with the last release. Undo it, or announce it in CHANGELOG.md under "Unreleased": a line "- **Breaking:** …" that names the path in backticks and says what to do.',
    );
    process.exitCode = 1;
  }
}
