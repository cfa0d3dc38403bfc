/** The outcome of a reconcile, to be written. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { LocalState } from "../context/local-state.ts";
import type { Ms, PolicyDefaults, Report, Uuid } from "../contract/kind.ts";
import { text } from "../contract/status.ts";
import type { RecordedIdentity } from "../ledger/identity.ts";
import type { PolicyStatus } from "../policies/policy-status.ts";
import { NO_DEFAULTS } from "../policies/policy.ts";
import type { Result } from "./build.ts";

/** All that is to be written. */
export interface Done {
  readonly object: KubeObject;
  readonly local: LocalState;
  readonly result: Result;
  readonly report: Report | undefined;
  readonly id: Uuid | undefined;
  /** The memory that the reconcile used, where it belongs to the object with that id; see `memoryOf`. */
  readonly memory?: JsonObject | undefined;
  readonly recordedIdentity: RecordedIdentity | undefined;
  /** Whether the platform was read in this reconcile: then a reconcile request is handled, however it went. */
  readonly asked: boolean;
  readonly again: Ms | undefined;
  readonly policyStatus: PolicyStatus | undefined;
  readonly defaults: PolicyDefaults;
  /**
   * Names the objects that share reads of the platform: they are reconciled together. undefined where none are shared.
   */
  readonly group?: string | undefined;
}

/**
 * Returns the memory of an object: what this process knows and has not stored, else what the reconcile used, else what
 * is stored.
 */
export function memoryOf(
  { resource }: { readonly resource: { readonly memory: { parse(status: unknown): JsonObject } } },
  { local, memory, object }: Done,
): JsonObject {
  return local.unsaved?.memory ?? memory ?? resource.memory.parse(object.status ?? {});
}

/** Returns the outcome of a reconcile that ended before the platform was read. */
export function unasked(object: KubeObject, local: LocalState, result: Result, again?: Ms): Done {
  const id = local.unsaved?.id ?? text(member(object.status, "externalId"));
  return {
    object,
    local,
    result,
    report: undefined,
    id,
    recordedIdentity: undefined,
    asked: false,
    again,
    policyStatus: undefined,
    defaults: NO_DEFAULTS,
  };
}
