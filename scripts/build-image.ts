/** `make image`: builds the Dockerfile with the first engine that works, and prints the image's name. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { z } from "zod";

const ROOT = dirname(import.meta.dirname);

/**
 * The engines in order of preference, each with a command that succeeds only if it works: a `docker` without a daemon
 * cannot build.
 */
const PROBES = {
  docker: ["version", "--format", "{{.Server.Version}}"],
  podman: ["info", "--format", "{{.Version.Version}}"],
  buildah: ["info", "--format", "{{.host.os}}"],
} as const;
export type Engine = keyof typeof PROBES;
const ALL: readonly Engine[] = ["docker", "podman", "buildah"];

/**
 * @param wanted the accepted engines
 * @param path the folders to search, like `PATH`
 * @returns the first that works
 * @throws Error with the reason for each engine
 */
export async function findEngine(path: string | undefined, wanted: readonly Engine[] = ALL): Promise<Engine> {
  const reasons: string[] = [];
  for (const engine of wanted) {
    const problem = await problemOf(engine, path);
    if (problem === undefined) return engine;
    reasons.push(`${engine}: ${problem}`);
  }
  throw new Error(
    `This needs ${new Intl.ListFormat("en", { type: "disjunction" }).format(wanted)}.\n${reasons.join("\n")}`,
  );
}

async function problemOf(engine: Engine, path: string | undefined): Promise<string | undefined> {
  try {
    await promisify(execFile)(engine, PROBES[engine], { env: { ...process.env, PATH: path }, timeout: 30_000 });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    if ("code" in error && error.code === "ENOENT") return "not on PATH";
    const stderr = "stderr" in error ? String(error.stderr).trim().split("\n").at(-1) : "";
    return `installed, and does not work: ${stderr || error.message}`;
  }
}

/** The facts about its origin that an image has in its labels. */
export interface ImageFacts {
  readonly version: string;
  /** The commit, with "-dirty" when files differ from it; "unknown" outside a repository. */
  readonly revision: string;
  /** Seconds: SOURCE_DATE_EPOCH, else the commit's date, so that the same sources give the same image. */
  readonly epoch: number;
}

const Package = z.object({ version: z.string() });
const Epoch = z.coerce.number().int().nonnegative();

/**
 * @param root of the repository
 * @param epoch the variable SOURCE_DATE_EPOCH (reproducible-builds.org), if it is set
 * @throws Error when that is no whole number
 */
export async function imageFacts(root: string, epoch: string | undefined): Promise<ImageFacts> {
  const { version } = Package.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  const commit = await git(root, "log", "-1", "--format=%H %ct");
  const [hash = "unknown", date = "0"] = commit?.split(" ") ?? [];
  const dirty = commit !== undefined && (await git(root, "status", "--porcelain")) !== "";
  return { version, revision: dirty ? `${hash}-dirty` : hash, epoch: Epoch.parse(epoch || date) };
}

async function git(root: string, ...args: readonly string[]): Promise<string | undefined> {
  const run = promisify(execFile)("git", args, { cwd: root });
  return run.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

export interface ImageBuild {
  readonly facts: ImageFacts;
  /** The image's name with its tag. */
  readonly name: string;
  /** Replacements for the Dockerfile's base images. */
  readonly bases?: { readonly build?: string | undefined; readonly runtime?: string | undefined };
  /** An .npmrc for a mirror of the registry. */
  readonly npmrc?: string | undefined;
}

/** @returns the arguments of the engine, without the folder to build */
export function buildArguments(engine: Engine, { facts, name, bases = {}, npmrc }: ImageBuild): readonly string[] {
  const { version, revision, epoch } = facts;
  const values = {
    VERSION: version,
    REVISION: revision,
    CREATED: new Date(epoch * 1000).toISOString().replace(".000Z", "Z"),
    BUILD_IMAGE: bases.build,
    RUNTIME_IMAGE: bases.runtime,
    // BuildKit takes the image's date from it; the other engines have a flag.
    SOURCE_DATE_EPOCH: engine === "docker" ? String(epoch) : undefined,
  };
  return [
    "build",
    `--tag=${name}`,
    ...Object.entries(values).flatMap(([key, value]) => (value ? [`--build-arg=${key}=${value}`] : [])),
    ...(engine === "docker" ? [] : [`--timestamp=${epoch}`]),
    ...(npmrc ? [`--secret=id=npmrc,src=${npmrc}`] : []),
  ];
}

/** @throws Error when no engine works, or when it fails */
async function main(): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: {
      image: { type: "string", default: "ghcr.io/platform-operator/platform-operator" },
      version: text,
      "build-image": text,
      "runtime-image": text,
      npmrc: text,
      push: { type: "boolean", default: false },
    },
  });
  const engine = await findEngine(process.env["PATH"]);
  const sources = await imageFacts(ROOT, process.env["SOURCE_DATE_EPOCH"]);
  const facts = { ...sources, version: values.version || sources.version };
  const name = `${values.image}:${facts.version}`;
  const bases = { build: values["build-image"], runtime: values["runtime-image"] };
  await run(engine, [...buildArguments(engine, { facts, name, bases, npmrc: values.npmrc }), "."]);
  if (values.push) await run(engine, ["push", name]);
  console.log(name);
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { cwd: ROOT, stdio: "inherit" });
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${program} ${args[0]} failed`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
