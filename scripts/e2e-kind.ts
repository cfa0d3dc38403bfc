/** `make e2e-kind`: a cluster by kind, which runs in Docker; the image, the chart and the quickstart on it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { OPERATOR } from "../src/config/names.ts";
import { findBinaries } from "../test/control-plane/binaries.ts";
import { findGoTool } from "../test/tools/go-tools.ts";
import { findEngine } from "./build-image.ts";
import {
  IMAGES,
  OPERATOR_IMAGE,
  quickstartManifests,
  SIMULATOR_DOCKERFILE,
  SIMULATOR_IMAGE,
  simulatorManifests,
  VALUES,
} from "./e2e-kind/objects.ts";

const CLUSTER = "platform-operator-e2e";
const ROOT = dirname(import.meta.dirname);

async function main(): Promise<void> {
  await findEngine(process.env["PATH"], ["docker"]);
  const [kind, helm, { kubectl }] = await Promise.all([
    findGoTool("kind"),
    findGoTool("helm"),
    findBinaries({ tools: ["kubectl"] }),
  ]);
  await buildImages();
  const folder = await mkdtemp(join(tmpdir(), "e2e-kind-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = ["cluster", "--name", CLUSTER, "--kubeconfig", kubeconfig];
  // The first Ctrl-C ends the command that runs, and the cluster is deleted; a second one ends this program.
  process.once("SIGINT", () => {});
  try {
    // What a run left that was killed.
    await run(kind, ["delete", ...cluster]);
    await run(kind, ["create", ...cluster, "--wait", "5m"]);
    await run(kind, ["load", "docker-image", ...IMAGES, "--name", CLUSTER]);
    await installStory(helm, kubectl, kubeconfig);
  } finally {
    await run(kind, ["delete", ...cluster]).catch(report);
    await rm(folder, { recursive: true });
  }
}

/**
 * Builds the operator's image, and from it that of the simulated platform, without attestations: an image that has them
 * is an index in Docker's containerd image store, of which `docker save` may leave out a part, and then `kind load`
 * fails with "content digest … not found" (kubernetes-sigs/kind#3795, containerd/containerd#11344).
 */
async function buildImages(): Promise<void> {
  const env = { BUILDX_NO_DEFAULT_ATTESTATIONS: "1" };
  const { repository, tag } = OPERATOR_IMAGE;
  const script = join(import.meta.dirname, "build-image.ts");
  await run(process.execPath, [script, "--image", repository, "--version", tag], { env });
  await run("npm", ["run", "--silent", "build"]);
  const build = ["build", "--tag", SIMULATOR_IMAGE, "--file", "-", join(ROOT, "dist")];
  await run("docker", build, { env, input: SIMULATOR_DOCKERFILE });
}

/**
 * Starts the simulated platform, installs and tests the chart, applies examples/quickstart, waits until all of it is
 * Ready, deletes it and uninstalls.
 * @throws Error with the failed command, after printing the state of the cluster
 */
async function installStory(helm: string, kubectl: string, kubeconfig: string): Promise<void> {
  const kube = (args: readonly string[], input?: string): Promise<void> =>
    run(kubectl, ["--kubeconfig", kubeconfig, ...args], { input });
  const release = ["--kubeconfig", kubeconfig, "--namespace", OPERATOR, "--timeout", "5m"];
  const chart = join(ROOT, "helm-chart");
  try {
    await kube(
      ["apply", "-f", "-"],
      simulatorManifests()
        .map((manifest) => JSON.stringify(manifest))
        .join("\n---\n"),
    );
    await kube(["-n", "simulator", "rollout", "status", "deployment/simulator", "--timeout=5m"]);
    const install = ["install", OPERATOR, chart, ...release, "--create-namespace", "--wait", "--values", "-"];
    await run(helm, install, { input: JSON.stringify(VALUES) });
    await run(helm, ["test", OPERATOR, ...release, "--logs"]);
    await kube(["apply", "-f", "-"], quickstartManifests());
    await kube(["-n", "shop", "wait", "platform", "--all", "--for=condition=Ready", "--timeout=5m"]);
    await kube(["-n", "shop", "delete", "platform", "--all", "--timeout=5m"]);
    await run(helm, ["uninstall", OPERATOR, ...release, "--wait"]);
  } catch (error) {
    report(error);
    const nodes = ["get", "pods,platform", "--all-namespaces", "--output=wide"];
    const events = ["get", "events", "--all-namespaces", "--sort-by=.lastTimestamp"];
    const pods = ["describe", "pods", "-l", `app.kubernetes.io/name in (${OPERATOR},simulator)`, "--all-namespaces"];
    const shop = ["describe", "platform", "-n", "shop"];
    const logs = ["logs", "--tail=100", "--prefix", "--all-containers", "-l"];
    const operator = [...logs, `app.kubernetes.io/name=${OPERATOR}`, "-n", OPERATOR];
    const platform = [...logs, "app.kubernetes.io/name=simulator", "-n", "simulator"];
    for (const args of [nodes, pods, shop, events, operator, platform]) await kube(args).catch(report);
    throw error;
  }
}

interface Given {
  /** The program's standard input; empty without it. */
  readonly input?: string | undefined;
  /** Variables beside this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Prints a command and runs it with this process's output. @throws Error when it fails */
async function run(program: string, args: readonly string[], { input = "", env = {} }: Given = {}): Promise<void> {
  const command = [program, ...args].join(" ");
  console.log(`e2e-kind: ${command}`);
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["pipe", "inherit", "inherit"],
  });
  child.stdin.on("error", () => {}).end(input);
  await once(child, "exit");
  if (child.exitCode !== 0) throw new Error(`${command} failed`);
}

function report(error: unknown): void {
  console.error(`e2e-kind: ${error instanceof Error ? error.message : String(error)}`);
}

try {
  await main();
  console.log("e2e-kind: installed, Ready, deleted, uninstalled");
} catch (error) {
  report(error);
  process.exitCode = 1;
}
