/** What the states of a cluster mean to people. Messages do not change while the state does not. */
import type { Why } from "../../engine/contract/kind.ts";
import { busy, failure, shownState } from "../service/words.ts";
import type { ClusterPass } from "./model.ts";

/** Work under way; the upgrade that was asked for is told as such. */
export function working({ memory, spec }: ClusterPass, state: string): Why {
  const { lastOrder } = memory;
  const version = lastOrder?.operation === "Upgrade" ? lastOrder.kubernetesVersion : undefined;
  const isUpgrade = version !== undefined && version === spec.kubernetesVersion && state.startsWith("DEPLOY");
  if (!isUpgrade) return busy(shownState(state));
  return { ...busy(shownState(state), `Kubernetes ${version}`), reason: "Upgrading" };
}

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["INVALID_CREDENTIALS", "Renew the cloud credentials of the cluster on the platform"],
  ["CANCELED", "It was cancelled on the platform"],
]);

/** A failure, with what to do about it. */
export function failed(state: string): Why {
  return failure(shownState(state), "cluster", ADVICE);
}
