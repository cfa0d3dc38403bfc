/** The state of one reconcile inside the engine. How it ended is a `ReconcileResult` (outcome.ts). */
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { ChangeCause, Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Kind, ReconcileContext, Report, Uuid } from "../contract/kind.ts";
import { recordedIdIn, wasListed, memoryIn } from "../contract/status.ts";
import type { RecordedIdentity } from "../ledger/record.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import type { Policies } from "../policies/policy.ts";

/** What a reconcile has in each of its phases: `Unresolved` or `Resolved`. */
export interface Reconciliation {
  readonly ports: Ports;
  readonly kind: Kind;
  readonly local: LocalState;
  /** The answers of the API server replace it. */
  object: KubeObject;
  /** Undefined while nothing was observed: the stored facts then stay. */
  report: Report | undefined;
}

/** A reconcile that has just begun, or that ends because something cannot be resolved. */
export interface Unresolved extends Reconciliation {
  readonly isResolved: false;
}

/** A reconcile whose spec, references, connection and values are resolved. */
export interface Resolved extends Reconciliation {
  readonly isResolved: true;
  readonly connection: Connection;
  readonly recordedIdentity: RecordedIdentity;
  readonly policies: Policies;
  /** The cause of changes that the object had before this reconcile wrote to it. */
  cause: ChangeCause | undefined;
  /** What the kind's pure code sees. */
  context: ReconcileContext;
  /** The members of status about policies, as far as this reconcile has come. */
  policyStatus: PolicyStatus;
  /** The operation of an unconfirmed action that may be sent once more. Its intent is open until then. */
  repeats?: string;
  /** The orphan ledger's entry that the id comes from, until the object is adopted. */
  orphan: Orphan | undefined;
}

/** Returns the state of a reconcile that begins. */
export function beginReconcile(ports: Ports, kind: Kind, object: KubeObject, local: LocalState): Unresolved {
  return { isResolved: false, ports, kind, local, object, report: undefined };
}

/**
 * Returns the id that may be stored. One that was given or claimed has to be verified and adopted by the kind first.
 */
export function recordedId({ id, identitySource }: Pick<ReconcileContext, "id" | "identitySource">): Uuid | undefined {
  return identitySource === "recorded" ? id : undefined;
}

/** Returns the id to store. Before the object is resolved, it is what this process knows, else what is stored. */
export function idToStore(r: Unresolved | Resolved): Uuid | undefined {
  if (r.isResolved) return recordedId(r.context);
  return r.local.persistence.state.outcome?.id ?? recordedIdIn(r.object);
}

/** Reports whether a list of the platform has shown the object that is recorded. */
export function isListed(r: Unresolved | Resolved): boolean {
  const { local, object } = r;
  const id = idToStore(r) ?? "";
  const { listHistory } = local.reads;
  if (listHistory?.id === id) return listHistory.shown;
  return wasListed(object) && (recordedIdIn(object) ?? "") === id;
}

/**
 * Returns the memory to store: what this process has not stored yet, else the one that the reconcile used, else the stored
 * one. A deletion does not change the memory.
 */
export function memoryToStore(r: Unresolved | Resolved): JsonObject {
  const { kind, local, object } = r;
  const isUsed = r.isResolved && r.context.goal === "present" && recordedId(r.context) !== undefined;
  const used = isUsed ? r.context.memory : undefined;
  return local.persistence.state.outcome?.memory ?? used ?? memoryIn(kind.resource, object);
}
