/** The members of a status about policies: what was applied, and the plan that waits for approval. Pure. */
import { createHash } from "node:crypto";

import type { z } from "zod";

import { APPROVED_PLAN } from "../../api/names.ts";
import { planSchema, DRIFT_FIELDS } from "../../api/status.ts";
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { ChangeCause } from "../context/context.ts";
import type { Step } from "../contract/kind.ts";
import { isSettled, isStalled, nonEmptyText } from "../contract/status.ts";
import { isRequested } from "./policy.ts";

/** The member `plan` of a status. */
export type StatusPlan = z.output<typeof planSchema>;

/** Returns the plan of a status. */
export function planIn(object: KubeObject): StatusPlan | undefined {
  return planSchema.safeParse(member(object.status, "plan")).data;
}

/**
 * Returns the plan for some steps. Its hash covers the shown steps, the object's uid and generation, and the last
 * approved plan, so that the same change needs another approval when it comes again.
 */
export function statusPlanOf<Action>(object: KubeObject, steps: readonly Step<Action>[]): StatusPlan {
  const generation = object.metadata.generation ?? 0;
  const actions = steps.map(actionOf);
  const basis = [
    object.metadata.uid,
    generation,
    nonEmptyText(member(object.status, "lastApprovedPlan")) ?? "",
    actions,
  ];
  const hash = createHash("sha256").update(JSON.stringify(basis)).digest("hex").slice(0, 16);
  return { hash, generation, actions };
}

function actionOf<Action>(step: Step<Action>): StatusPlan["actions"][number] {
  const message = step.repeat === "once" ? step.why.message : step.message;
  const fields = (step.changes ?? []).slice(0, DRIFT_FIELDS);
  return {
    operation: step.op,
    ...(message === undefined ? {} : { message }),
    ...(step.repeat === "once" && step.creates ? { creates: true as const } : {}),
    ...(step.repeat === "once" && step.commit !== undefined ? { commit: step.commit } : {}),
    ...(fields.length === 0 ? {} : { fields }),
  };
}

/** Reports whether a person approved exactly this plan. */
export function isApproved(object: KubeObject, { hash }: StatusPlan): boolean {
  return object.metadata.annotations?.[APPROVED_PLAN] === hash;
}

/**
 * Reports whether an approved plan covers a step: it lists the operation, or it has a create, whose following steps
 * could not be foreseen.
 */
export function covers<Action>(plan: StatusPlan | undefined, generation: number, step: Step<Action>): boolean {
  if (plan?.approved !== true || plan.generation !== generation) return false;
  return plan.actions.some(({ operation, creates }) => operation === step.op || creates === true);
}

/** The members of a status about policies, as they are stored. */
export type PolicyStatus = ReturnType<typeof policyStatusIn>;

/** Returns the stored members about policies. */
export function policyStatusIn(object: KubeObject) {
  const applied = member(object.status, "appliedGeneration");
  const approved = member(object.status, "lastApprovedPlan");
  return {
    appliedGeneration: typeof applied === "number" ? applied : undefined,
    plan: planIn(object),
    lastApprovedPlan: typeof approved === "string" ? approved : undefined,
  };
}

/**
 * Reports whether the current spec was applied to the platform: later differences are drift. The status of a connection
 * does not record it; a Ready connection counts as applied.
 */
export function isSpecApplied(object: KubeObject): boolean {
  return member(object.status, "appliedGeneration") === object.metadata.generation || isSettled(object);
}

/**
 * Returns the cause of changes that lies in the object itself; undefined if only the platform or a reference can be the
 * cause.
 */
export function causeIn(object: KubeObject): Extract<ChangeCause, "Requested" | "SpecChanged"> | undefined {
  const isDone = isSpecApplied(object);
  // A stalled object continues only because of the request.
  if (isRequested(object) && (isDone || isStalled(object))) return "Requested";
  return isDone ? undefined : "SpecChanged";
}
