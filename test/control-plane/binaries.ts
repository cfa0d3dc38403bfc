import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { buildWithGo } from "./build.ts";
import { downloadUpstream } from "./envtest.ts";
import { withLock } from "./lock.ts";
import { type FillJob, lookPath, missingIn, type Tool } from "./tools.ts";

/** What `make demo` and `make test` need. */
export const basicTools: readonly Tool[] = ["kube-apiserver", "etcd", "kubectl"];

/** Where each of the tools lies that were asked for. */
export interface Binaries {
  /** The folder with everything but possibly kubectl. */
  readonly dir: string;
  /** Exists if it was asked for. */
  readonly kubectl: string;
}

export interface FindOptions {
  readonly tools?: readonly Tool[];
  /** Takes one line on what is being done, how far it is and how long it may take. */
  readonly progress?: (line: string) => void;
}

/** Each gives the binaries or throws an error whose message says in a few words why it has none. */
const ways: readonly (readonly [name: string, find: (job: FillJob) => Promise<Binaries>])[] = [
  ["KUBEBUILDER_ASSETS", fromAssets],
  ["the cache", fromCache],
  ["the upstream download", (job) => fill(job, downloadUpstream)],
  ["a build with Go", (job) => fill(job, buildWithGo)],
];

/**
 * Finds the control plane's binaries: KUBEBUILDER_ASSETS, the per-user cache, the upstream download, a build from
 * the Go modules pinned in go.mod, in this order. The last two fill the cache.
 * Throws an error that names all four ways and what failed in each.
 */
export async function findBinaries(options: FindOptions = {}): Promise<Binaries> {
  const job: FillJob = {
    tools: options.tools ?? basicTools,
    progress: options.progress ?? ((line) => process.stderr.write(`${line}\n`)),
    dir: await cacheDir(),
  };
  const failures: string[] = [];
  for (const [name, find] of ways) {
    try {
      return await find(job);
    } catch (error) {
      failures.push(`  ${failures.length + 1}. ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new Error([`no control plane (${job.tools.join(", ")}); tried in this order:`, ...failures].join("\n"));
}

/**
 * The folder in the per-user cache for what go.mod and go.sum pin on this platform, whether it exists or not.
 * Outside the work tree, so that a clean checkout finds it again.
 */
async function cacheDir(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["go.mod", "go.sum"]) hash.update(await readFile(join(import.meta.dirname, file)));
  const base = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const key = `${hash.digest("hex").slice(0, 16)}-${process.platform}-${process.arch}`;
  return join(base, "platform-operator", "control-plane", key);
}

async function fromAssets({ tools }: FillJob): Promise<Binaries> {
  const dir = process.env["KUBEBUILDER_ASSETS"];
  if (!dir) throw new Error("not set");
  const missing = await missingIn(dir, tools);
  if (missing.length === 0) return { dir, kubectl: join(dir, "kubectl") };
  const onPath = await lookPath("kubectl");
  if (missing.join() === "kubectl" && onPath !== undefined) return { dir, kubectl: onPath };
  throw new Error(`no ${missing.join(", ")} in ${dir}`);
}

async function fromCache({ tools, dir }: FillJob): Promise<Binaries> {
  const missing = await missingIn(dir, tools);
  if (missing.length > 0) throw new Error(`no ${missing.join(", ")} in ${dir}`);
  return { dir, kubectl: join(dir, "kubectl") };
}

/** Puts what the cache lacks into it, one process at a time. */
async function fill(job: FillJob, by: (job: FillJob) => Promise<void>): Promise<Binaries> {
  return withLock(`${job.dir}.lock`, job.progress, async () => {
    const missing = await missingIn(job.dir, job.tools);
    if (missing.length > 0) await by({ ...job, tools: missing });
    return fromCache(job);
  });
}
