/** What kinds that work on a cluster need of it. */
import type { Reference, Uuid, Why } from "../../engine/contract/kind.ts";
import { beyondProjects, type Limits } from "./limits.ts";

/** Returns the need for the cluster of spec.clusterRef. Its id is enough, also while it is stopped or upgraded. */
export function clusterNeed(ref: {
  readonly name?: string | undefined;
  readonly externalId?: Uuid | undefined;
}): Reference {
  const { name, externalId } = ref;
  return { field: "spec.clusterRef", kind: "PlatformCluster", name, externalId, idOnly: true };
}

/** Returns why a connection with allowedProjects does not reach clusters, which belong to no project. */
export function clusterNotAllowed(context: Limits): Why | undefined {
  return beyondProjects(context, "a cluster belongs to none of them");
}
