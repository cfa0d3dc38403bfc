/** The state of one reconcile inside the engine. How it ended is a `ReconcileResult` (build.ts). */
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { ChangeCause, Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Kind, ReconcileContext, Report, Uuid } from "../contract/kind.ts";
import { recordedIdIn } from "../contract/status.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import type { Policies } from "../policies/policy.ts";

/** A reconcile from its start on. */
export interface Reconciliation {
  readonly ports: Ports;
  readonly kind: Kind;
  readonly local: LocalState;
  /** The answers of the API server replace it. */
  object: KubeObject;
  /** Undefined while nothing was observed: then the stored facts stay. */
  report: Report | undefined;
  /** The memory of a one-shot object that ended before it was resolved. */
  memory?: JsonObject;
}

/** A reconcile whose spec, references, connection and values are resolved. */
export interface Resolved extends Reconciliation {
  readonly connection: Connection;
  readonly recordedIdentity: RecordedIdentity;
  readonly policies: Policies;
  /** What in the object called for changes before this reconcile wrote to it. */
  cause: ChangeCause | undefined;
  /** What the kind's pure code sees. */
  context: ReconcileContext;
  /** What the policies contribute to the status, as far as this reconcile has come. */
  policyStatus: PolicyStatus;
  /** The operation of an unconfirmed action that may be sent once more. Its intent is open until then. */
  repeats?: string;
  /** The orphan ledger's entry that the id comes from, until the object is adopted. */
  orphan: Orphan | undefined;
}

/** A reconcile that may have ended before it was resolved. */
export type Ended = Reconciliation & Partial<Resolved>;

/** Returns the state of a reconcile that begins. */
export function beginReconcile(ports: Ports, kind: Kind, object: KubeObject, local: LocalState): Reconciliation {
  return { ports, kind, local, object, report: undefined };
}

/** Returns the id that may be stored: one that was given or claimed only after the kind verified and adopted it. */
export function recordedId({ id, identitySource }: Pick<ReconcileContext, "id" | "identitySource">): Uuid | undefined {
  return identitySource === "recorded" ? id : undefined;
}

/** Returns the id to store. Before the object is resolved, it is what this process knows, else what is stored. */
export function idToStore({ context, local, object }: Ended): Uuid | undefined {
  if (context !== undefined) return recordedId(context);
  return local.unsaved?.id ?? recordedIdIn(object);
}

/**
 * Returns the memory to store: what this process knows and has not stored, else what the reconcile used, else what is
 * stored. A deletion does not change the memory.
 */
export function memoryToStore({ kind, local, object, context, memory }: Ended): JsonObject {
  const isUsed = context?.goal === "present" && recordedId(context) !== undefined;
  const used = isUsed ? context.memory : memory;
  return local.unsaved?.memory ?? used ?? kind.resource.memory.parse(object.status ?? {});
}
