/** What a status stores of the policies: what was applied, and the plan that waits for approval. Pure. */
import { createHash } from "node:crypto";

import { z } from "zod";

import { APPROVED_PLAN } from "../../api/names.ts";
import { member } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import type { Cause } from "../context/context.ts";
import type { DriftField, Step } from "../contract/kind.ts";
import { isSettled, isStalled, text } from "../contract/status.ts";
import { requestedToken, type Policies } from "./policy.ts";

const field = z.object({ path: z.string(), desired: z.string(), observed: z.string() }).readonly();
const action = z
  .object({
    operation: z.string(),
    message: z.string().optional(),
    creates: z.literal(true).optional(),
    commit: z.string().optional(),
    fields: z.array(field).readonly().optional(),
  })
  .readonly();
const statusPlan = z
  .object({
    hash: z.string(),
    reason: z.string(),
    generation: z.int(),
    approved: z.literal(true).optional(),
    actions: z.array(action).readonly(),
  })
  .readonly();

/** The member `plan` of a status. */
export type StatusPlan = z.output<typeof statusPlan>;

/** Returns the plan of a status. */
export function planIn(object: KubeObject): StatusPlan | undefined {
  return statusPlan.safeParse(member(object.status, "plan")).data;
}

const MAX_FIELDS = 20;

/**
 * Returns the plan of some steps. Its hash covers what is shown of them, the generation, and the last approved plan:
 * the same change needs another approval when it comes again.
 */
export function planOf<Do>(object: KubeObject, steps: readonly Step<Do>[], reason: string): StatusPlan {
  const generation = object.metadata.generation ?? 0;
  const actions = steps.map(actionOf);
  const basis = [object.metadata.uid, generation, text(member(object.status, "lastApprovedPlan")) ?? "", actions];
  const hash = createHash("sha256").update(JSON.stringify(basis)).digest("hex").slice(0, 16);
  return { hash, reason, generation, actions };
}

function actionOf<Do>(step: Step<Do>): StatusPlan["actions"][number] {
  const message = step.repeat === "once" ? step.why.message : step.message;
  const fields: readonly DriftField[] = (step.changes ?? []).slice(0, MAX_FIELDS);
  return {
    operation: step.op,
    ...(message === undefined ? {} : { message }),
    ...(step.repeat === "once" && step.creates ? { creates: true as const } : {}),
    ...(step.repeat === "once" && step.commit !== undefined ? { commit: step.commit } : {}),
    ...(fields.length === 0 ? {} : { fields: fields }),
  };
}

/** Reports whether a person approved this very plan. */
export function isApproved(object: KubeObject, { hash }: StatusPlan): boolean {
  return object.metadata.annotations?.[APPROVED_PLAN] === hash;
}

/**
 * Reports whether an approved plan covers a step: it lists the operation; or it creates, and what follows could not be
 * foreseen.
 */
export function covers<Do>(plan: StatusPlan | undefined, generation: number, step: Step<Do>): boolean {
  if (plan?.approved !== true || plan.generation !== generation) return false;
  return plan.actions.some(({ operation, creates }) => operation === step.op || creates === true);
}

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

/**
 * Reports whether the current spec was applied to the platform: what differs since is drift. A status of an older
 * version does not say it; what was Ready then counts as applied.
 */
export function isSpecApplied(object: KubeObject): boolean {
  return member(object.status, "appliedGeneration") === object.metadata.generation || isSettled(object);
}

/** Returns what in the object itself calls for changes; undefined where only the platform or references can. */
export function causeIn(object: KubeObject): Extract<Cause, "Requested" | "SpecChanged"> | undefined {
  const isDone = isSpecApplied(object);
  // A stalled object continues only because somebody asked.
  if (requestedToken(object) !== undefined && (isDone || isStalled(object))) return "Requested";
  return isDone ? undefined : "SpecChanged";
}

/**
 * Returns the generation that was applied. A status of an older version does not say it; what was Ready then counts,
 * unless it was only observed.
 */
export function appliedGenerationOf(object: KubeObject, management: Policies["management"]): number | undefined {
  const { appliedGeneration } = policyStatusIn(object);
  if (appliedGeneration !== undefined || management === "ObserveOnly" || !isSettled(object)) return appliedGeneration;
  return object.metadata.generation;
}
