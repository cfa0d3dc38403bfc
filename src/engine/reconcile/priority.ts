/** The priority of a reconcile. Pure. */
import { RESOLVE } from "../../api/names.ts";
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { conditionOf, isSettled } from "../contract/status.ts";
import { requestedToken } from "../policies/policy.ts";

/** What a person asked of an existing object, then new objects, then work under way, then routine checks. */
export type Priority = "urgent" | "high" | "normal" | "low";

export function priorityOf(object: KubeObject): Priority {
  const { deletionTimestamp, annotations, generation = 0 } = object.metadata;
  if (deletionTimestamp !== undefined || requestedToken(object) !== undefined) return "urgent";
  if (annotations?.[RESOLVE] !== undefined) return "urgent";
  if (conditionOf(object, "Ready") === undefined) return "high";
  if (member(object.status, "observedGeneration") !== generation) return "urgent";
  return isSettled(object) && member(object.status, "intent") === undefined ? "low" : "normal";
}
