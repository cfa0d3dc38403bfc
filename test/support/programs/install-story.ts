/** Installs an image, makes objects Ready and uninstalls, on the cluster of any kubeconfig. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { NODE } from "../../../scripts/image.ts";
import { startSimulator } from "../../../simulator/simulator.ts";
import { quickstart } from "../env/manifests.ts";

const CHART = join(import.meta.dirname, "../../../helm-chart");
/** The name of release and namespace, and so of the Deployment. */
const NAME = "platform-operator";
const PLATFORM = {
  port: 9000,
  token: "token-of-the-install-story",
  organizationId: "6d6f5a7e-0c3b-4f0e-9a57-1c2b3d4e5f60",
  seed: "install-story",
};

/** The folder of the node that holds simulator.js, the bundle of the simulated platform. */
export const SIMULATOR = { folder: "/simulator" };

export interface StoryOptions {
  readonly kubeconfig: string;
  /** The operator's image, already on the cluster's nodes. */
  readonly image: { readonly registry: string; readonly repository: string; readonly tag: string };
  readonly helm: string;
  readonly kubectl: string;
}

/**
 * Installs the chart with the simulated platform in the operator's pod (it listens only on loopback), applies
 * examples/quickstart, waits until all of it is Ready, deletes it and uninstalls.
 * @throws Error with the failed command, after printing diagnostics of the cluster
 */
export async function installStory({ kubeconfig, image, helm, kubectl }: StoryOptions): Promise<void> {
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
    await kube("-n", NAME, "patch", "deployment", NAME, "--patch", JSON.stringify(withPlatform(image)));
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
function withPlatform({ registry, repository, tag }: StoryOptions["image"]): object {
  const { port, token, organizationId, seed } = PLATFORM;
  const platform = {
    name: "platform",
    image: `${registry}/${repository}:${tag}`,
    imagePullPolicy: "Never",
    // Without the operator's flags of Node, which forbid that the simulator's server generates code from its schemas.
    command: [NODE, join(SIMULATOR.folder, "simulator.js")],
    volumeMounts: [{ name: "simulator", mountPath: SIMULATOR.folder, readOnly: true }],
    args: [`--port=${port}`, "--speed=60", `--token=${token}`, `--organization=${organizationId}`, `--seed=${seed}`],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
  };
  const volume = { name: "simulator", hostPath: { path: SIMULATOR.folder, type: "Directory" } };
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
export async function runShown(program: string, args: readonly string[], input = ""): Promise<void> {
  const child = spawn(program, args, { stdio: ["pipe", "inherit", "inherit"] });
  child.stdin.on("error", () => {}).end(input);
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
}
