import { KubeError } from "../api/errors.ts";
import { isObject, member, stringMember } from "../api/json.ts";
import type { Json, JsonObject } from "../api/types.ts";

/** What leader election reads of a Lease (coordination.k8s.io/v1). */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when it was released. */
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string | undefined;
  readonly transitions: number;
  /** All of metadata and spec, so that a write keeps what it does not know. */
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/**
 * @returns the record of a Lease, whatever somebody wrote into it by hand.
 * @throws KubeError "BadResponse" when the answer is no object with a resourceVersion.
 */
export function fromLease(answer: Json): LeaseRecord {
  const metadata = member(answer, "metadata");
  const resourceVersion = stringMember(metadata, "resourceVersion");
  if (!isObject(metadata) || resourceVersion === undefined) {
    throw new KubeError("BadResponse", 200, "the answer is no Lease");
  }
  const given = member(answer, "spec");
  const spec = isObject(given) ? given : {};
  return {
    resourceVersion,
    holder: stringMember(spec, "holderIdentity") ?? "",
    durationMs: count(spec["leaseDurationSeconds"]) * 1_000,
    acquireTime: stringMember(spec, "acquireTime"),
    transitions: count(spec["leaseTransitions"]),
    metadata,
    spec,
  };
}

/** @returns the body of a write; over an existing Lease it carries its resourceVersion. */
export function leaseBody(
  at: { readonly name: string; readonly namespace: string },
  before: LeaseRecord | undefined,
  spec: JsonObject,
): JsonObject {
  const metadata = before?.metadata ?? { name: at.name, namespace: at.namespace };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { ...before?.spec, ...spec } };
}

function count(value: Json | undefined): number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;
}
