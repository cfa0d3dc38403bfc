/** The environment of a benchmark: a control plane, a simulated platform, and one of the compared programs. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { MALLOC, nodeFlags } from "../scripts/image.ts";
import { createKubeClient } from "../src/kube/api/client.ts";
import { systemClock } from "../src/kube/api/clock.ts";
import type { KubeClient } from "../src/kube/api/transport.ts";
import { kubeconfigFor, kubectl } from "../test/control-plane/access.ts";
import { serviceAccountUser } from "../test/control-plane/audit.ts";
import { type ControlPlane, startControlPlane } from "../test/control-plane/control-plane.ts";
import { pidOf, type Sources } from "./figures.ts";

const root = join(import.meta.dirname, "..");
const followParent = join(root, "test/support/programs/follow-parent.mjs");

export const TOKEN = "bench-token";
export const ORGANIZATION = "11111111-1111-4111-8111-111111111111";
export const WORKERS = 10;

/**
 * The measured program. The operator is the bundle with its image's flags of Node; the peer is
 * bench/peers/controller-runtime; the oracle sends the fewest requests with the same effect.
 */
export type Subject = "operator" | "peer" | "oracle";
/** A subject that is an operator, which the oracle is not. */
export type Rival = Exclude<Subject, "oracle">;

/** Parts of the lines that the subjects write when they begin to work, and when they wait for the lease. */
const LEADS: Readonly<Record<Subject, string>> = {
  operator: '"leading"',
  peer: "Starting workers",
  oracle: "watching",
};
const STANDS_BY: Readonly<Record<Rival, string>> = {
  operator: "caches are filled",
  peer: "Attempting to acquire leader lease",
};

export interface RigOptions {
  /** The operator's bundle. */
  readonly program: string;
  /** Further flags of Node for the operator. */
  readonly nodeFlags: readonly string[];
  /** The file for the operator's output. */
  readonly logFile: string | undefined;
}

export interface RunningSubject {
  readonly sources: Sources;
  /** The health endpoint, which only the operator has. */
  readonly healthUrl: string | undefined;
  /** Rejects when the subject ends. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

export interface Rig {
  /** The cluster's admin. */
  readonly client: KubeClient;
  readonly platformUrl: string;
  readonly clusterId: string;
  /** The control endpoint of the platform. */
  readonly controlUrl: string;
  readonly auditLogPath: string;
  /**
   * Starts a subject that works in a namespace, or in several that are separated by commas; the operator works in all
   * namespaces if it is "". Resolves when it leads.
   */
  start(subject: Subject, namespace: string): Promise<RunningSubject>;
  /** Starts a second replica. Resolves when it has filled its caches, or waits for the lease. */
  startStandby(subject: Rival, namespace: string): Promise<RunningSubject>;
  stop(): Promise<void>;
}

/** Starts the control plane, whose first start can take minutes, and the platform. Both end with this process. */
export async function startRig(options: RigOptions): Promise<Rig> {
  const controlPlane = await startControlPlane({
    crdsDir: join(root, "crds"),
    apiServerFlags: {
      "audit-policy-file": join(import.meta.dirname, "audit-policy.yaml"),
      "audit-log-mode": "batch",
      "audit-log-maxsize": "10000",
    },
  });
  try {
    return await rigOn(controlPlane, options);
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

async function rigOn(controlPlane: ControlPlane, options: RigOptions): Promise<Rig> {
  await kubectl(controlPlane, ["apply", "-f", join(root, "deploy/rbac")]);
  for (const name of ["oracle", "peer"]) {
    await kubectl(controlPlane, ["create", "serviceaccount", name, "-n", "default"]);
    const admin = ["--clusterrole=cluster-admin", `--serviceaccount=default:${name}`];
    await kubectl(controlPlane, ["create", "clusterrolebinding", name, ...admin]);
  }
  const users = {
    operator: { namespace: "platform-operator", name: "platform-operator" },
    peer: { namespace: "default", name: "peer" },
    oracle: { namespace: "default", name: "oracle" },
  };
  const apiServerPid = await pidOf("kube-apiserver", new URL(controlPlane.server).port);
  const platform = await startPlatform();
  const client = createKubeClient({
    config: { from: "file", path: controlPlane.kubeconfigPath },
    userAgent: "platform-operator-bench",
    clock: systemClock(),
  });
  const start = async (subject: Subject, namespace: string, line: string) => {
    const kubeconfig = await kubeconfigFor(controlPlane, users[subject].namespace, users[subject].name);
    const isReady = (written: string): boolean => written.includes(line);
    const starters = {
      operator: () => startOperator(options, kubeconfig, namespace, isReady),
      peer: () => startPeer(kubeconfig, namespace, platform.facts("platform"), isReady),
      oracle: () => startOracle([kubeconfig, namespace, platform.facts("platform")], isReady),
    };
    const started = await starters[subject]();
    const sources = {
      pid: started.child.pid ?? 0,
      user: serviceAccountUser(users[subject].namespace, users[subject].name),
      auditLogPath: controlPlane.auditLogPath,
      apiServerPid,
      controlUrl: platform.facts("control"),
    };
    return { sources, healthUrl: started.healthUrl, failed: started.failed, stop: started.stop };
  };
  return {
    client,
    platformUrl: platform.facts("platform"),
    clusterId: platform.facts("cluster"),
    controlUrl: platform.facts("control"),
    auditLogPath: controlPlane.auditLogPath,
    start: (subject, namespace) => start(subject, namespace, LEADS[subject]),
    startStandby: (subject, namespace) => start(subject, namespace, STANDS_BY[subject]),
    stop: async () => {
      await client.close();
      await platform.stop();
      await controlPlane.stop();
    },
  };
}

/** Reports whether a line of a program's output shows that it is ready. */
type IsReady = (line: string) => boolean;

async function startPlatform() {
  const values = new Map<string, string>();
  const args = ["--speed", "instant", "--token", TOKEN, "--organization", ORGANIZATION, "--seed", "bench"];
  const started = await startNode([join(root, "dist/simulator.js"), ...args], (line) => {
    const [name = "", value = ""] = line.split(/ {2,}/);
    if (!values.has(name)) values.set(name, value);
    return name.startsWith("token");
  });
  return { ...started, facts: (name: string): string => values.get(name) ?? "" };
}

async function startOperator(options: RigOptions, kubeconfig: string, namespace: string, isReady: IsReady) {
  const { logFile, program } = options;
  const file = logFile === undefined ? undefined : createWriteStream(logFile);
  const flags = nodeFlags([dirname(program), dirname(kubeconfig), followParent]);
  const own = ["--kubeconfig", kubeconfig, "--allow-insecure-platform=true", "--allowed-platform-hosts=127.0.0.1"];
  const addresses = ["--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"];
  const scope = namespace === "" ? [] : [`--watch-namespaces=${namespace}`];
  const args = [program, "run", ...own, ...addresses, ...scope, `--workers=${String(WORKERS)}`];
  let healthUrl: string | undefined;
  const started = await startNode([...flags, ...options.nodeFlags, ...args], (line) => {
    file?.write(`${line}\n`);
    if (line.includes('"server":"health"')) healthUrl = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    return isReady(line);
  });
  return { ...started, healthUrl };
}

async function startOracle(args: readonly string[], isReady: IsReady) {
  return startNode([join(import.meta.dirname, "oracle.ts"), ...args], isReady);
}

const peerSources = join(import.meta.dirname, "peers/controller-runtime");

/** Builds the peer with Go's build cache. @returns the path of the program */
export function buildPeer(): string {
  const program = join(homedir(), ".cache/platform-operator/bench-peer");
  execFileSync("go", ["build", "-o", program, "."], { cwd: peerSources, stdio: "inherit" });
  return program;
}

async function startPeer(kubeconfig: string, namespace: string, platformUrl: string, isReady: IsReady) {
  const args = ["-kubeconfig", kubeconfig, "-namespace", namespace, "-platform", platformUrl, "-token", TOKEN];
  return startProgram(buildPeer(), [...args, "-workers", String(WORKERS)], isReady);
}

/** Starts Node as a child that ends with this process. Resolves when `isReady` holds for a line of its output. */
async function startNode(args: readonly string[], isReady: IsReady) {
  return startProgram(process.execPath, ["--import", followParent, ...args], isReady);
}

async function startProgram(program: string, args: readonly string[], isReady: IsReady) {
  const child: ChildProcess = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...MALLOC },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  child.channel?.unref();
  const end = (): void => void child.kill("SIGKILL");
  process.once("exit", end);
  const exited = once(child, "exit");
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (isReady(line)) resolve();
    });
  const failed = exited.then((): never => {
    throw new Error(`${args.find((arg) => /\.[jt]s$/.test(arg)) ?? program} ended`);
  });
  await Promise.race([ready, failed]);
  failed.catch(() => {});
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    process.off("exit", end);
  };
  return { child, failed, stop, healthUrl: undefined };
}
