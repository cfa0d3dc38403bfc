/** What kinds that work on a cluster need of it. */
import type { Reference, Uuid, Why } from "../../engine/contract/kind.ts";
import { beyondProjects, type Limits } from "./limits.ts";

/** The need for the cluster that spec.clusterRef names: its id is enough, also while it is stopped or upgraded. */
export function clusterNeed(ref: {
  readonly name?: string | undefined;
  readonly externalId?: Uuid | undefined;
}): Reference {
  const { name, externalId } = ref;
  return { field: "spec.clusterRef", kind: "PlatformCluster", name, externalId, idOnly: true };
}

/** Why a connection that is limited to some projects does not reach clusters, which belong to none. */
export function clusterNotAllowed(context: Limits): Why | undefined {
  return beyondProjects(context, "a cluster belongs to none of them");
}
