/** The Dockerfile's two base images, made from files of this machine: nothing is pulled. */
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

import { NODE } from "../../../scripts/image.ts";
import { lookPath } from "../../control-plane/tools.ts";

/** The programs that `npm ci` and `npm run` call, at their paths in Debian. */
const PROGRAMS = ["/bin/sh", "/bin/chmod", "/usr/bin/env"];
const CERTIFICATES = "/etc/npm-ca.crt";
export const NPM_CACHE = "/npm-cache";

const NpmConfig = z.object({
  registry: z.string(),
  cafile: z.string().nullish(),
  cache: z.string(),
  userconfig: z.string(),
});
export type NpmConfig = z.infer<typeof NpmConfig>;

/** Fills the folder with the libraries of Node, and no programs. */
export async function makeRuntimeBase(dir: string): Promise<void> {
  await copyLibraries(process.execPath, dir);
}

/** Fills the folder with this Node, this machine's npm and the programs that they call. */
export async function makeBuildBase(dir: string, npm: NpmConfig): Promise<void> {
  await put(process.execPath, dir, NODE);
  await put(join(dirname(dirname(process.execPath)), "LICENSE"), dir, "/usr/local/LICENSE");
  for (const program of PROGRAMS) await put(program, dir, program);
  for (const file of [process.execPath, ...PROGRAMS, await nativePart()]) await copyLibraries(file, dir);
  const modules = join(dir, "usr/local/lib/node_modules");
  await mkdir(modules, { recursive: true });
  await cp(await npmFolder(), join(modules, "npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", join(dir, "usr/local/bin/npm"));
  const certificates = certificatesOf(npm);
  if (certificates !== undefined) await put(certificates, dir, CERTIFICATES);
}

export async function npmConfig(): Promise<NpmConfig> {
  const { stdout } = await promisify(execFile)("npm", ["config", "list", "--json"]);
  return NpmConfig.parse(JSON.parse(stdout));
}

/** Writes an .npmrc with which the build uses this machine's registry. @param lines further lines */
export async function writeNpmrc(file: string, npm: NpmConfig, lines: readonly string[]): Promise<void> {
  const own = [
    `registry=${npm.registry}`,
    `cache=${NPM_CACHE}`,
    "prefer-offline=true",
    ...(certificatesOf(npm) === undefined ? [] : [`cafile=${CERTIFICATES}`]),
  ];
  await copyFile(npm.userconfig, file).catch(() => {});
  await writeFile(file, `\n${[...own, ...lines].join("\n")}\n`, { flag: "a", mode: 0o600 });
}

function certificatesOf({ cafile }: NpmConfig): string | undefined {
  return cafile ?? process.env["NODE_EXTRA_CA_CERTS"];
}

async function npmFolder(): Promise<string> {
  const npm = await lookPath("npm");
  if (npm === undefined) throw new Error("no npm on PATH");
  return dirname(dirname(await realpath(npm)));
}

/** Returns the bundler's native binding of this platform, which Node loads as a library. */
async function nativePart(): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve("rolldown/package.json"));
  return realpath(require.resolve(`@rolldown/binding-linux-${process.arch}-gnu`));
}

async function copyLibraries(file: string, dir: string): Promise<void> {
  const { stdout } = await promisify(execFile)("ldd", [file]);
  for (const [library] of stdout.matchAll(/\/\S+/g)) await put(library, dir, library);
}

async function put(file: string, dir: string, path: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await copyFile(file, join(dir, path));
}
