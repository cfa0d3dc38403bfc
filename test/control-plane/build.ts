import { spawn } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { type Env, type FillJob, lookPath, type Tool } from "./tools.ts";

/** Without these the server calls itself v0.0.0-master and clients that read the version misbehave. */
const version = { git: "v1.36.3", major: "1", minor: "36" };
const ldflags = [
  "-s -w",
  `-X k8s.io/component-base/version.gitVersion=${version.git}`,
  `-X k8s.io/component-base/version.gitMajor=${version.major}`,
  `-X k8s.io/component-base/version.gitMinor=${version.minor}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=${version.git}`,
].join(" ");

/** The package of each tool, and its build time in core-seconds when it is built after those above it. */
const sources: Readonly<Record<Tool, { readonly path: string; readonly coreSeconds: number }>> = {
  "kube-apiserver": { path: "k8s.io/kubernetes/cmd/kube-apiserver", coreSeconds: 460 },
  etcd: { path: "go.etcd.io/etcd/server/v3", coreSeconds: 20 },
  kubectl: { path: "k8s.io/kubernetes/cmd/kubectl", coreSeconds: 40 },
  "kube-controller-manager": { path: "k8s.io/kubernetes/cmd/kube-controller-manager", coreSeconds: 75 },
  "kube-scheduler": { path: "k8s.io/kubernetes/cmd/kube-scheduler", coreSeconds: 40 },
};

const reportEveryMs = 15_000;

/**
 * Builds the tools from the Go modules that go.mod pins, each under a temporary name and then renamed.
 * Throws when there is no Go on PATH or a build fails, with the end of the compiler's words.
 */
export async function buildWithGo({ dir, tools, env, progress }: FillJob): Promise<void> {
  const path = await lookPath("go", env["PATH"]);
  if (path === undefined) throw new Error("no go on PATH");
  const go: Go = { path, env: { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" } };
  await mkdir(dir, { recursive: true });
  // What an interrupted build left; the caller holds the lock.
  for (const name of await readdir(dir)) {
    if (name.endsWith(".tmp")) await rm(join(dir, name), { force: true });
  }
  progress(
    `control plane: building ${tools.join(", ")} of Kubernetes ${version.git} from source, once; ` +
      `about ${duration(seconds(tools))} on ${availableParallelism()} cores, and fetching up to 0.7 GB of Go modules before`,
  );
  for (const [index, tool] of tools.entries()) {
    const label = `control plane: ${tool} (${index + 1} of ${tools.length})`;
    progress(`${label}: about ${duration(seconds([tool]))}`);
    await buildOne(go, tool, join(dir, tool), (line) => progress(`${label}: ${line}`));
  }
}

async function buildOne(go: Go, tool: Tool, target: string, report: (line: string) => void): Promise<void> {
  const { path } = sources[tool];
  const packages = (await run(go, ["list", "-deps", path], ({ elapsed, last }) => report(`${elapsed}, ${last}`)))
    .length;
  const temporary = `${target}.tmp`;
  await run(go, ["build", "-v", "-trimpath", "-ldflags", ldflags, "-o", temporary, path], ({ elapsed, count, last }) =>
    report(`${elapsed}, ${count} of at most ${packages} packages, ${last}`),
  );
  await rename(temporary, target);
}

function seconds(tools: readonly Tool[]): number {
  const total = tools.reduce((sum, tool) => sum + sources[tool].coreSeconds, 0);
  return total / availableParallelism();
}

function duration(amount: number): string {
  const whole = Math.ceil(amount);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

interface Go {
  readonly path: string;
  readonly env: Env;
}

interface Progress {
  readonly elapsed: string;
  /** Lines so far: `go build -v` prints one for each package it compiles. */
  readonly count: number;
  readonly last: string;
}

/** Runs the go command and reports its progress now and then. @returns the lines of its standard output */
async function run(go: Go, args: readonly string[], report: (progress: Progress) => void): Promise<string[]> {
  const child = spawn(go.path, args, { cwd: import.meta.dirname, env: go.env, stdio: ["ignore", "pipe", "pipe"] });
  const started = performance.now();
  const output: string[] = [];
  const words: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => output.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => words.push(line));
  const timer = setInterval(() => {
    const elapsed = duration((performance.now() - started) / 1_000);
    report({ elapsed, count: words.length, last: words.at(-1) ?? "reading modules" });
  }, reportEveryMs);
  try {
    const code = await new Promise<number | string | null>((resolve, reject) => {
      child.on("error", reject).on("close", (exit, signal) => resolve(exit ?? signal));
    });
    if (code !== 0) throw new Error(`go ${args[0]} ended with ${code}:\n${words.slice(-20).join("\n")}`);
    return output;
  } finally {
    clearInterval(timer);
  }
}
