/** [E15] Installed and shipped packages, according to the lock file and the bundle, without the network. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { packageFolders } from "../../rolldown.config.ts";
import { figure } from "../support/platform/figure.ts";

const root = join(import.meta.dirname, "../..");
/** The limit of shipped packages: each is one more to trust. */
const MOST_PACKAGES = 35;
const FOLDER = "node_modules/";
/** Licences of shipped code: no copyleft. */
const PERMISSIVE = new Set(["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-3-Clause", "ISC", "MIT"]);
/** Licences of tools, which run on developers' machines only: also weak copyleft. */
const TOOL_LICENCES = new Set([...PERMISSIVE, "CC-BY-4.0", "MPL-2.0", "PSF-2.0", "Unlicense"]);

const Package = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
  dependencies: z.record(z.string(), z.string()).optional(),
});
const Bill = z.object({
  metadata: z.object({ component: z.unknown() }),
  components: z.array(
    z.looseObject({ name: z.string(), version: z.string(), hashes: z.array(z.unknown()).default([]) }),
  ),
});
const Lock = z.object({ packages: z.record(z.string(), Package) });

const lock: unknown = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
const { packages } = Lock.parse(lock);
const installed = Object.entries(packages).filter(([path]) => path !== "");
const nameOf = (path: string): string => path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);

async function npm(...args: readonly string[]): Promise<string> {
  const run = promisify(execFile)("npm", [...args, "--offline"], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return (await run).stdout;
}

const SourceMap = z.object({ sources: z.array(z.string()) });
const { sources } = SourceMap.parse(JSON.parse(await readFile(`${inject("program")}.map`, "utf8")));
const bundled = packageFolders(sources);

describe("[E15] the supply chain", () => {
  it("has no package with an install script, and a SHA-512 hash of each package", () => {
    const wrong = installed.filter(
      ([, { hasInstallScript, integrity = "" }]) => hasInstallScript || !integrity.startsWith("sha512-"),
    );
    expect(wrong.map(([path, { hasInstallScript }]) => ({ path, hasInstallScript }))).toEqual([]);
  });

  it("pins each runtime dependency to one version", () => {
    const wanted = Object.values(packages[""]?.dependencies ?? {});
    expect(wanted.filter((range) => !/^(npm:@[\w/-]+@)?\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  it(`ships code of at most ${MOST_PACKAGES} runtime packages`, async ({ task }) => {
    const runtime = new Set(installed.filter(([, { dev }]) => !dev).map(([path]) => nameOf(path)));
    // The others belong to the simulator, which `run` never loads.
    const shipped = [...new Set(bundled.map(nameOf))].filter((name) => runtime.has(name));
    expect(shipped.length).toBeGreaterThan(5);
    expect(shipped.length).toBeLessThanOrEqual(MOST_PACKAGES);
    figure(task, `${shipped.length} runtime packages in the bundle, 0 install scripts`);
  });

  it("lists each shipped package with hashes in the bill of materials, and no tool", async () => {
    await promisify(execFile)("make", ["sbom"], { cwd: root });
    const { metadata, components } = Bill.parse(
      JSON.parse(await readFile(join(root, "dist/platform-operator.cdx.json"), "utf8")),
    );
    expect(metadata.component).toMatchObject({ name: "platform-operator", type: "application" });
    const listed = new Set(components.map(({ name, version }) => `${name} ${version}`));
    const shipped = bundled.map((path) => `${nameOf(path)} ${packages[path]?.version}`);
    expect(shipped.filter((one) => !listed.has(one))).toEqual([]);
    expect(components.map(({ name }) => name)).not.toContain("vitest");
    // prom-client is an alias of another package; scanners use the package's own name.
    expect(components.find(({ name }) => name === "prom-client")).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\/%40prometheus-io\/client@/),
    });
    expect(components.filter(({ hashes }) => hashes.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("ships code with permissive licences only", async () => {
    const others = (paths: readonly string[], allowed: ReadonlySet<string>): readonly string[] =>
      paths
        .filter((path) => !allowed.has(packages[path]?.license ?? "none"))
        .map((path) => `${path}: ${packages[path]?.license}`);
    expect(others(bundled, PERMISSIVE)).toEqual([]);
    const paths = installed.map(([path]) => path);
    expect(others(paths, TOOL_LICENCES)).toEqual([]);
  });

  it("ships the text of the licence of each package", async () => {
    const licences = await readFile(join(dirname(inject("program")), "third-party-licences.txt"), "utf8");
    const [, ...parts] = licences.split(`${"=".repeat(80)}\n`);
    expect(parts.map((part) => / (\d\S*) \(([^)]+)\)$/m.exec(part)?.slice(1))).toEqual(
      bundled.map((path) => [packages[path]?.version, packages[path]?.license]),
    );
    const bare = bundled.filter((_, index) => parts[index]?.includes("the package has no text of it"));
    expect(bare.map(nameOf)).toEqual([]);
    const others = parts.filter((part) => !part.includes("the package has no text of it"));
    expect(others.filter((part) => !/permission|licen[cs]e/i.test(part.split("\n").slice(1).join("\n")))).toEqual([]);
  });

  it("is installed without scripts, from a lock file that fits package.json", async () => {
    // npm refuses a lock file that does not fit.
    await expect(npm("ci", "--ignore-scripts", "--dry-run")).resolves.toBeTypeOf("string");
    const files = ["Makefile", "Dockerfile", ".github/workflows/ci.yaml", ".github/workflows/release.yaml"];
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), "utf8")));
    const installs = texts.flatMap((text) => text.match(/\bnpm (?:ci|install|i)\b.*/g) ?? []);
    expect(installs.length).toBeGreaterThan(2);
    expect(installs.filter((line) => !line.includes("--ignore-scripts"))).toEqual([]);
  });
});
