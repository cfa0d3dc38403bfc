/** `make e2e-kind`: a cluster by kind, which runs in Docker; the image, the chart and the quickstart on it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { startSimulator } from "../simulator/simulator.ts";
import { findBinaries } from "../test/control-plane/binaries.ts";
import { quickstart } from "../test/support/env/manifests.ts";
import { findGoTool } from "../test/tools/go-tools.ts";
import { findEngine } from "./image-build/engine.ts";
import { NODE } from "./image.ts";

const CLUSTER = "platform-operator-e2e";
/** The folder of the node that holds simulator.js, the bundle of the simulated platform. */
const SIMULATOR_FOLDER = "/simulator";
/** Mounts the folder of the bundles into the nodes, as the operator's image does not have the simulator. */
const clusterConfig = {
  kind: "Cluster",
  apiVersion: "kind.x-k8s.io/v1alpha4",
  nodes: [
    {
      role: "control-plane",
      extraMounts: [
        { hostPath: join(import.meta.dirname, "../dist"), containerPath: SIMULATOR_FOLDER, readOnly: true },
      ],
    },
  ],
};
const image = { registry: "localhost", repository: "platform-operator", tag: "e2e-kind" };
const REPOSITORY = `${image.registry}/${image.repository}`;
const IMAGE = `${REPOSITORY}:${image.tag}`;
const CHART = join(import.meta.dirname, "../helm-chart");
/** The name of release and namespace, and so of the Deployment. */
const NAME = "platform-operator";
const PLATFORM = {
  port: 9000,
  token: "token-of-the-install-story",
  organizationId: "6d6f5a7e-0c3b-4f0e-9a57-1c2b3d4e5f60",
  seed: "install-story",
};

async function main(): Promise<void> {
  await findEngine(process.env["PATH"], ["docker"]);
  const [kind, helm, { kubectl }] = await Promise.all([
    findGoTool("kind"),
    findGoTool("helm"),
    findBinaries({ tools: ["kubectl"] }),
  ]);
  const script = join(dirname(import.meta.filename), "build-image.ts");
  await runShown(process.execPath, [script, "--image", REPOSITORY, "--version", image.tag]);
  await runShown("npm", ["run", "--silent", "build"]);
  const folder = await mkdtemp(join(tmpdir(), "e2e-kind-"));
  const kubeconfig = join(folder, "kubeconfig");
  try {
    const create = ["create", "cluster", "--name", CLUSTER, "--kubeconfig", kubeconfig, "--wait", "5m"];
    await runShown(kind, [...create, "--config", "-"], JSON.stringify(clusterConfig));
    await runShown(kind, ["load", "docker-image", IMAGE, "--name", CLUSTER]);
    await installStory(helm, kubectl, kubeconfig);
  } finally {
    await runShown(kind, ["delete", "cluster", "--name", CLUSTER, "--kubeconfig", kubeconfig]);
    await rm(folder, { recursive: true });
  }
}

/**
 * Installs the chart with the simulated platform in the operator's pod (it listens only on loopback), applies
 * examples/quickstart, waits until all of it is Ready, deletes it and uninstalls.
 * @throws Error with the failed command, after printing diagnostics of the cluster
 */
async function installStory(helm: string, kubectl: string, kubeconfig: string): Promise<void> {
  const kube = (...args: readonly string[]): Promise<void> => runShown(kubectl, ["--kubeconfig", kubeconfig, ...args]);
  const values = [
    ...Object.entries(image).map(([key, value]) => `image.${key}=${value}`),
    "operator.allowInsecurePlatform=true",
    "operator.allowedPlatformHosts={127.0.0.1}",
  ];
  const release = ["--kubeconfig", kubeconfig, "--namespace", NAME, "--wait", "--timeout", "5m"];
  const install = ["upgrade", "--install", NAME, CHART, ...release, "--create-namespace"];
  const manifests = await quickstartManifests();
  try {
    await runShown(helm, [...install, ...values.flatMap((value) => ["--set", value])]);
    await kube("-n", NAME, "patch", "deployment", NAME, "--patch", JSON.stringify(withPlatform()));
    await kube("-n", NAME, "rollout", "status", "deployment", NAME, "--timeout=5m");
    await runShown(kubectl, ["--kubeconfig", kubeconfig, "apply", "-f", "-"], manifests);
    await kube("-n", "shop", "wait", "platform", "--all", "--for=condition=Ready", "--timeout=5m");
    await kube("-n", "shop", "delete", "platform", "--all", "--timeout=5m");
    await runShown(helm, ["uninstall", NAME, ...release]);
  } catch (error) {
    await kube("get", "pods,platform", "--all-namespaces").catch(() => {});
    await kube("-n", NAME, "logs", `deployment/${NAME}`, "--all-containers", "--tail=50").catch(() => {});
    throw error;
  }
}

/** A strategic merge patch that adds the simulated platform to the operator's pod. */
function withPlatform(): object {
  const { port, token, organizationId, seed } = PLATFORM;
  const platform = {
    name: "platform",
    image: IMAGE,
    imagePullPolicy: "Never",
    // Without the operator's flags of Node, which forbid that the simulator's server generates code from its schemas.
    command: [NODE, join(SIMULATOR_FOLDER, "simulator.js")],
    volumeMounts: [{ name: "simulator", mountPath: SIMULATOR_FOLDER, readOnly: true }],
    args: [`--port=${port}`, "--speed=60", `--token=${token}`, `--organization=${organizationId}`, `--seed=${seed}`],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
  const volume = { name: "simulator", hostPath: { path: SIMULATOR_FOLDER, type: "Directory" } };
  return { spec: { template: { spec: { containers: [platform], volumes: [volume] } } } };
}

/** Returns the manifests, with the ids of a temporary simulator: the same seed gives the pod's the same ids. */
async function quickstartManifests(): Promise<string> {
  const { token, organizationId, seed, port } = PLATFORM;
  const simulator = await startSimulator({ surface: "documented", adminToken: token, organizationId, seed });
  await simulator.close();
  const [clusterId = ""] = simulator.clusterIds;
  return quickstart({ baseUrl: `http://127.0.0.1:${port}`, organizationId, clusterId, token });
}

/** Runs a program with this process's output. @throws Error when it fails */
async function runShown(program: string, args: readonly string[], input = ""): Promise<void> {
  const child = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => {}).end(input);
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}

try {
  await main();
  console.log("e2e-kind: installed, Ready, deleted, uninstalled");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
