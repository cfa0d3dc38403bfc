/** Builds the report of a service. Pure. */
import { timeText } from "../../api/status.ts";
import type { ConditionFact, DriftField, Report } from "../../engine/contract/kind.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { ListedObject } from "../shared/names.ts";
import type { RunFacts, RunState } from "../shared/run-schedule.ts";
import { hasUpdate, settingsCondition } from "../shared/settings-synced.ts";
import { fitOptional } from "../shared/text.ts";
import type { ServiceFailure } from "./crd-status.ts";
import { ingressFields, ingressReady } from "./ingress.ts";
import { shownState, stateCondition } from "./messages.ts";
import { serviceRecord, type ServiceContext, type ServiceNames, type ServiceObserved } from "./model.ts";
import { movedPast, type ServiceFacts } from "./progress.ts";
import {
  declaredSettings,
  observedSettings,
  type ServiceSetting,
  settingsDrift,
  shownField,
  unsentPaths,
} from "./settings.ts";

/** A kind of services: its names, and the table of its settings. */
interface Reported<Spec, Item> extends ServiceNames {
  readonly settings: readonly ServiceSetting<Spec, Item>[];
}

/** What a kind adds to the report of a service. Its members of status win. */
interface OwnReport extends Pick<
  Report,
  "ready" | "conditions" | "status" | "note" | "redeployRefusal" | "secret" | "lookWithin"
> {
  readonly lastFailure: ServiceFailure | undefined;
  /** Drift beside that of settings and run state; undefined where the platform does not show the service. */
  readonly drift: readonly DriftField[] | undefined;
  /** Drift is also known where the platform does not list services. */
  readonly comparesUnlisted?: boolean;
}

/** Returns the report of a service that belongs to its resource. */
export function serviceReport<Spec, Item extends ListedObject>(
  kind: Reported<Spec, Item>,
  context: ServiceContext & { readonly spec: Spec },
  observed: ServiceObserved<Item>,
  { last, run }: Pick<ServiceFacts, "last" | "run">,
  { ready, conditions, status: members, lastFailure, drift: own, comparesUnlisted = false, ...rest }: OwnReport,
): Report {
  const { status, unknownState } = observed;
  const state = status === undefined || unknownState !== undefined ? undefined : shownState(status.state);
  const drift =
    own === undefined
      ? []
      : [...settingsDriftOf(kind, context, observed), ...own, ...runStateDrift(context, observed, run)];
  const isCompared = drift.length > 0 || observed.siblings !== undefined || comparesUnlisted;
  return {
    ready,
    conditions: [
      ...deployed(kind, observed),
      ...conditions,
      ...ingressReady(observed.ingress),
      ...settingsSynced(kind, context, observed),
    ],
    status: {
      state,
      stateSince: sinceOf(context, state),
      serviceDeploymentStatus: fitOptional(status?.serviceDeploymentStatus),
      environmentId: context.inputs.environmentId,
      lastDeployment: last,
      lastFailure,
      runState: runStateOf(context, observed, run),
      stopping: stoppingOf(context, observed),
      ingress: ingressFields(observed.ingress),
      ...members,
    },
    ...(isCompared && { drift }),
    ...(observed.failureLog !== undefined && { learned: { lastFailure } }),
    ...rest,
  };
}

/** Reports the settings that were changed since they were last sent, and that cannot be sent. */
function settingsSynced<Spec, Item extends ListedObject>(
  kind: Reported<Spec, Item>,
  context: ServiceContext & { readonly spec: Spec },
  observed: ServiceObserved<Item>,
): readonly ConditionFact[] {
  const { settings, operations, noun, plural } = kind;
  const { update } = operations;
  const { spec, memory } = context;
  const record = serviceRecord(context, observed);
  if (record !== undefined && hasUpdate(context, update)) return [];
  const declared = declaredSettings(settings, spec);
  const unsent = unsentPaths(declared, memory.written);
  const shown = record === undefined ? {} : observedSettings(settings, record, spec, unsent);
  // A person may have changed it on the platform.
  const paths = unsent.filter((path) => shown[path] !== declared[path]);
  const isShown = paths.every((path) => shown[path] !== undefined);
  return settingsCondition(context, paths, { noun, plural, update, isShown });
}

/** Returns since when a state is shown. */
function sinceOf({ memory, now }: ServiceContext, state: string | undefined): string | undefined {
  if (state === memory.state) return state && memory.stateSince;
  return state && timeText(now);
}

function deployed({ noun }: ServiceNames, { status, unknownState }: ServiceObserved): readonly ConditionFact[] {
  if (unknownState !== undefined) return [{ type: "Deployed", status: "Unknown", ...unknownState }];
  return status === undefined ? [] : [stateCondition("Deployed", status.state, noun)];
}

/** Returns the condition UpToDate. @param pending the message where something is not deployed yet */
export function upToDateCondition(isUpToDate: boolean, pending: string): ConditionFact {
  return isUpToDate
    ? { type: "UpToDate", status: "True", reason: "UpToDate", message: "The last change is deployed." }
    : { type: "UpToDate", status: "False", reason: "DeployPending", message: pending };
}

/**
 * Returns the run state that the operator last applied. Detects a service that someone else started after it was
 * stopped.
 */
function runStateOf(
  { memory }: ServiceContext,
  { status }: ServiceObserved,
  { wanted }: RunFacts,
): RunState | undefined {
  const started = wanted === "Running" && servicePhase(status?.state ?? "") === "running";
  return started && memory.runState === "Stopped" ? "Running" : memory.runState;
}

/** Returns whether the service runs, where the platform shows that, and no request to stop is open. */
export function observedRunState(context: ServiceContext, observed: ServiceObserved): RunState | undefined {
  if (observed.unknownState !== undefined || stoppingOf(context, observed) !== undefined) return undefined;
  const phase = servicePhase(observed.status?.state ?? "");
  if (phase === "running") return "Running";
  return phase === "stopped" || phase === "idle" ? "Stopped" : undefined;
}

/**
 * Returns the baseline of the open request to stop. The request ends when the service is stopped, or shows a change and
 * is not at work.
 */
export function stoppingOf({ memory }: ServiceContext, { status, unknownState }: ServiceObserved): string | undefined {
  const before = memory.stopping;
  if (unknownState !== undefined) return before;
  const phase = servicePhase(status?.state ?? "");
  const over = phase === "stopped" || (phase !== "busy" && status !== undefined && movedPast(before, status));
  return over ? undefined : before;
}

/** Returns the drift of the settings that the spec declares. */
function settingsDriftOf<Spec, Item extends ListedObject>(
  { settings }: Reported<Spec, Item>,
  context: ServiceContext & { readonly spec: Spec },
  observed: ServiceObserved<Item>,
): readonly DriftField[] {
  const { spec } = context;
  const record = serviceRecord(context, observed);
  if (record === undefined) return [];
  return settingsDrift(declaredSettings(settings, spec), observedSettings(settings, record, spec)).map(shownField);
}

/** Returns the drift of a run state that others changed. */
function runStateDrift(
  { memory }: ServiceContext,
  { status }: ServiceObserved,
  { wanted }: RunFacts,
): readonly DriftField[] {
  const phase = servicePhase(status?.state ?? "");
  const path = "spec.runState";
  if (wanted === "Running" && phase === "stopped" && memory.runState !== "Stopped") {
    return [{ path, desired: wanted, observed: "Stopped" }];
  }
  const isStarted = wanted === "Stopped" && phase === "running" && memory.runState === "Stopped";
  return isStarted && memory.stopping === undefined ? [{ path, desired: wanted, observed: "Running" }] : [];
}
