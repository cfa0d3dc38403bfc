/** PlatformOperation: one action that runs once, like a Job: its declaration, its plan and its report. */
import type { ExternalWrite, Kind, Plan, Report, Why } from "../../engine/contract/kind.ts";
import { busy, unknownState } from "../service/messages.ts";
import { once, stalled } from "../shared/checks.ts";
import { act, refused } from "./act.ts";
import {
  type OperationMemory,
  type OperationOutcome,
  type OperationSpec,
  type OperationType,
  platformOperation,
} from "./crd.ts";
import {
  actionOf,
  type Observed,
  type OperationAction,
  type OperationContext,
  type OperationTypes,
  type Rendered,
  sentTo,
  subject,
  targetReference,
} from "./model.ts";
import { observe } from "./observe.ts";
import { outcomeOf, overdueEnd, taken, unobservable } from "./outcome.ts";
import { currentRequest, phaseOf, requestProgress } from "./progress.ts";
import { markOf, traceRequest } from "./trace.ts";

export const operation: Kind<OperationTypes> = {
  resource: platformOperation,
  externalLifecycle: false,
  oneShot: {
    over: ({ outcome, expiresAt }) => {
      if (outcome === undefined) return undefined;
      const at = new Date(expiresAt ?? "");
      return { expiresAt: Number.isNaN(at.getTime()) ? undefined : at };
    },
    refused,
    limitMs: ({ activeDeadlineSeconds: seconds }) => seconds * 1000,
    overdue,
  },
  needs: (spec) => {
    const target = targetReference(spec);
    return {
      references: target === undefined ? [] : [target],
      values: [],
      inputs: (resolved) => ({ targetId: target && resolved.id(target.field) }),
    };
  },
  externalWrites,
  observe,
  plan,
  act,
  trace: traceRequest,
  report,
};

/** Returns the accepted request, with its outcome. */
export function externalWrites(
  { request, targetId, outcome }: OperationMemory,
  spec: OperationSpec | undefined,
): readonly ExternalWrite[] {
  const action = spec && actionOf({ spec });
  const at = request?.startedAt;
  if (action?.target === undefined || request === undefined || targetId === undefined || at === undefined) return [];
  const { state, requestId } = request;
  const { gitCommitId: commit } = spec ?? {};
  return [{ id: targetId, at, action: { op: action.op, state, requestId, commit, result: resultOf(outcome) } }];
}

function resultOf(outcome: OperationMemory["outcome"]) {
  if (outcome?.result !== "Complete") return outcome?.result;
  return outcome.reason === "Accepted" ? "Accepted" : "Completed";
}

/** Returns the next step. */
function plan(context: OperationContext, observed: Observed): Plan<OperationType> {
  const outcome = outcomeOf(context, observed);
  if (outcome !== undefined) return planEnd(context, outcome);
  if (observed.refusal !== undefined) return { is: "stalled", why: observed.refusal };
  const action = actionOf(context);
  if (action === undefined) return { is: "waiting", why: NOT_SHOWN };
  if (context.memory.request !== undefined) return { is: "waiting", why: underWay(context, observed, action) };
  const { lastFailure } = context.memory;
  // The refused request may have collided with other work: wait for its end.
  if (lastFailure !== undefined && (observed.refused || phaseOf(observed) === "busy")) {
    const { again } = observed;
    const why: Why = { reason: "Queued", message: lastFailure.message };
    return { is: "waiting", why, ...(again !== undefined && { again }) };
  }
  const why = unobservable(context, action);
  if (why !== undefined) return { is: "stalled", why };
  if (context.policies.blockedOperations.has(action.op)) return stalled("WithheldByPolicy", WITHHELD);
  return request(context, observed, action);
}

function planEnd(
  { spec: { ttlSecondsAfterFinished: seconds } }: OperationContext,
  outcome: OperationOutcome,
): Plan<never> {
  // The object is deleted at that time.
  const again = seconds === undefined ? {} : { again: seconds * 1000 };
  return outcome.result === "Complete" ? { is: "settled", ...again } : { is: "stalled", why: outcome, ...again };
}

function request(context: OperationContext, observed: Observed, action: OperationAction): Plan<OperationType> {
  const why: Why = { reason: action.reason, message: `${subject(context, action)} being ${action.verb}.` };
  const { gitCommitId: commit } = context.spec;
  const mark = markOf(observed);
  return once(action.op, context.spec.type, why, commit === undefined ? { mark } : { mark, commit });
}

const NOT_SHOWN: Why = { reason: "Progressing", message: "The platform does not show the progress yet." };

const WITHHELD =
  "The managementPolicy that the connection sets for its objects forbids writing to the platform. Use another connection.";

function underWay(context: OperationContext, observed: Observed, { target }: OperationAction): Why {
  const progress = requestProgress(context, observed);
  if (progress === undefined) return NOT_SHOWN;
  return progress.phase === "unknown" ? unknownState(progress.state, target ?? "service") : busy(progress.state);
}

function report(context: OperationContext, observed: Observed): Report {
  const outcome = outcomeOf(context, observed);
  const { inputs, memory, spec } = context;
  const rendered = outcome?.result === "Complete" ? renderedIn(observed) : undefined;
  return {
    ready: outcome === undefined ? NOT_OVER : { reason: outcome.reason, message: outcome.message },
    conditions: outcome === undefined ? [] : [conditionOf(outcome)],
    status: {
      // If it is missing although a request was started, the status was lost.
      startedAt: taken(context).startedAt,
      targetId: memory.request === undefined ? inputs.targetId : sentTo(context),
      request: currentRequest(context, observed),
      outcome: outcome && { ...outcome },
      expiresAt: memory.expiresAt ?? (outcome && expiry(context)),
      digest: rendered?.digest,
    },
    ...(rendered !== undefined &&
      spec.outputConfigMap !== undefined && {
        output: { name: spec.outputConfigMap, data: { "values.yaml": rendered.values } },
      }),
  };
}

function renderedIn({ rendered }: Observed): Extract<Rendered, { readonly values: string }> | undefined {
  return rendered !== undefined && "values" in rendered ? rendered : undefined;
}

const NOT_OVER: Why = { reason: "Progressing", message: "The operation is not over." };

/** Returns the report of an operation whose deadline passed while nothing of it can be observed. */
function overdue(
  spec: OperationSpec,
  memory: OperationMemory,
  { now, isSent }: { readonly now: Date; readonly isSent: boolean },
): Report {
  const outcome = overdueEnd(isSent || memory.request !== undefined, now);
  const { reason, message } = outcome;
  const status = { outcome: { ...outcome }, expiresAt: expiry({ spec, now }) };
  return { ready: { reason, message }, conditions: [conditionOf(outcome)], status };
}

/** Returns the condition of an outcome. As for a Job, only the condition that holds exists. */
function conditionOf({ result, reason, message }: OperationOutcome): Report["conditions"][number] {
  if (result === "Unknown") return { type: "Complete", status: "Unknown", reason, message };
  return { type: result, status: "True", reason, message };
}

/** Returns when an operation that ends now is deleted. */
function expiry({ spec, now }: Pick<OperationContext, "spec" | "now">): string | undefined {
  const { ttlSecondsAfterFinished: seconds } = spec;
  return seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1000).toISOString();
}
