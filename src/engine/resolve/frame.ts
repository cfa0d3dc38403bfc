import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Cause } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import type { KindTypes, ReconcileContext } from "../contract/kind.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import type { Policies } from "../policies/policy.ts";

/** Everything that a pass over one object works with. The object is replaced by what the API server answers. */
export interface Reconciliation<K extends KindTypes> {
  readonly object: KubeObject;
  /** What in the object called for changes before this pass wrote anything to it. */
  readonly cause: Cause | undefined;
  readonly local: LocalState;
  readonly connection: Connection<K["api"]>;
  readonly context: ReconcileContext<K>;
  readonly recordedIdentity: RecordedIdentity;
  readonly policies: Policies;
  /** What the policies have to say in the status, as far as this pass has come. */
  readonly policyStatus: PolicyStatus;
  /** The operation of an action that nobody confirmed, and that may be sent once more. Its intent is open till then. */
  readonly repeats?: string;
  /** The entry that its id comes from, until the object is adopted. */
  readonly orphan?: Orphan | undefined;
}
