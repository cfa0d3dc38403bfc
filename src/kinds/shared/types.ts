import type { Resource } from "../../api/resource.ts";
import type { ContextPolicies, ContextRecords, KindTypes, ReconcileContext } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";

/** The types that a kind has of its own, beside those of its resource. */
type OwnTypes = Pick<KindTypes, "observed" | "action"> & Partial<Pick<KindTypes, "inputs">>;

/** The types of the kind of a resource (`KindTypes`). A kind whose specs refer to nothing declares no inputs. */
export type TypesOf<R extends Resource, Own extends OwnTypes> = Own &
  (R extends Resource<infer Spec, infer Mem> ? { spec: Spec; inputs: object; memory: Mem; api: Platform } : never);

/** A context with these policies, for functions that need no more. */
export interface WithPolicies<Name extends keyof ContextPolicies> {
  readonly policies: Pick<ContextPolicies, Name>;
}

/** A context with these records, for functions that need no more. */
export interface WithRecords<Name extends keyof ContextRecords> {
  readonly records: Pick<ContextRecords, Name>;
}

/** A context with the source of the id, for functions that need no more. */
export type Identified = Pick<ReconcileContext, "identitySource">;
