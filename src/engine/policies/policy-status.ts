/** What a status stores of the policies: what was applied, what waits, what was approved. Pure. */
import { member } from "../../kube/api/json.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import type { Cause } from "../context/context.ts";
import { isSettled, isStalled } from "../contract/status.ts";
import { planIn, writePlan, type StatusPlan } from "./approval.ts";
import { requestedToken, type Policies } from "./policy.ts";

/** Members of the status, as they are stored. */
export interface PolicyStatus {
  readonly appliedGeneration: number | undefined;
  readonly plan: StatusPlan | undefined;
  readonly lastApprovedPlan: string | undefined;
}

/** Returns the stored members. */
export function policyStatusIn(object: KubeObject): PolicyStatus {
  const applied = member(object.status, "appliedGeneration");
  const approved = member(object.status, "lastApprovedPlan");
  return {
    appliedGeneration: typeof applied === "number" ? applied : undefined,
    plan: planIn(object),
    lastApprovedPlan: typeof approved === "string" ? approved : undefined,
  };
}

/** Returns the members of the status. */
export function writePolicyStatus({ appliedGeneration, plan, lastApprovedPlan }: PolicyStatus): JsonObject {
  return { appliedGeneration, plan: writePlan(plan), lastApprovedPlan };
}

/**
 * Reports whether the current spec was applied to the platform: what differs since is drift. A status of an older
 * version does not say it; what was Ready then counts as applied.
 */
export function isBroughtAbout(object: KubeObject): boolean {
  return member(object.status, "appliedGeneration") === object.metadata.generation || isSettled(object);
}

/** Returns what in the object itself calls for changes; undefined where only the platform or references can. */
export function causeIn(object: KubeObject): Extract<Cause, "Requested" | "SpecChanged"> | undefined {
  const isDone = isBroughtAbout(object);
  // A stalled object continues only because somebody asked.
  if (requestedToken(object) !== undefined && (isDone || isStalled(object))) return "Requested";
  return isDone ? undefined : "SpecChanged";
}

/**
 * Returns the generation that was applied. A status of an older version does not say it; what was Ready then counts,
 * unless it was only observed.
 */
export function broughtAbout(object: KubeObject, management: Policies["management"]): number | undefined {
  const { appliedGeneration } = policyStatusIn(object);
  if (appliedGeneration !== undefined || management === "ObserveOnly" || !isSettled(object)) return appliedGeneration;
  return object.metadata.generation;
}
