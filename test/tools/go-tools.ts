/** Programs and files of Go modules. Programs are built into the per-user cache once. */
import { execFile } from "node:child_process";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

import { withLock } from "../control-plane/lock.ts";
import { isExecutable, lookPath } from "../control-plane/tools.ts";

const run = promisify(execFile);

interface GoTool {
  /** The argument of `go install`, without the version. */
  readonly module: string;
  readonly version: string;
  /** The duration of a build on two cores with an empty build cache of Go. */
  readonly coldSeconds: number;
  /** The smallest usable major version of a program on PATH, and the arguments with which it prints its version. */
  readonly onPath?: { readonly major: number; readonly versionArgs: readonly string[] };
}

/** `go install` verifies each with Go's checksum database. */
export const GO_TOOLS = {
  helm: {
    module: "helm.sh/helm/v4/cmd/helm",
    version: "v4.3.1",
    coldSeconds: 115,
    // For --force-conflicts.
    onPath: { major: 4, versionArgs: ["version", "--short"] },
  },
  kwok: { module: "sigs.k8s.io/kwok/cmd/kwok", version: "v0.8.0", coldSeconds: 60 },
  kind: { module: "sigs.k8s.io/kind", version: "v0.33.0", coldSeconds: 30 },
  "kube-score": { module: "github.com/zegl/kube-score/cmd/kube-score", version: "v1.20.0", coldSeconds: 30 },
} as const satisfies Readonly<Record<string, GoTool>>;
export type GoToolName = keyof typeof GO_TOOLS;

/**
 * @returns the program's path: on PATH unless it is too old there, else in the cache, where it is built when missing
 * @throws Error with what is missing (Go) or how the build failed
 */
export async function findGoTool(name: GoToolName): Promise<string> {
  const { module, version, coldSeconds, onPath }: GoTool = GO_TOOLS[name];
  const found = await lookPath(name);
  if (found !== undefined && (onPath === undefined || (await majorOf(found, onPath.versionArgs)) >= onPath.major))
    return found;
  return cached(`${name}-${version}`, coldSeconds, async (folder) => {
    const env = { GOBIN: folder, GOFLAGS: "-trimpath" };
    await go(["install", "-ldflags=-s -w", `${module}@${version}`], { cwd: folder, env });
    return join(folder, name);
  });
}

/** @returns the major version that a program prints; 0 when it prints none */
async function majorOf(program: string, versionArgs: readonly string[]): Promise<number> {
  const { stdout } = await run(program, versionArgs).catch(() => ({ stdout: "" }));
  return Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 0);
}

/** @returns the folder of such programs in the per-user cache, which a clean checkout finds again */
export function toolsFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(base, "platform-operator", "tools");
}

/**
 * @param key the name of the file or folder in the cache, without the platform
 * @param build builds it when it is missing, in a temporary folder. @returns its path there
 * @returns its path in the cache. @throws Error as `build`
 */
export async function cached(
  key: string,
  coldSeconds: number,
  build: (folder: string) => Promise<string>,
): Promise<string> {
  const target = join(toolsFolder(), `${key}-${process.platform}-${process.arch}`);
  const print = (line: string): boolean => process.stderr.write(`${line}\n`);
  if (await isExecutable(target)) return target;
  await withLock(`${target}.lock`, print, async () => {
    if (await isExecutable(target)) return;
    print(`${key}: building from source, once; about ${coldSeconds} s on two cores`);
    const folder = await mkdtemp(`${target}.build-`);
    try {
      await rename(await build(folder), target);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
  return target;
}

interface GoOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the go command. @returns its output. @throws Error without Go, or with the end of its standard error */
export async function go(args: readonly string[], { cwd, env }: GoOptions = {}): Promise<string> {
  const program = await lookPath("go");
  const command = `go ${args.join(" ")}`;
  if (program === undefined) throw new Error(`no go on PATH to run ${command}: install it`);
  const all = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", ...env };
  const running = run(program, args, { cwd, env: all, maxBuffer: 64 * 1024 * 1024 });
  const { stdout } = await running.catch((error: unknown) => {
    const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
    throw new Error(`${command} failed: ${text.trim().split("\n").slice(-10).join("\n")}`, { cause: error });
  });
  return stdout;
}

const Module = z.object({ Dir: z.string() });

/** @returns a module's folder, which Go downloads and checks when it is missing. @throws Error as `go` */
export async function goModuleFolder(module: string, version: string): Promise<string> {
  return Module.parse(JSON.parse(await go(["mod", "download", "-json", `${module}@${version}`]))).Dir;
}
