/** Programs of Go modules: from PATH, else from the per-user cache, into which they are built once. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

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
  const found = await lookPath(name, process.env["PATH"]);
  if (found !== undefined && (onPath === undefined || (await majorOf(found, onPath.versionArgs)) >= onPath.major))
    return found;
  const folder = toolsFolder();
  const target = join(folder, `${name}-${version}-${process.platform}-${process.arch}`);
  if (await isExecutable(target)) return target;
  const print = (line: string): boolean => process.stderr.write(`${line}\n`);
  await withLock(`${target}.lock`, print, async () => {
    if (await isExecutable(target)) return;
    print(`${name}: building ${module}@${version} from source, once; about ${coldSeconds} s on two cores`);
    const bin = await mkdtemp(`${target}.build-`);
    try {
      await install(name, `${module}@${version}`, bin);
      await rename(join(bin, name), target);
    } finally {
      await rm(bin, { recursive: true, force: true });
    }
  });
  return target;
}

/** @returns the major version that a program prints; 0 when it prints none */
async function majorOf(program: string, versionArgs: readonly string[]): Promise<number> {
  const { stdout } = await run(program, versionArgs).catch(() => ({ stdout: "" }));
  return Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 0);
}

/** @returns the folder of such programs in the per-user cache, which a clean checkout finds again */
export function toolsFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] || join(process.env["HOME"] || homedir(), ".cache");
  return join(base, "platform-operator", "tools");
}

async function install(name: string, module: string, bin: string): Promise<void> {
  const go = await lookPath("go", process.env["PATH"]);
  if (go === undefined) throw new Error(`no ${name} on PATH, and no go to build ${module}: install one of them`);
  await mkdir(bin, { recursive: true });
  const env = { ...process.env, GOBIN: bin, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-trimpath" };
  await run(go, ["install", "-ldflags=-s -w", module], { cwd: bin, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => {
      throw new Error(`go install ${module} failed: ${endOfStderr(error)}`, { cause: error });
    },
  );
}

/** @returns the end of a failed program's standard error */
export function endOfStderr(error: unknown): string {
  const text = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return text.trim().split("\n").slice(-10).join("\n");
}
