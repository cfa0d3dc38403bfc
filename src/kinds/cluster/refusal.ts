/** Why a cluster may not be worked on at all. Pure. */
import type { Why } from "../../engine/kind.ts";
import { clusterNotAllowed } from "../cluster-ref.ts";
import { alreadyManaged, notThere } from "../names.ts";
import type { ClusterPass, Seen } from "./model.ts";

/** What stands in the way of any work on the cluster; undefined when nothing does. */
export function refusal(pass: ClusterPass, { listed }: Seen): Why | undefined {
  const { externalId: id } = pass.spec;
  if (listed === "none") return pass.proof === "recorded" ? gone(id) : notThere("cluster", id, "the organization");
  const notAllowed = clusterNotAllowed(pass);
  if (notAllowed !== undefined) return notAllowed;
  const holder = pass.holderOf(id);
  return holder === undefined ? undefined : alreadyManaged(id, holder);
}

function gone(id: string): Why {
  const message = `The organization has no cluster ${id} any more. Clusters are never created. Delete this resource.`;
  return { reason: "ExternalResourceDeleted", message };
}
