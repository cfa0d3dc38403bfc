import { spawn } from "node:child_process";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { type FillJob, lookPath, type Tool } from "./tools.ts";

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
  const go = await lookPath("go", env["PATH"]);
  if (go === undefined) throw new Error("no go on PATH");
  await mkdir(dir, { recursive: true });
  // What an interrupted build left; the caller holds the lock.
  for (const name of await readdir(dir)) {
    if (name.endsWith(".tmp")) await rm(join(dir, name), { force: true });
  }
  progress(
    `control plane: building ${tools.join(", ")} ${version.git} from source, once, into ${dir}; ` +
      `about ${minutes(seconds(tools))} on ${cores()} if the Go modules (0.7 GB) are here already`,
  );
  for (const [index, tool] of tools.entries()) {
    const label = `${tool} (${index + 1} of ${tools.length})`;
    progress(`control plane: building ${label}, about ${minutes(seconds([tool]))}`);
    const temporary = join(dir, `${tool}.tmp`);
    const args = ["build", "-v", "-mod=readonly", "-trimpath", "-ldflags", ldflags, "-o", temporary];
    await run(go, [...args, sources[tool].path], env, (line) => progress(`control plane: ${label}: ${line}`));
    await rename(temporary, join(dir, tool));
  }
}

function seconds(tools: readonly Tool[]): number {
  const total = tools.reduce((sum, tool) => sum + sources[tool].coreSeconds, 0);
  return total / availableParallelism();
}

function minutes(amount: number): string {
  return amount < 60 ? `${Math.ceil(amount)} s` : `${Math.ceil(amount / 60)} min`;
}

function cores(): string {
  const count = availableParallelism();
  return count === 1 ? "one core" : `${count} cores`;
}

/** Runs one `go build -v`, which prints a line for each package it compiles or module it fetches. */
async function run(
  go: string,
  args: readonly string[],
  env: FillJob["env"],
  report: (line: string) => void,
): Promise<void> {
  const child = spawn(go, args, {
    cwd: import.meta.dirname,
    env: { ...env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const started = performance.now();
  let count = 0;
  let last: string[] = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    count += 1;
    last = [...last.slice(-19), line];
  });
  const timer = setInterval(() => {
    const elapsed = minutes((performance.now() - started) / 1_000);
    report(`${elapsed} so far, ${count} packages, now ${last.at(-1) ?? "reading modules"}`);
  }, reportEveryMs);
  try {
    const code = await new Promise<number | string | null>((resolve, reject) => {
      child.on("error", reject).on("close", (exit, signal) => resolve(exit ?? signal));
    });
    if (code !== 0) throw new Error(`go build ended with ${code}:\n${last.join("\n")}`);
  } finally {
    clearInterval(timer);
  }
}
