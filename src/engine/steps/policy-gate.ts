/** Decides which of a kind's planned steps may be taken now: management, drift and approval. */
import { APPROVED_PLAN } from "../../api/names.ts";
import type { Goal, Plan, Step, StatusReason } from "../contract/kind.ts";
import { pollInterval } from "../contract/requeue.ts";
import { covers, isApproved, type PolicyStatus, type StatusPlan, statusPlanOf } from "../policies/policy-status.ts";
import { forbidsWrites, type Policies } from "../policies/policy.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { unsupportedBefore } from "./rejection.ts";

/** A plan after the policies were applied. A step in it may be taken. */
interface Allowed {
  readonly plan: Plan;
  readonly policyStatus: PolicyStatus;
}

/** The largest number of steps of a plan. */
const PLAN_LIMIT = 16;

/** In poll intervals: how long a correction may take with all its requests, and after how long the next may begin. */
const CORRECTION = { lasts: 0.02, cooldown: 0.9 } as const;

/**
 * Returns the kind's plan as the policies allow it: for each step that may not be taken, the kind plans again as if the
 * step were impossible. A change that somebody makes right after a correction is only reported as drift until the next
 * poll: otherwise the operator and another controller could revert each other's changes endlessly.
 */
export function allowedPlan(r: Resolved, observed: unknown): Plan {
  const { plan, policyStatus } = evaluatePolicies(r, observed);
  r.policyStatus = policyStatus;
  const isCorrection = plan.is === "step" && plan.step.corrects === true;
  if (isCorrection && policyStatus.appliedGeneration === r.context.resource.generation) {
    if (sinceCorrection(r) >= CORRECTION.cooldown) r.local.correctedAt = r.ports.clock.monotonic();
  }
  return plan;
}

/** @returns the time since the last correction of this object began, in poll intervals; infinity without one */
function sinceCorrection({ ports, object, local, connection }: Resolved): number {
  const poll = pollInterval(object, ports.windows, connection.settings.defaults.pollInterval).ms;
  return (ports.clock.monotonic() - (local.correctedAt ?? Number.NEGATIVE_INFINITY)) / poll;
}

function evaluatePolicies(r: Resolved, observed: unknown): Allowed {
  const { ports, kind, object, context, policies } = r;
  const input: PolicyInput = {
    policies,
    policyStatus: r.policyStatus,
    goal: context.goal,
    generation: context.resource.generation,
    isDry: ports.dryRun,
    inCooldown: isInCooldown(r),
    unsupported: (op) => unsupportedBefore(r, op),
  };
  const planWithout: PlanWithout = (blockedOperations, pendingOperations) =>
    kind.plan({ ...context, policies: { ...context.policies, blockedOperations, pendingOperations } }, observed);
  const first = selectStep(input, planWithout);
  if (first.unapproved.length === 0) return concluded(input, first);
  const plan = statusPlanOf(object, first.unapproved);
  if (!ports.dryRun && isApproved(object, plan)) {
    const approved = { ...input, policyStatus: { ...input.policyStatus, plan: { ...plan, approved: true as const } } };
    return concluded(approved, selectStep(approved, planWithout));
  }
  return { plan: pending(input, first.plan, plan), policyStatus: { ...input.policyStatus, plan } };
}

/** Reports whether the last correction is over and the next is not due yet. A reconcile request makes it due. */
function isInCooldown(r: Resolved): boolean {
  const share = sinceCorrection(r);
  return r.context.requested === undefined && share >= CORRECTION.lasts && share < CORRECTION.cooldown;
}

/** The facts that decide whether a step may be taken. */
interface PolicyInput {
  readonly policies: Policies;
  readonly policyStatus: PolicyStatus;
  readonly goal: Goal;
  readonly generation: number;
  readonly isDry: boolean;
  /** A correction was made a moment ago. */
  readonly inCooldown: boolean;
  /** Returns why the platform does not have an operation. */
  readonly unsupported: (op: string) => StatusReason | undefined;
}

type Selection = ReturnType<typeof selectStep>;

type PlanWithout = (blockedOperations: ReadonlySet<string>, pendingOperations: ReadonlySet<string>) => Plan;

/**
 * Returns a step that may be taken, or the kind's plan without the steps that may not; and, as `unapproved`, the
 * steps that wait for approval.
 */
function selectStep(input: PolicyInput, planWithout: PlanWithout) {
  const unapproved: Step[] = [];
  const blockedOperations = new Set<string>();
  const pendingOperations = new Set<string>();
  let missing: StatusReason | undefined;
  let plan = planWithout(blockedOperations, pendingOperations);
  while (plan.is === "step" && !blockedOperations.has(plan.step.op) && blockedOperations.size < PLAN_LIMIT) {
    const answer = permissionFor(input, plan.step);
    if (answer === "Granted" && unapproved.length === 0)
      return { plan, mayTake: true, unapproved, hasForbidden: false, missing };
    // The steps after a step that waits, wait with it.
    if (answer !== "Forbidden") {
      unapproved.push(plan.step);
      pendingOperations.add(plan.step.op);
    }
    missing ??= input.unsupported(plan.step.op);
    blockedOperations.add(plan.step.op);
    plan = planWithout(blockedOperations, pendingOperations);
  }
  return { plan, mayTake: false, unapproved, hasForbidden: blockedOperations.size > unapproved.length, missing };
}

/** Whether a step may be taken. */
type Permission = "Granted" | "NeedsApproval" | "Forbidden";

function permissionFor(input: PolicyInput, step: Step): Permission {
  const { policies, policyStatus, generation } = input;
  if (policies.management === "ObserveOnly" || input.unsupported(step.op) !== undefined) return "Forbidden";
  const isEnding = input.goal !== "present";
  if (!isEnding && isLeftAlone(input, step)) return "Forbidden";
  if (input.isDry) return "NeedsApproval";
  return !isEnding && policies.manual && !covers(policyStatus.plan, generation, step) ? "NeedsApproval" : "Granted";
}

/** Reports whether a finished object is left alone: under CreateOnly, under Report, or right after a correction. */
function isLeftAlone(input: PolicyInput, step: Step): boolean {
  const { policies, policyStatus } = input;
  if (forbidsWrites(policies, policyStatus.appliedGeneration)) return true;
  const untouched = policies.corrects === "Nothing" || input.inCooldown;
  return step.corrects === true && untouched && isDone(input);
}

/** Reports whether the current spec was applied to the platform: what differs since is drift. */
function isDone({ policyStatus, generation }: PolicyInput): boolean {
  return policyStatus.appliedGeneration === generation;
}

/** Returns the result if no step waits: the step to take, or how the kind ends the reconcile. */
function concluded(input: PolicyInput, { plan, mayTake, hasForbidden, missing }: Selection): Allowed {
  const { policyStatus } = input;
  const approved = policyStatus.plan?.approved === true ? policyStatus.plan : undefined;
  if (mayTake) return { plan, policyStatus: { ...policyStatus, plan: approved } };
  const result = resultWithout(plan, missing);
  if (result.is !== "settled") return { plan: result, policyStatus: { ...policyStatus, plan: approved } };
  return {
    plan: result,
    policyStatus: {
      appliedGeneration: hasForbidden ? policyStatus.appliedGeneration : input.generation,
      plan: undefined,
      lastApprovedPlan: approved?.hash ?? policyStatus.lastApprovedPlan,
    },
  };
}

/**
 * Returns how a reconcile ends without the steps that may not be taken.
 * @param missing why a step was left out whose operation the platform does not have: then the spec is not carried out
 */
function resultWithout(plan: Plan, missing: StatusReason | undefined): Exclude<Plan, { is: "step" }> {
  if (plan.is === "step") return missing === undefined ? refused(plan.step) : { is: "stalled", why: missing };
  return missing !== undefined && plan.is === "settled" ? { is: "stalled", why: missing } : plan;
}

/** Returns the plan of a kind whose only step is forbidden. */
function refused(step: Step): Exclude<Plan, { is: "step" }> {
  if (step.repeat === "safe" || !step.creates) return { is: "settled" };
  const message =
    "It does not exist on the platform, and spec.lifecycle.managementPolicy forbids its creation. Create it there, set spec.externalId, or change the policy.";
  return { is: "stalled", why: { reason: "NotCreated", message } };
}

/**
 * Returns the result if steps wait. If the spec was applied already, the object keeps its result, and only its drift is
 * not corrected.
 */
function pending(input: PolicyInput, plan: Plan, { hash, actions }: StatusPlan): Plan {
  if (input.goal === "present" && isDone(input)) return plan.is === "step" ? { is: "settled" } : plan;
  const operations = [...new Set(actions.map(({ operation }) => operation))].join(", ");
  const why: StatusReason = {
    reason: "ApprovalPending",
    message: `Waiting for approval of the plan in status.plan: ${operations}. To approve it, set the annotation ${APPROVED_PLAN}=${hash}.`,
  };
  return { is: "waiting", why, again: APPROVAL_LOOK_MS };
}

/** How often an object that waits for approval is reconciled. An approval wakes it at once. */
const APPROVAL_LOOK_MS = 600_000;
