/** Builds the report of a service. Pure. */
import { timeText } from "../../api/status.ts";
import type { ConditionFact, DriftField, Report } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { hasUpdate, settingsCondition } from "../shared/settings-synced.ts";
import { fitOptional } from "../shared/text.ts";
import type { WrittenSettings } from "./crd-status.ts";
import type { ServiceKind } from "./define.ts";
import { lastFailure } from "./failure.ts";
import { isServiceShown } from "./identity.ts";
import { ingressFields, ingressReady } from "./ingress.ts";
import { shownState, stateCondition } from "./messages.ts";
import {
  serviceRecord,
  type RunState,
  type ServiceContext,
  type ServiceMemory,
  type ServiceObserved,
  type ServiceNames,
} from "./model.ts";
import {
  declaredSettings,
  memorable,
  observedSettings,
  revisionOf,
  type ServiceSetting,
  settingsDrift,
  shownField,
  unsentPaths,
} from "./settings.ts";
import { movedPast } from "./trace.ts";

export function report(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): Report {
  const ready = kind.ready(context, observed);
  const always = kind.reportAlways?.(context, observed) ?? { conditions: [], status: {} };
  // A service that does not belong to this resource, or not yet, is neither reported nor remembered.
  if (context.identitySource !== "recorded") return { ready, ...always };
  const { conditions, status: members, ...own } = kind.report(context, observed);
  const { status, unseen } = observed;
  const state = status === undefined || unseen !== undefined ? undefined : shownState(status.state);
  const drift = isServiceShown(kind, context, observed) ? driftOf(kind, context, observed) : [];
  const isCompared = drift.length > 0 || observed.siblings !== undefined || kind.comparesUnlisted === true;
  return {
    ready,
    conditions: [
      ...deployed(kind, observed),
      ...always.conditions,
      ...conditions,
      ...ingressReady(observed.ingress),
      ...settingsSynced(kind, context, observed),
    ],
    status: {
      state,
      stateSince: sinceOf(context, state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: context.inputs.environmentId,
      lastDeployment: kind.followed(context, observed),
      lastFailure: lastFailure(kind, context, observed),
      runState: runStateOf(context, observed),
      stopping: stoppingOf(context, observed),
      ingress: ingressFields(observed.ingress),
      ...always.status,
      ...members,
    },
    ...(isCompared && { drift }),
    ...(observed.failureLog !== undefined && { learned: { lastFailure: lastFailure(kind, context, observed) } }),
    ...own,
  };
}

/** Reports the settings that were changed since they were last sent, and that cannot be sent. */
function settingsSynced(
  kind: ServiceKind,
  context: ServiceContext,
  observed: ServiceObserved,
): readonly ConditionFact[] {
  const { settings, operations, noun, plural } = kind;
  const { update } = operations;
  const { spec, memory } = context;
  const record = serviceRecord(context, observed);
  if (record !== undefined && hasUpdate(context, update)) return [];
  const declared = declaredSettings(settings, spec);
  const shown = record === undefined ? {} : observedSettings(settings, record, spec);
  // A person may have changed it on the platform.
  const paths = unsentPaths(declared, memory.written).filter((path) => shown[path] !== declared[path]);
  const isShown = paths.every((path) => shown[path] !== undefined);
  return settingsCondition(context, paths, { noun, plural, update, isShown });
}

/** Returns since when a state is shown. */
function sinceOf({ memory, now }: ServiceContext, state: string | undefined): string | undefined {
  if (state === memory.state) return state && memory.stateSince;
  return state && timeText(now);
}

function deployed({ noun }: ServiceNames, { status, unseen }: ServiceObserved): readonly ConditionFact[] {
  if (unseen !== undefined) return [{ type: "Deployed", status: "Unknown", ...unseen }];
  return status === undefined ? [] : [stateCondition("Deployed", status.state, noun)];
}

/** Returns the condition UpToDate. @param pending the message where something is not deployed yet */
export function upToDateCondition(isUpToDate: boolean, pending: string): ConditionFact {
  return isUpToDate
    ? { type: "UpToDate", status: "True", reason: "UpToDate", message: "The last change is deployed." }
    : { type: "UpToDate", status: "False", reason: "DeployPending", message: pending };
}

/** Returns what the operator wrote. For an adopted service, the spec at that time is the baseline. */
export function writtenSettings<Spec>(
  settings: readonly ServiceSetting<Spec, never>[],
  { spec, memory }: { readonly spec: Spec; readonly memory: ServiceMemory },
): WrittenSettings {
  const sent = memory.written?.settings ?? memorable(declaredSettings(settings, spec));
  return { revision: revisionOf(memory), ...memory.written, settings: { ...sent } };
}

/**
 * Returns the run state that the operator last applied. Detects a service that someone else started after it was
 * stopped.
 */
function runStateOf({ memory, spec }: ServiceContext, { status }: ServiceObserved): RunState | undefined {
  const started = spec.runState === "Running" && servicePhase(status?.state ?? "") === "running";
  return started && memory.runState === "Stopped" ? "Running" : memory.runState;
}

/** Returns whether the service runs, where the platform shows that, and no request to stop is open. */
export function observedRunState(context: ServiceContext, observed: ServiceObserved): RunState | undefined {
  if (observed.unseen !== undefined || stoppingOf(context, observed) !== undefined) return undefined;
  const phase = servicePhase(observed.status?.state ?? "");
  if (phase === "running") return "Running";
  return phase === "stopped" || phase === "idle" ? "Stopped" : undefined;
}

/**
 * Returns the baseline of the open request to stop. The request ends when the service is stopped, or shows a change and
 * is not at work.
 */
export function stoppingOf({ memory }: ServiceContext, { status, unseen }: ServiceObserved): string | undefined {
  const before = memory.stopping;
  if (unseen !== undefined) return before;
  const phase = servicePhase(status?.state ?? "");
  const over = phase === "stopped" || (phase !== "busy" && status !== undefined && movedPast(before, status));
  return over ? undefined : before;
}

function driftOf(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): readonly DriftField[] {
  const { settings } = kind;
  const { spec } = context;
  const record = serviceRecord(context, observed);
  const differences =
    record && settingsDrift(declaredSettings(settings, spec), observedSettings(settings, record, spec));
  return [
    ...(differences ?? []).map(shownField),
    ...kind.drift(context, observed),
    ...runStateDrift(context, observed),
  ];
}

/** Returns the drift of a run state that others changed. */
function runStateDrift(
  { memory, spec: { runState: wanted } }: ServiceContext,
  { status }: ServiceObserved,
): readonly DriftField[] {
  const phase = servicePhase(status?.state ?? "");
  const path = "spec.runState";
  if (wanted === "Running" && phase === "stopped" && memory.runState !== "Stopped") {
    return [{ path, desired: wanted, observed: "Stopped" }];
  }
  const isStarted = wanted === "Stopped" && phase === "running" && memory.runState === "Stopped";
  return isStarted && memory.stopping === undefined ? [{ path, desired: wanted, observed: "Running" }] : [];
}
