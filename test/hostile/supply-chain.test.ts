/** [E15] What is installed and what is shipped, from the lock file and the bundle; none of it asks the network. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { figure } from "../support/figure.ts";

const root = join(import.meta.dirname, "../..");
/** The reliability bar's own figure. */
const MOST_PACKAGES = 40;
const FOLDER = "node_modules/";

const Package = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  dev: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const Lock = z.object({ packages: z.record(z.string(), Package) });
const SourceMap = z.object({ sources: z.array(z.string()) });
const Sbom = z.object({ bomFormat: z.literal("CycloneDX"), components: z.array(z.object({ name: z.string() })) });

const { packages } = Lock.parse(JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")));
const installed = Object.entries(packages).filter(([path]) => path !== "");
const nameOf = (path: string): string => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);

async function npm(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)("npm", [...args, "--offline"], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return (await run).stdout;
}

describe("[E15] the supply chain", () => {
  it("runs no script of any package when it is installed, and knows the content of each", () => {
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
    expect(
      installed.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-")).map(([path]) => path),
    ).toEqual([]);
  });

  it("pins each runtime dependency exactly", () => {
    const wanted = Object.values(packages[""]?.dependencies ?? {});
    expect(wanted.filter((range) => !/^(npm:@[\w/-]+@)?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  it(`ships code of at most ${MOST_PACKAGES} runtime packages`, async ({ task }) => {
    const map = SourceMap.parse(JSON.parse(await readFile(`${inject("program")}.map`, "utf8")));
    const sources = map.sources.filter((source) => source.includes(FOLDER)).map(nameOf);
    const bundled = new Set(sources.map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path));
    const runtime = new Set(installed.filter(([, { dev }]) => !dev).map(([path]) => nameOf(path)));
    // The others are the simulator's, which `run` never loads.
    const shipped = [...bundled].filter((name) => runtime.has(name));
    expect(shipped.length).toBeGreaterThan(5);
    expect(shipped.length).toBeLessThanOrEqual(MOST_PACKAGES);
    figure(task, `${shipped.length} runtime packages in the bundle, 0 install scripts`);
  });

  it("is told by npm as a bill of materials, and installed without scripts", async () => {
    // With --omit dev, npm 11 leaves out what a development dependency needs too: zod, pino, yaml.
    const args = ["--sbom-format", "cyclonedx", "--package-lock-only"];
    const names = new Set(Sbom.parse(JSON.parse(await npm("sbom", ...args))).components.map(({ name }) => name));
    expect(Object.keys(packages[""]?.dependencies ?? {}).filter((name) => !names.has(name))).toEqual([]);
    // Refuses a lock file that does not fit to package.json.
    await expect(npm("ci", "--ignore-scripts", "--dry-run")).resolves.toBeTypeOf("string");
  });
});
