/** The steps and checks that services share. Pure. */
import type { Json, Plan, Why } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { once, stalled, safely } from "../shared/checks.ts";
import { redeployDue } from "../shared/redeploy.ts";
import { hasOperation } from "../shared/surface.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import type { ServiceKind } from "./define.ts";
import { busy, explainFailure, ofCommit, unknownState } from "./messages.ts";
import {
  serviceRecord,
  type ServiceAction,
  type ServiceContext,
  type ServiceObserved,
  type ObservedState,
  type Noun,
  type ServiceNames,
} from "./model.ts";
import { failedDeployment, type Progress } from "./progress.ts";
import {
  declaredSettings,
  observedSettings,
  revisionOf,
  sendingDue,
  settingsDrift,
  shownField,
  unsentPaths,
} from "./settings.ts";
import { movedPast, orderMark } from "./trace.ts";

/**
 * Returns the update if the settings differ and the platform has one. Unless the spec changed, it is a correction.
 * Settings that cannot be sent hold nothing back: the condition SettingsSynced reports them.
 */
export function checkSettings(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
): Plan<ServiceAction> | undefined {
  const { written } = context.memory;
  const { update: op } = kind.operations;
  const declared = declaredSettings(kind.settings, context.spec);
  const record = serviceRecord(context, observed);
  if (op === undefined || !hasOperation(context, op) || record === undefined) return undefined;
  // Settings are sent once in a reconcile: a value that the platform stores differently is reported as drift and does
  // not cause another update.
  if (observed.updated) return undefined;
  const actual = observedSettings(kind.settings, record, context.spec);
  const differences = settingsDrift(declared, actual);
  if (differences.length === 0) return undefined;
  if (context.requested === undefined && !sendingDue(declared, actual, written)) return undefined;
  const corrects = context.requested === undefined && unsentPaths(declared, written).length === 0;
  const message = `Update the settings of the ${kind.noun}.`;
  const changes = differences.map(shownField);
  return safely(op, { what: "update" }, { message, corrects, changes });
}

/**
 * Stops a service. The request is sent once: until the service shows a change, the request may not have taken effect
 * yet. A failed stop is repeated on request only.
 */
export function stop(kind: ServiceNames, context: ServiceContext, { status }: ObservedState): Plan<ServiceAction> {
  const { noun, plural, operations } = kind;
  const { stop: op } = operations;
  if (op === undefined || !hasOperation(context, op)) {
    const message = `The platform's surface has no stop of ${plural}. Set spec.runState to Running, or stop it on the platform.`;
    return stalled("NotSupportedByPlatform", message);
  }
  const why: Why = { reason: "Stopping", message: `The ${noun} is being stopped.` };
  const { stopping, runState } = context.memory;
  if (context.requested === undefined && status !== undefined) {
    if (stopping !== undefined && !movedPast(stopping, status)) return { is: "waiting", why };
    const failed = servicePhase(status.state) === "failed" && runState === "Stopped";
    if (failed) return { is: "stalled", why: explainFailure(status.state, kind) };
  }
  // Detects a service that someone else started after the operator stopped it.
  const corrects = runState === "Stopped" && context.requested === undefined;
  return once(op, { what: "stop" }, why, { mark: orderMark(context, status), corrects });
}

/** Stops a service that the spec wants stopped; settled once it is. Another check handles an uninstalled service. */
export function checkServiceRunState(
  kind: ServiceNames,
  context: ServiceContext,
  observed: ObservedState,
  progress: Progress,
): Plan<ServiceAction> | undefined {
  const { phase } = progress;
  if (context.spec.runState !== "Stopped" || phase === "gone") return undefined;
  if (phase === "stopped" || phase === "idle") return { is: "settled" };
  return checkUnclear(progress, kind.noun) ?? stop(kind, context, observed);
}

/** Reports a failure. @param last the last deployment with what is known now */
export function checkFailure(
  kind: ServiceNames,
  last: (ServiceDeployment & { readonly gitCommitId?: string }) | undefined,
  { phase, state }: Progress,
): Plan<never> | undefined {
  if (phase !== "failed") return undefined;
  return { is: "stalled", why: explainFailure(state, kind, ofCommit(failedDeployment(last)?.gitCommitId)) };
}

interface Deployment {
  readonly commit?: string;
  /** The message while it is under way. */
  readonly message: string;
  /** What a later trace has to know beside the settings. */
  readonly mark?: Readonly<Record<string, Json | undefined>>;
  readonly corrects: boolean;
  readonly attempts: number | undefined;
  readonly notObservableAfterwards?: boolean;
}

/** Deploys a service. */
export function deploy(
  { operations }: ServiceNames,
  context: ServiceContext,
  { status }: ObservedState,
  { commit, message, mark, corrects, attempts, notObservableAfterwards = false }: Deployment,
): Plan<ServiceAction> {
  const what = commit === undefined ? {} : { commit };
  const why: Why = { reason: "Deploying", message };
  const redeploys = redeployDue(context);
  return once<ServiceAction>(
    operations.deploy ?? "",
    { what: "deploy", ...what, retry: context.requested, attempts },
    why,
    {
      ...what,
      mark: orderMark(context, status, {
        settings: revisionOf(context.memory),
        ...mark,
        attempts,
        redeploy: redeploys,
      }),
      corrects: corrects && redeploys === undefined,
      retries: attempts !== undefined,
      redeploys,
      ...(notObservableAfterwards && { notObservableAfterwards }),
    },
  );
}

/** Waits while work is under way. @param of what the work is for, if the operator requested it */
export function checkBusy(progress: Progress, of?: string): Plan<never> | undefined {
  return progress.phase === "busy" ? { is: "waiting", why: busy(progress.state, of) } : undefined;
}

/** Reports that the state does not show whether the service works. As the last check, it prevents no request. */
export function checkUnclear({ phase, state }: Progress, noun: Noun): Plan<never> | undefined {
  return phase === "unknown" ? { is: "unknown", why: unknownState(state, noun), condition: "Deployed" } : undefined;
}

/**
 * Returns why a stopped or uninstalled service is started: "wanted" if the operator stopped it or the user requests it;
 * "corrects" if others stopped or uninstalled it and all drift is corrected.
 */
export function startDue(context: ServiceContext, progress: Progress): "wanted" | "corrects" | undefined {
  if (progress.phase !== "gone" && progress.phase !== "stopped") return undefined;
  const ours = progress.phase === "stopped" && context.memory.runState === "Stopped";
  if (ours || context.requested !== undefined) return "wanted";
  return context.policies.corrects === "Everything" ? "corrects" : undefined;
}
