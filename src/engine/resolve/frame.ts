import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Cause } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { KindTypes, ReconcileContext } from "../contract/kind.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import type { Policies } from "../policies/policy.ts";

/** The state of one reconcile inside the engine. The answers of the API server replace the object. */
export interface Reconciliation<K extends KindTypes> {
  readonly object: KubeObject;
  /** What in the object called for changes before this reconcile wrote to it. */
  readonly cause: Cause | undefined;
  readonly local: LocalState;
  readonly connection: Connection<K["api"]>;
  readonly context: ReconcileContext<K>;
  readonly recordedIdentity: RecordedIdentity;
  readonly policies: Policies;
  /** What the policies contribute to the status, as far as this reconcile has come. */
  readonly policyStatus: PolicyStatus;
  /** The operation of an unconfirmed action that may be sent once more. Its intent is open until then. */
  readonly repeats?: string;
  /** The orphan ledger's entry that the id comes from, until the object is adopted. */
  readonly orphan?: Orphan | undefined;
}
