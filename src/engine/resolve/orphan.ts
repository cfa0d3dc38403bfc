/** Finds the object that an earlier resource of the same key left on the platform. */
import { isKube } from "../../kube/api/errors.ts";
import { keyOf } from "../../kube/api/objects.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { StatusReason } from "../contract/kind.ts";
import type { Identity, RecordTarget } from "../ledger/record.ts";
import { externalNameOf, isSigned, type Orphan, type OrphanKey } from "../orphans/orphan.ts";
import type { Policies } from "../policies/policy.ts";

/** Where the id of a resource comes from. */
export interface Origin {
  readonly identity: Identity;
  /** The memory of the object where the status does not have it. */
  readonly kept?: JsonObject | undefined;
  /** The entry by which a resource may adopt its object. */
  readonly orphan?: Orphan | undefined;
}

/**
 * Returns the origin that the orphan ledger shows for a resource. An entry that this installation signed counts for
 * every resource of its key; any other entry counts only in the namespace that it was made for, by its uid, and only as
 * a claim.
 * @returns undefined if no entry counts, or the policies do not allow the adoption
 * @throws KubeError
 */
export async function candidateFor(
  ports: Ports,
  place: RecordTarget,
  { adoption, management }: Pick<Policies, "adoption" | "management">,
): Promise<Origin | undefined> {
  const expected = ports.orphans.expected();
  if (expected !== undefined) await expected;
  const known = ports.orphans.find(orphanKeyOf(place));
  if (known === undefined || adoption === "Never" || management === "ObserveOnly") return undefined;
  const orphan = await confirmed(ports, known);
  if (orphan === undefined) return undefined;
  const { id } = orphan;
  if (isSigned(orphan, ports.key)) {
    return { orphan, identity: { is: "known", id, identitySource: "orphaned" }, kept: orphan.memory };
  }
  // A namespace of the same name may belong to another team by now.
  const namespace = await ports.namespaces.get(orphan.namespace, 0);
  if (namespace === undefined || namespace.uid !== orphan.namespaceUid) return undefined;
  return { orphan, identity: { is: "known", id, identitySource: "claimed" } };
}

/** Returns the memory in the signed entry of an object, for a status that does not have it; undefined without one. */
export function memoryOfOrphan(
  ports: Ports,
  { object, recordedIdentity }: RecordTarget,
  identity: Identity,
): JsonObject | undefined {
  if (identity.is !== "known") return undefined;
  const { id } = identity;
  const orphan = ports.orphans.get({ ...recordedIdentity, kind: object.kind, id });
  return orphan !== undefined && isSigned(orphan, ports.key) ? orphan.memory : undefined;
}

/** Reads an entry again. Without the permission to read it, the known entry counts. */
async function confirmed(ports: Ports, orphan: Orphan): Promise<Orphan | undefined> {
  try {
    return await ports.orphans.confirm(orphan);
  } catch (error) {
    if (isKube(error, "Forbidden")) return orphan;
    throw error;
  }
}

function orphanKeyOf({ object, recordedIdentity }: RecordTarget): OrphanKey {
  const { installation, host, organizationId, parentId } = recordedIdentity;
  const { kind, namespace, name } = keyOf(object);
  const externalName = externalNameOf(object);
  return { installation, host, organizationId, kind, namespace, name, parentId, externalName };
}

/** Returns why the object of an entry is not adopted, and what to do about it. */
export function notAdopted({ reason, message }: StatusReason, { id }: Orphan): StatusReason {
  const hint = `The orphan ledger says that an earlier resource of this name left ${id} on the platform. If this resource must not adopt it, run "kubectl platform orphans forget ${id}", or set spec.lifecycle.adoptionPolicy to Never.`;
  return { reason, message: `${message} ${hint}` };
}
