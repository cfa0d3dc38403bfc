/** PlatformOperation: one action that runs once, like a Job: its declaration, and the request that it sends. */
import type { ExternalWrite, Kind, Known, Ms, Plan, Reference, Step, Why } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { accepted } from "../service/progress.ts";
import { once, stalled } from "../shared/checks.ts";
import { busy, shownState, unknownState } from "../service/words.ts";
import { type Action, actionOf, type Answer, send, subject } from "./actions.ts";
import { type OperationMemory, type OperationSpec, type OperationType, platformOperation } from "./crd.ts";
import type { ActionType, OperationContext, OperationTypes, Seen } from "./model.ts";
import { observe } from "./observe.ts";
import { outcomeOf, taken, unobservable } from "./outcome.ts";
import { refused } from "./outcome.ts";
import { baselineOf, phaseOf, progressOf } from "./progress.ts";
import { overdue, report } from "./report.ts";
import { markOf, trace } from "./trace.ts";

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
    const target = targetOf(spec);
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
  trace,
  report,
};

/** The field that holds the target, and its kind; the other types have none. */
const TARGETS = {
  DeployApplication: ["applicationRef", "PlatformApplication"],
  DeployDatabase: ["databaseRef", "PlatformDatabase"],
  StopDatabase: ["databaseRef", "PlatformDatabase"],
  StopCluster: ["clusterRef", "PlatformCluster"],
  UpgradeCluster: ["clusterRef", "PlatformCluster"],
  RenderHelmDefaultValues: ["environmentRef", "PlatformEnvironment"],
  SendInvoices: undefined,
} as const satisfies Record<OperationType, unknown>;

/** Returns the target. It need not be Ready: the operation may be what fixes it. */
function targetOf(spec: OperationSpec): Reference | undefined {
  const target = TARGETS[spec.type];
  if (target === undefined) return undefined;
  const [member, kind] = target;
  const reference = spec[member];
  return {
    field: `spec.${member}`,
    kind,
    name: reference?.name,
    externalId: reference?.externalId,
    idOnly: true,
  };
}

/** @throws ApiError */
export async function act(
  _step: Step<ActionType>,
  context: OperationContext,
  seen: Seen,
  api: Platform,
): Promise<Known<Seen, OperationMemory>> {
  const action = actionOf(context);
  if (action === undefined) return { seen, memory: context.memory };
  const answer = await send(context, action, api);
  return {
    seen: after(seen, answer, context.inputs.targetId ?? "", action.queued),
    memory: begun(context, seen, answer),
  };
}

function begun(context: OperationContext, before: Seen, { service, cluster }: Answer): OperationMemory {
  const state = service?.state ?? cluster?.status;
  return {
    ...taken(context),
    targetId: context.inputs.targetId,
    request: {
      startedAt: context.now.toISOString(),
      baseline: baselineOf(before),
      ...(state === undefined ? {} : { state: shownState(state) }),
      ...(service?.deploymentRequestId === undefined ? {} : { requestId: service.deploymentRequestId }),
    },
  };
}

/** Returns what is observed once the request was accepted: it is queued at least, whatever the answer still shows. */
function after(seen: Seen, { service, cluster }: Answer, id: string, queued: string): Seen {
  if (seen.cluster !== undefined) return { ...seen, cluster: { ...seen.cluster, ...cluster, status: queued } };
  return seen.status === undefined ? seen : accepted(seen, id, service, queued);
}

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
export function plan(context: OperationContext, seen: Seen): Plan<ActionType> {
  const outcome = outcomeOf(context, seen);
  if (outcome?.result === "Complete") return { is: "settled", ...expiry(context) };
  if (outcome !== undefined) return { is: "stalled", why: outcome, ...expiry(context) };
  if (seen.refusal !== undefined) return { is: "stalled", why: seen.refusal };
  const action = actionOf(context);
  if (action === undefined) return { is: "waiting", why: NOT_SHOWN };
  if (context.memory.request !== undefined) return { is: "waiting", why: underWay(context, seen, action) };
  const { lastFailure } = context.memory;
  // The refused request may have collided with other work, whose end is waited for.
  if (lastFailure !== undefined && (seen.refused || phaseOf(seen) === "busy")) {
    return { is: "waiting", why: { reason: "Queued", message: lastFailure.message } };
  }
  const why = unobservable(context, action);
  if (why !== undefined) return { is: "stalled", why };
  if (context.policies.blockedOperations.has(action.op)) return stalled("WithheldByPolicy", WITHHELD);
  return request(context, seen, action);
}

function request(context: OperationContext, seen: Seen, action: Action): Plan<ActionType> {
  const why: Why = { reason: action.reason, message: `${subject(context, action)} being ${action.verb}.` };
  const { gitCommitId: commit } = context.spec;
  const mark = markOf(seen);
  return once(action.op, action.type, why, commit === undefined ? { mark } : { mark, commit });
}

const NOT_SHOWN: Why = { reason: "Progressing", message: "The platform does not show yet how it goes." };

const WITHHELD =
  "The managementPolicy that the connection sets for its objects forbids to write to the platform. Use another connection.";

function underWay(context: OperationContext, seen: Seen, { target }: Action): Why {
  const progress = progressOf(context, seen);
  if (progress === undefined) return NOT_SHOWN;
  return progress.phase === "unknown" ? unknownState(progress.state, target ?? "service") : busy(progress.state);
}

/** Returns when the object is to be reconciled again, to delete it. */
function expiry({ spec }: OperationContext): { readonly again?: Ms } {
  const { ttlSecondsAfterFinished: seconds } = spec;
  return seconds === undefined ? {} : { again: seconds * 1000 };
}
