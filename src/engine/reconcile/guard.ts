/** What every reconcile has around it: the lookup of the object, and errors that nothing below classifies. */
import { invalidAnnotations } from "../../api/annotations.ts";
import { isKube, KubeError } from "../../kube/api/errors.ts";
import type { KubeObject, ObjectKey } from "../../kube/api/types.ts";
import type { Ports } from "../context/context.ts";
import type { LocalState } from "../context/local-state.ts";
import { keyText } from "../contract/keys.ts";
import type { Ms, StatusReason } from "../contract/kind.ts";
import { backoff } from "../contract/requeue.ts";
import type { ReconcileResult } from "../status/outcome.ts";
import { isObjectChanged } from "../steps/execute.ts";

/** Reconciles one object by its key. @returns when to requeue; undefined when only an event should bring it back */
export type Reconcile = (key: ObjectKey) => Promise<Ms | undefined>;

/** The reconcile of an object that exists. */
interface Guarded {
  /** @returns when to requeue; undefined when only an event should bring the object back */
  readonly reconcile: (object: KubeObject, local: LocalState) => Promise<Ms | undefined>;
  /** Writes why the reconcile failed to the status. @throws KubeError */
  readonly report: (object: KubeObject, local: LocalState, failure: ReconcileResult) => Promise<unknown>;
}

/** How soon an object that changed during its reconcile is reconciled again. */
const CHANGED_AGAIN_MS = 100;

/**
 * Returns the function that reconciles objects by their keys. It forgets a deleted object, requeues an object after a
 * Conflict or NotFound of the API server, and reports a refusal (Invalid, Forbidden) or an error that is no KubeError
 * in the status. It throws any other KubeError, and in a dry run a refusal as well.
 */
export function guarded(ports: Ports, { reconcile, report }: Guarded): Reconcile {
  return async (key) => {
    const object = ports.cache.get(key);
    if (object === undefined) {
      ports.localStates.forget(keyText(key));
      ports.connections.forget(keyText(key));
      ports.observer.removed(key);
      return undefined;
    }
    const local = ports.localStates.of(keyText(key), object.metadata.uid);
    try {
      return await reconcile(object, local);
    } catch (error) {
      // The object changed or was deleted during the reconcile. The decision is void, and the cache has the new state.
      if (isObjectChanged(error)) return CHANGED_AGAIN_MS;
      // A dry run reports the error itself.
      const refusal = ports.dryRun ? undefined : refusalIn(error);
      if (error instanceof KubeError && refusal === undefined) throw error;
      if (refusal === undefined) ports.observer.internal(key, error);
      const now = ports.cache.get(key);
      if (now === undefined || now.metadata.uid !== local.uid) return undefined;
      local.failures.count += 1;
      const again = backoff(local.failures.count, ports.windows, ports.random());
      await report(now, local, { is: "stalled", why: refusal ?? FAILED, exchange: "none", again });
      return Math.max(again, ports.windows.backoffMinMs);
    }
  };
}

/** The reason of an error that the engine does not classify. */
const FAILED: StatusReason = {
  reason: "InternalError",
  message: "The operator failed on this object; others are not affected. Its log has the details. It tries again.",
};

/** Returns why the API server rejects what the operator writes about an object; undefined for other errors. */
function refusalIn(error: unknown): StatusReason | undefined {
  const isInvalid = isKube(error, "Invalid");
  if (!(error instanceof KubeError) || (!isInvalid && !isKube(error, "Forbidden"))) return undefined;
  const cause = isInvalid
    ? "Annotations may leave no room for the operator's own (256 KiB at most on one object), or a policy forbids it"
    : "A policy forbids it, or the operator lacks a right in the cluster";
  const message = `The API server refuses what the operator needs for this object (${error.message}). ${cause}. It tries again.`;
  return { reason: isInvalid ? "InvalidSpec" : "PermissionDenied", message };
}

/** Warns of each annotation with an invalid value, once in this process. */
export function warnOfAnnotations({ events }: Ports, object: KubeObject, { warned }: LocalState): void {
  for (const note of invalidAnnotations(object)) {
    if (warned.has(note)) continue;
    warned.add(note);
    events.record({ regarding: object, type: "Warning", reason: "InvalidSpec", action: "Reconcile", note });
  }
}
