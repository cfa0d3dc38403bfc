import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import { basicTools, type Binaries, findBinaries } from "./binaries.ts";
import { GuardAnswer, type GuardOrder, type Kwok } from "./guard-protocol.ts";
import type { Tool } from "./tools.ts";

export interface ControlPlaneOptions {
  /** CustomResourceDefinitions to install; none when left out. */
  readonly crdsDir?: string;
  /** Default true. */
  readonly auditLog?: boolean;
  /** Flags of kube-apiserver without the dashes; null takes a default one away. */
  readonly apiServerFlags?: Readonly<Record<string, string | null>>;
  /** Whether the real kube-controller-manager runs too: namespaces that are deleted end, garbage is collected. */
  readonly controllers?: boolean;
  /** kwok, with which and kube-scheduler pods run on nodes without containers. */
  readonly kwok?: Kwok;
  /** Takes the lines on downloads and builds; standard error by default. */
  readonly progress?: (line: string) => void;
}

/** A running control plane as plain data: it can be handed to another process. */
export interface ControlPlaneFacts {
  /** https://127.0.0.1:<port> */
  readonly server: string;
  /** Cluster admin. */
  readonly kubeconfigPath: string;
  /** One JSON object a line, audit.k8s.io/v1 Event; the file is absent when `auditLog` is false. */
  readonly auditLogPath: string;
  readonly kubectlPath: string;
  /** The folder with the binaries, for a PATH. */
  readonly binDir: string;
  /** Holds everything of this control plane, certificates (`certs/`) beside the kubeconfig; gone after stop. */
  readonly dir: string;
}

export interface ControlPlane extends ControlPlaneFacts {
  /** Ends etcd and kube-apiserver and removes the folder; may be called again. */
  readonly stop: () => Promise<void>;
}

type Guard = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a real etcd and kube-apiserver on loopback, RBAC on, and installs the CRDs. Makes the binaries ready first,
 * which can take minutes once (`findBinaries`). Everything ends, folder included, with `stop()` or with this process,
 * however that dies.
 * Throws when there are no binaries or the control plane does not come up; then nothing is left behind either.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { auditLog = true, crdsDir, controllers = false, kwok } = options;
  const binaries = await binariesFor(options);
  const dir = await mkdtemp(join(tmpdir(), "platform-operator-"));
  const auditLogPath = join(dir, "audit.log");
  const guard = spawnGuard({
    dir,
    binDir: binaries.dir,
    controllers,
    ...(kwok === undefined ? {} : { kwok }),
    ...(crdsDir === undefined ? {} : { crdsDir }),
    apiServerFlags: { ...(auditLog ? auditFlags(auditLogPath) : {}), ...options.apiServerFlags },
  });
  const ended = once(guard, "close");
  const stop = async (): Promise<void> => {
    guard.ref();
    guard.stdin.end();
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  const answer = await firstAnswer(guard);
  if (answer.is === "failed") {
    await stop();
    throw new Error(`the control plane did not start: ${answer.message}`);
  }
  letGo(guard);
  return {
    server: answer.server,
    kubeconfigPath: answer.kubeconfigPath,
    auditLogPath,
    kubectlPath: binaries.kubectl,
    binDir: dirname(binaries.kubectl),
    dir,
    stop,
  };
}

async function binariesFor({ controllers = false, kwok, progress }: ControlPlaneOptions): Promise<Binaries> {
  const telling = progress === undefined ? {} : { progress };
  // One after the other: a download holds the basic ones only.
  const basic = await findBinaries(telling);
  const further: readonly Tool[] = [
    ...(controllers ? (["kube-controller-manager"] as const) : []),
    ...(kwok === undefined ? [] : (["kube-scheduler"] as const)),
  ];
  return further.length === 0 ? basic : findBinaries({ tools: [...basicTools, ...further], ...telling });
}

function auditFlags(path: string): Record<string, string> {
  return {
    "audit-policy-file": join(import.meta.dirname, "audit-policy.yaml"),
    "audit-log-path": path,
    // Not batched and not rotated, so that a reader misses nothing.
    "audit-log-mode": "blocking",
    "audit-log-maxsize": "100000",
  };
}

function spawnGuard(order: GuardOrder): Guard {
  const { TEST_ASSET_ETCD: _, TEST_ASSET_KUBE_APISERVER: __, ...env } = process.env;
  return spawn(process.execPath, [join(import.meta.dirname, "guard.ts"), JSON.stringify(order)], {
    // A group of its own: Ctrl-C in a terminal reaches the asker's group only.
    detached: true,
    cwd: order.dir,
    // Fewer garbage collections: kube-apiserver spent about a fifth of its processor time on them.
    env: { GOGC: "400", ...env, KUBEBUILDER_ASSETS: order.binDir, TMPDIR: order.dir },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** The guard's one line, or its last words when it ends without one. */
async function firstAnswer(guard: Guard): Promise<GuardAnswer> {
  let words = "";
  guard.stderr.on("data", (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4_000);
  });
  guard.stdin.on("error", () => {});
  for await (const line of createInterface({ input: guard.stdout })) {
    return GuardAnswer.parse(JSON.parse(line));
  }
  return { is: "failed", message: `its guard process ended: ${words}` };
}

/** Lets this process end while the guard runs, which then ends too. */
function letGo(guard: Guard): void {
  guard.unref();
  for (const stream of [guard.stdin, guard.stdout, guard.stderr]) {
    if (stream instanceof Socket) stream.unref();
  }
}
