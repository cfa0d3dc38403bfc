/** Programs that are Go modules: from PATH, else from the per-user cache, else built into it, once. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { withLock } from "../control-plane/lock.ts";
import { isExecutable, lookPath } from "../control-plane/tools.ts";

const run = promisify(execFile);

interface GoTool {
  /** What `go install` is given. */
  readonly module: string;
  readonly version: string;
  /** On two cores with nothing in Go's build cache. */
  readonly coldSeconds: number;
  /** What one on PATH must have to be taken: a major version, and the arguments with which it says its own. */
  readonly onPath?: { readonly major: number; readonly ask: readonly string[] };
}

/** `go install` checks each against Go's checksum database. */
export const GO_TOOLS = {
  helm: {
    module: "helm.sh/helm/v4/cmd/helm",
    version: "v4.3.1",
    coldSeconds: 115,
    // For --force-conflicts.
    onPath: { major: 4, ask: ["version", "--short"] },
  },
  kwok: { module: "sigs.k8s.io/kwok/cmd/kwok", version: "v0.8.0", coldSeconds: 60 },
  kind: { module: "sigs.k8s.io/kind", version: "v0.33.0", coldSeconds: 30 },
  "kube-score": { module: "github.com/zegl/kube-score/cmd/kube-score", version: "v1.20.0", coldSeconds: 30 },
} as const satisfies Readonly<Record<string, GoTool>>;
export type GoToolName = keyof typeof GO_TOOLS;

/**
 * @returns the program's path: the one on PATH, unless it is too old, else the cached one, which is built when missing.
 * @throws Error that says what is missing (Go) or how the build failed
 */
export async function findGoTool(name: GoToolName): Promise<string> {
  const { module, version, coldSeconds, onPath }: GoTool = GO_TOOLS[name];
  const found = await lookPath(name, process.env["PATH"]);
  if (found !== undefined && (onPath === undefined || (await majorOf(found, onPath.ask)) >= onPath.major)) return found;
  const folder = toolsFolder();
  const target = join(folder, `${name}-${version}-${process.platform}-${process.arch}`);
  if (await isExecutable(target)) return target;
  const tell = (line: string): boolean => process.stderr.write(`${line}\n`);
  await withLock(`${target}.lock`, tell, async () => {
    if (await isExecutable(target)) return;
    tell(`${name}: building ${module}@${version} from source, once; about ${coldSeconds} s on two cores`);
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

/** @returns the major version that a program says it has; 0 when it says none. */
async function majorOf(program: string, ask: readonly string[]): Promise<number> {
  const { stdout } = await run(program, ask).catch(() => ({ stdout: "" }));
  return Number(/^v(\d+)\./.exec(stdout)?.[1] ?? 0);
}

/**
 * The folder in the per-user cache that such programs are in. Outside the work tree: a clean checkout finds it again.
 */
export function toolsFolder(): string {
  const base = process.env["XDG_CACHE_HOME"] || join(process.env["HOME"] || homedir(), ".cache");
  return join(base, "platform-operator", "tools");
}

async function install(name: string, what: string, bin: string): Promise<void> {
  const go = await lookPath("go", process.env["PATH"]);
  if (go === undefined) throw new Error(`no ${name} on PATH, and no go to build ${what} with: install one of them`);
  await mkdir(bin, { recursive: true });
  const env = { ...process.env, GOBIN: bin, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-trimpath" };
  await run(go, ["install", "-ldflags=-s -w", what], { cwd: bin, env, maxBuffer: 64 * 1024 * 1024 }).catch(
    (error: unknown) => {
      throw new Error(`go install ${what} failed: ${lastWords(error)}`, { cause: error });
    },
  );
}

/** The end of what a program that failed wrote to standard error. */
export function lastWords(error: unknown): string {
  const words = error instanceof Error && "stderr" in error ? String(error.stderr) : String(error);
  return words.trim().split("\n").slice(-10).join("\n");
}
