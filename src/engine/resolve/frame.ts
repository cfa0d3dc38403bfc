import type { KubeObject } from "../../kube/api/types.ts";
import type { Connection } from "../connections/connections.ts";
import type { Cause } from "../context/context.ts";
import type { Session } from "../context/local-state.ts";
import type { KindTypes, Pass } from "../contract/kind.ts";
import type { Pins } from "../ledger/identity.ts";
import type { Orphan } from "../orphans/orphan.ts";
import type { Governed } from "../policies/policy-status.ts";
import type { Policies } from "../policies/policy.ts";

/** Everything that a pass over one object works with. The object is replaced by what the API server answers. */
export interface Frame<K extends KindTypes> {
  readonly object: KubeObject;
  /** What in the object called for changes before this pass wrote anything to it. */
  readonly cause: Cause | undefined;
  readonly session: Session;
  readonly connection: Connection<K["api"]>;
  readonly pass: Pass<K>;
  readonly pins: Pins;
  readonly policies: Policies;
  /** What the policies have to say in the status, as far as this pass has come. */
  readonly governed: Governed;
  /** The operation of an action that nobody confirmed, and that may be sent once more. Its intent is open till then. */
  readonly repeats?: string;
  /** The entry that its id comes from, until the object is adopted. */
  readonly orphan?: Orphan | undefined;
}
