/** Answers the annotation redeploy-requested-at: once for each value, by a deployment or by a refusal. */
import type { KubeObject } from "../../kube/api/types.ts";
import type { Kind } from "../contract/kind.ts";
import { conditionOf, recordedIdIn } from "../contract/status.ts";
import { redeployToken, unhandledRedeploy } from "../policies/policy.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** The answer to a request; empty without one, and while the request waits. */
interface RedeployAnswer {
  /** The value of the annotation. */
  readonly handledRedeploy?: string;
  /** Why nothing is deployed; absent where that needs no event. */
  readonly refusal?: string;
}

/** Returns the open request to deploy a recorded object again; undefined where its kind cannot be deployed. */
export function requestedRedeploy(kind: Pick<Kind, "resource">, object: KubeObject): string | undefined {
  return isRedeployable(kind) ? redeployToken(object) : undefined;
}

/** Reports whether the objects of a kind can be deployed again: their status then has the answer. */
function isRedeployable({ resource }: Pick<Kind, "resource">): boolean {
  return "lastHandledRedeployAt" in resource.status.shape;
}

const NOT_CREATED =
  "It was not recorded on the platform when that was requested, so there is nothing to deploy again. After its creation it is deployed without a request.";

/** Returns the answer to a request that no deployment answers. A deployment answers one in the kind's memory. */
export function redeployAnswer({ kind, object, report }: Reconciliation): RedeployAnswer {
  const handledRedeploy = isRedeployable(kind) ? unhandledRedeploy(object) : undefined;
  if (handledRedeploy === undefined) return {};
  if (recordedIdIn(object) === undefined) {
    // A manifest that brings the annotation along, e.g. from a backup, requests nothing.
    const isNew = conditionOf(object, "Ready") === undefined;
    return isNew ? { handledRedeploy } : { handledRedeploy, refusal: NOT_CREATED };
  }
  const refusal = report?.redeployRefusal;
  return refusal === undefined ? {} : { handledRedeploy, refusal };
}
