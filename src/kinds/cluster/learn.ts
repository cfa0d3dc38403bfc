/** Records what a PlatformOperation did to the cluster, where nothing but its answer shows it. Pure. */
import type { ExternalAction } from "../../engine/contract/kind.ts";
import { shownState } from "../service/words.ts";
import { isNew, withOperation } from "../shared/last-operation.ts";
import type { ClusterMemory } from "./crd.ts";
import type { ClusterPass } from "./model.ts";
import { showsClusters } from "./observe.ts";

/** Where the platform shows clusters, they are read; else the operation's request counts as the last one. */
export function learn(action: ExternalAction, context: ClusterPass): ClusterMemory {
  const memory = withOperation(context.memory, action);
  if (showsClusters(context.supports) || !isNew(context.memory, action)) return memory;
  if (action.op === "stopCluster")
    return { ...answered(action, context, memory, "Stop"), runState: runStateAfter(context) };
  return action.op === "upgradeCluster" ? upgraded(answered(action, context, memory, "Upgrade"), context) : memory;
}

function answered(
  { state }: ExternalAction,
  { generation }: ClusterPass,
  memory: ClusterMemory,
  operation: "Stop" | "Upgrade",
): ClusterMemory {
  return {
    ...memory,
    state: state === undefined ? undefined : shownState(state),
    isDeployed: undefined,
    nextKubernetesVersion: undefined,
    lastOrder: { operation, generation },
  };
}

/** Without a wanted run state, none is reached. */
function runStateAfter({ spec, memory }: ClusterPass): ClusterMemory["runState"] {
  return spec.runState === undefined ? memory.runState : "Stopped";
}

/** An upgrade leads to the next minor version: a spec that names that version afterwards does not send another one. */
function upgraded(memory: ClusterMemory, { spec, generation }: ClusterPass): ClusterMemory {
  const { kubernetesVersion = spec.kubernetesVersion } = memory.versionBaseline ?? {};
  if (kubernetesVersion === undefined) return memory;
  const [major = 0, minor = 0] = kubernetesVersion.split(".").map(Number);
  return { ...memory, versionBaseline: { generation, kubernetesVersion: `${major}.${minor + 1}` } };
}
