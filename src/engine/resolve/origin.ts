/** Determines where the id of a resource comes from, and how far it can be believed. */
import { INTENT } from "../../api/names.ts";
import { isObject } from "../../kube/api/json.ts";
import type { JsonObject } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { Goal, ExternalLifecycle, RatedApi } from "../contract/kind.ts";
import type { Identity } from "../ledger/identity.ts";
import { readRecord, type Place } from "../ledger/record.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { Policies } from "../policies/policy.ts";
import { candidateFor, memoryOfOrphan } from "./orphan.ts";

interface Origin {
  readonly identity: Identity;
  /** The memory of the object where the status does not have it. */
  readonly kept?: JsonObject;
  readonly orphan?: Orphan;
}

/** Returns the object that a resource represents: as recorded, else as an earlier resource of its key left it. */
export async function originOf<Api extends RatedApi>(
  ports: Ports<Api>,
  frame: Place<Api> & { readonly policies: Policies },
  identity: Identity,
  { goal, lives }: { readonly goal: Goal; readonly lives: ExternalLifecycle },
): Promise<Origin> {
  const proven = provenBySeal(frame, identity);
  if (goal !== "present" || lives !== true) return proven;
  if (identity.is === "known") {
    // A process that was killed right after it adopted an orphan left no status.
    const isSealed = identity.proof === "claimed" && proven.identity !== identity;
    const memory = isSealed ? memoryOfOrphan(ports, frame, identity.id) : undefined;
    return { ...proven, ...(memory !== undefined && { kept: memory }) };
  }
  if (identity.is !== "none" || frame.object.metadata.annotations?.[INTENT] !== undefined) return proven;
  const found = await candidateFor(ports, frame, frame.policies);
  if (found === undefined) return proven;
  const { orphan, memory } = found;
  return { identity: found.identity, orphan, ...(memory !== undefined && { kept: memory }) };
}

/**
 * A claim with a valid signature counts like the status that a crash prevented, with the memory that the kind keeps.
 */
function provenBySeal<Api>(place: Place<Api>, identity: Identity): Origin {
  if (identity.is !== "known" || identity.proof !== "claimed") return { identity };
  const record = readRecord(place, identity.id);
  if (record === undefined) return { identity };
  return { identity: { ...identity, proof: "recorded" }, ...(isObject(record.kept) && { kept: record.kept }) };
}
