/** What kinds that work on a cluster need of it. */
import type { Reference, Uuid, Why } from "../engine/kind.ts";

/** The need for the cluster that spec.clusterRef names: its id is enough, also while it is stopped or upgraded. */
export function clusterNeed(ref: {
  readonly name?: string | undefined;
  readonly externalId?: Uuid | undefined;
}): Reference {
  const { name, externalId } = ref;
  return { field: "spec.clusterRef", kind: "PlatformCluster", name, externalId, idOnly: true };
}

/** Why a connection that is limited to some projects does not reach clusters, which belong to none. */
export function clusterNotAllowed(pass: {
  readonly allowedProjects: readonly Uuid[] | undefined;
  readonly allowUnverifiedIds: boolean;
}): Why | undefined {
  if (pass.allowedProjects === undefined || pass.allowUnverifiedIds) return undefined;
  const message =
    "The connection is limited to some projects, and a cluster belongs to none of them. Use another connection, or set allowUnverifiedIds on this one.";
  return { reason: "NotObservable", message };
}
