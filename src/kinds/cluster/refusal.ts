/** Why a cluster may not be worked on at all. Pure. */
import type { Why } from "../../engine/contract/kind.ts";
import { clusterNotAllowed } from "../shared/cluster-ref.ts";
import { unprovenId } from "../shared/limits.ts";
import { alreadyManaged, notThere } from "../shared/names.ts";
import { isShown, type ClusterPass, type Seen } from "./model.ts";

/** What stands in the way of any work on the cluster; undefined when nothing does. */
export function refusal(pass: ClusterPass, seen: Seen): Why | undefined {
  const { externalId: id } = pass.spec;
  if (seen.listed === "Gone") return pass.proof === "recorded" ? gone(id) : notThere("cluster", id, "the organization");
  const notAllowed = clusterNotAllowed(pass);
  if (notAllowed !== undefined) return notAllowed;
  const holder = pass.holderOf(id);
  return holder === undefined ? unproven(pass, seen) : alreadyManaged(id, holder);
}

/**
 * Why the cluster is not known to be the organization's: it is not in its list, the platform took no order that names
 * both, and the connection does not let ids stand without proof.
 */
export function unproven(pass: ClusterPass, seen: Seen): Why | undefined {
  const isProven = isShown(seen) || pass.memory.verified === true;
  return isProven ? undefined : unprovenId(pass, `cluster ${pass.spec.externalId}`);
}

function gone(id: string): Why {
  const message = `The organization has no cluster ${id} any more. Clusters are never created. Delete this resource.`;
  return { reason: "ExternalResourceDeleted", message };
}
