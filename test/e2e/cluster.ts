/**
 * A cluster without containers: a real control plane with its controllers and scheduler, and kwok, which simulates the
 * nodes. Pods become Ready; nothing runs in them.
 */
import { join } from "node:path";

import { kubectl } from "../control-plane/access.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { findGoTool, GO_TOOLS, goModuleFolder } from "../tools/go-tools.ts";

/** kwok's own rules for nodes and pods, in its module. */
const STAGES = [
  "node/fast/node-initialize",
  "node/heartbeat-with-lease/node-heartbeat-with-lease",
  "pod/fast/pod-ready",
  "pod/fast/pod-complete",
  "pod/fast/pod-delete",
];

/** @returns a cluster with one node, without our CRDs. @throws Error when a program is missing */
export async function startCluster(): Promise<ControlPlane> {
  const program = await findGoTool("kwok");
  const folder = join(await goModuleFolder("sigs.k8s.io/kwok", GO_TOOLS.kwok.version), "kustomize/stage");
  const cluster = await startControlPlane({
    controllers: true,
    kwok: { program, stages: STAGES.map((stage) => join(folder, `${stage}.yaml`)) },
    // Pods get the token of their ServiceAccount.
    apiServerFlags: { "disable-admission-plugins": null },
  });
  await kubectl(cluster, ["apply", "-f", "-"], { input: JSON.stringify(NODE) });
  return cluster;
}

const NODE = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "node-a", labels: { "topology.kubernetes.io/zone": "a", "kubernetes.io/hostname": "node-a" } },
  status: { allocatable: { cpu: "32", memory: "256Gi", pods: "110", "ephemeral-storage": "100Gi" } },
};
