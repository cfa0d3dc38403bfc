/** `make e2e-kind`: a cluster by kind, which runs in Docker; the image, the chart and the quickstart on it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { findBinaries } from "../test/control-plane/binaries.ts";
import { installStory, runShown, SIMULATOR } from "../test/support/programs/install-story.ts";
import { findGoTool } from "../test/tools/go-tools.ts";
import { findEngine } from "./image-build/engine.ts";

const CLUSTER = "platform-operator-e2e";
/** Mounts the folder of the bundles into the nodes, as the operator's image does not have the simulator. */
const clusterConfig = {
  kind: "Cluster",
  apiVersion: "kind.x-k8s.io/v1alpha4",
  nodes: [
    {
      role: "control-plane",
      extraMounts: [
        { hostPath: join(import.meta.dirname, "../dist"), containerPath: SIMULATOR.folder, readOnly: true },
      ],
    },
  ],
};
const image = { registry: "localhost", repository: "platform-operator", tag: "e2e-kind" };

async function main(): Promise<void> {
  await findEngine(process.env["PATH"], ["docker"]);
  const [kind, helm, { kubectl }] = await Promise.all([
    findGoTool("kind"),
    findGoTool("helm"),
    findBinaries({ tools: ["kubectl"] }),
  ]);
  const name = `${image.registry}/${image.repository}`;
  const script = join(dirname(import.meta.filename), "build-image.ts");
  await runShown(process.execPath, [script, "--image", name, "--version", image.tag]);
  await runShown("npm", ["run", "--silent", "build"]);
  const folder = await mkdtemp(join(tmpdir(), "e2e-kind-"));
  const kubeconfig = join(folder, "kubeconfig");
  try {
    const create = ["create", "cluster", "--name", CLUSTER, "--kubeconfig", kubeconfig, "--wait", "5m"];
    await runShown(kind, [...create, "--config", "-"], JSON.stringify(clusterConfig));
    await runShown(kind, ["load", "docker-image", `${name}:${image.tag}`, "--name", CLUSTER]);
    await installStory({ kubeconfig, image, helm, kubectl });
  } finally {
    await runShown(kind, ["delete", "cluster", "--name", CLUSTER, "--kubeconfig", kubeconfig]);
    await rm(folder, { recursive: true });
  }
}

try {
  await main();
  console.log("e2e-kind: installed, Ready, deleted, uninstalled");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
