/**
 * Plans a service: whether it may be worked on, its creation, its settings, its deployments and stops, and its removal.
 * Pure.
 */
import type { Json, Plan, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { once, stalled, safely } from "../shared/checks.ts";
import { nameMark } from "../shared/create-trace.ts";
import { unprovenId } from "../shared/limits.ts";
import {
  adoptOrRefuse,
  alreadyManaged,
  checkDuplicate,
  isMisnamed,
  type ListedObject,
  planGone,
  projectNotAllowed,
  reasonNotFound,
  reasonNotShown,
  reasonOtherName,
  reasonOutsideProjects,
  sameName,
} from "../shared/names.ts";
import { deleting, isOpen, planUnshown, planUnshownRemoval } from "../shared/presence.ts";
import { redeployDue } from "../shared/redeploy.ts";
import { hasOperation } from "../shared/surface.ts";
import { busy, explainFailure, failureReason, ofCommit, unclearStop, unknownState } from "./messages.ts";
import {
  type Noun,
  type ObservedState,
  type ServiceAction,
  type ServiceContext,
  type ServiceNames,
  type ServiceObserved,
  type ServiceParents,
  serviceRecord,
} from "./model.ts";
import { failedDeployment, movedPast, type Progress, type ServiceFacts } from "./progress.ts";
import { requestMark } from "./requests.ts";
import {
  declaredSettings,
  observedSettings,
  revisionOf,
  sendingDue,
  type ServiceSetting,
  settingsDrift,
  shownField,
  unsentPaths,
} from "./settings.ts";

/** Refuses an environment of another organization, or in a project that the connection is not for. */
export function checkPlace(
  context: ServiceContext,
  { environmentIsOurs, projectId, unproven }: ServiceParents,
): Plan<never> | undefined {
  const why = environmentIsOurs
    ? projectNotAllowed(context, projectId)
    : (unproven ?? reasonNotFound("environment", context.inputs.environmentId, "the organization"));
  return why && { is: "stalled", why };
}

/** Adopts the service that has the name of the spec, or refuses it; undefined where none has it. */
export function checkName({ noun }: ServiceNames, context: ServiceContext, observed: ServiceObserved) {
  const { name } = context.spec;
  const matches = (observed.siblings ?? []).filter((one) => sameName(one.name, name));
  return adoptOrRefuse(context, matches, `${noun} "${name}"`);
}

/** Creates a service. @param mark members of the baseline, beside names */
export function planCreate(
  { noun, operations }: ServiceNames,
  { spec }: ServiceContext,
  observed: ServiceObserved,
  mark: Readonly<Record<string, Json>> = {},
): Plan<ServiceAction> {
  const { name } = spec;
  const why: StatusReason = { reason: "Creating", message: `Creating ${noun} "${name}".` };
  const baseline = { ...nameMark(observed.serverNow, observed.siblings), ...mark };
  return once(operations.create, { what: "create" }, why, { creates: true, name, mark: baseline });
}

function unshownService({ noun }: ServiceNames, { spec }: ServiceContext, id: Uuid) {
  return { noun, name: spec.name, id, where: "the environment" } as const;
}

/** Returns the plan for an id under which the platform shows no service. */
export function planMissing(
  names: ServiceNames,
  context: ServiceContext,
  { presence, isGone }: ServiceObserved,
  id: Uuid,
): Plan<never> {
  const missing = unshownService(names, context, id);
  if (isOpen(presence)) return planUnshown(context, presence, missing);
  const why = reasonNotShown(context, missing);
  return isGone ? planGone(context, why) : { is: "stalled", why };
}

/**
 * Checks that the id leads to the right service, which may be worked on.
 * @param observed shows the service
 * @returns undefined when it does and is recorded
 */
export function checkIdentity(
  { noun }: ServiceNames,
  context: ServiceContext,
  observed: ServiceObserved,
  id: Uuid,
): Plan<never> | undefined {
  if (isElsewhere(observed, id)) return { is: "stalled", why: elsewhere(noun, id) };
  const { siblings = [] } = observed;
  const record = siblings.find((one) => one.id === id);
  return (
    checkClaim(context, record, id, noun) ?? checkDuplicate(context, record, siblings, `${noun} "${context.spec.name}"`)
  );
}

/**
 * Checks the claim to an existing object.
 * @param record as the platform shows it, if it does
 * @returns undefined when the claim is valid and recorded
 */
function checkClaim(
  context: ServiceContext,
  record: ListedObject | undefined,
  id: Uuid,
  noun: Noun,
): Plan<never> | undefined {
  const holder = context.records.holderOf(id);
  if (holder !== undefined) return { is: "stalled", why: alreadyManaged(id, holder) };
  if (context.identitySource === "recorded") return undefined;
  const isProven = record !== undefined || context.identitySource === "orphaned";
  const unproven = isProven ? undefined : unprovenId(context, `${noun} ${id}`);
  if (unproven !== undefined) return { is: "stalled", why: unproven };
  return isMisnamed(context, record) ? { is: "stalled", why: reasonOtherName(noun, id) } : { is: "adopt", id };
}

/** Reports whether the environment's list lacks the service: a record may have been forged. */
function isElsewhere({ siblings }: ServiceObserved, id: Uuid): boolean {
  return siblings !== undefined && !siblings.some((one) => one.id === id);
}

/** Returns the reason of a resource whose recorded id lies in another environment. */
function elsewhere(noun: Noun, id: Uuid): StatusReason {
  const message = `The platform does not show that the ${noun} ${id} belongs to the environment of this resource, so it is not touched. Point the reference to its environment, or create a new resource.`;
  return { reason: "NotObservable", message };
}

/**
 * Refuses to adopt a service whose settings that cannot be changed differ from the spec; undefined where none of them
 * differs.
 */
export function checkFixedSettings<Spec extends ServiceContext["spec"], Item extends ListedObject>(
  noun: Noun,
  settings: readonly ServiceSetting<Spec, Item>[],
  spec: Spec,
  record: Item | undefined,
): Plan<never> | undefined {
  for (const setting of settings) {
    if (record === undefined || !setting.isFixed || !("of" in setting)) continue;
    const { path } = setting;
    const there = setting.of(record);
    if (there === undefined || there === setting.of(spec)) continue;
    const message = `The ${noun} ${record.id} on the platform has another ${path.slice("spec.".length)} than ${path} says, and it cannot be changed. Fix ${path}, or choose another spec.name.`;
    return stalled("InvalidSpec", message);
  }
  return undefined;
}

/**
 * Returns the update if the settings differ and the platform has one. Unless the spec changed, it is a correction.
 * Settings that cannot be sent hold nothing back: the condition SettingsSynced reports them.
 */
export function checkSettings<Spec extends ServiceContext["spec"], Item extends ListedObject>(
  { noun, operations }: ServiceNames,
  settings: readonly ServiceSetting<Spec, Item>[],
  context: ServiceContext & { readonly spec: Spec },
  observed: ServiceObserved<Item>,
): Plan<ServiceAction> | undefined {
  const { written } = context.memory;
  const { update: op } = operations;
  const declared = declaredSettings(settings, context.spec);
  const record = serviceRecord(context, observed);
  if (op === undefined || !hasOperation(context, op) || record === undefined) return undefined;
  // Settings are sent once in a reconcile: a value that the platform stores differently is reported as drift and does
  // not cause another update.
  if (observed.updated) return undefined;
  const unsent = unsentPaths(declared, written);
  // The platform does not show a setting that it never got: a changed setting that is not shown counts as absent.
  const absent = Object.fromEntries(unsent.map((path) => [path, "null"]));
  const actual = { ...absent, ...observedSettings(settings, record, context.spec, unsent) };
  const differences = settingsDrift(declared, actual);
  if (differences.length === 0) return undefined;
  if (context.requested === undefined && !sendingDue(declared, actual, written)) return undefined;
  const corrects = context.requested === undefined && unsent.length === 0;
  const message = `Update the settings of the ${noun}.`;
  const changes = differences.map(shownField);
  return safely(op, { what: "update" }, { message, corrects, changes });
}

/**
 * Stops a service. The request is sent once: until the service shows a change, the request may not have taken effect
 * yet. A failed stop is repeated on request only.
 */
export function planStop(names: ServiceNames, context: ServiceContext, { status }: ObservedState): Plan<ServiceAction> {
  const { noun, plural, operations } = names;
  const { stop: op } = operations;
  if (op === undefined || !hasOperation(context, op)) {
    const message = `The platform's surface has no stop of ${plural}. Set spec.runState to Running, or stop it on the platform.`;
    return stalled("NotSupportedByPlatform", message);
  }
  const why: StatusReason = { reason: "Stopping", message: `The ${noun} is being stopped.` };
  const { stopping, runState } = context.memory;
  if (context.requested === undefined && status !== undefined) {
    if (stopping !== undefined && !movedPast(stopping, status)) return { is: "waiting", why };
    const failed = servicePhase(status.state) === "failed" && runState === "Stopped";
    if (failed) return { is: "stalled", why: explainFailure(status.state, names) };
  }
  // Detects a service that someone else started after the operator stopped it.
  const corrects = runState === "Stopped" && context.requested === undefined;
  return once(op, { what: "stop" }, why, { mark: requestMark(context, status), corrects });
}

/** Stops a service that is to be stopped; settled once it is. Another check handles an uninstalled service. */
export function checkRunState(
  names: ServiceNames,
  context: ServiceContext,
  observed: ObservedState,
  { run }: ServiceFacts,
  progress: Progress,
): Plan<ServiceAction> | undefined {
  const { phase } = progress;
  if (run.wanted !== "Stopped" || phase === "gone") return undefined;
  if (phase === "stopped" || phase === "idle") return { is: "settled" };
  return checkUnclear(progress, names.noun) ?? planStop(names, context, observed);
}

/** Reports a failure. */
export function checkFailure(
  names: ServiceNames,
  last: Parameters<typeof failedCommit>[0],
  { phase, state }: Progress,
): Plan<never> | undefined {
  if (phase !== "failed") return undefined;
  return { is: "stalled", why: explainFailure(state, names, ofCommit(failedCommit(last))) };
}

/** Returns the commit of the last deployment if that failed. */
function failedCommit(last: (ServiceFacts["last"] & { readonly gitCommitId?: string }) | undefined) {
  return failedDeployment(last)?.gitCommitId;
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
export function planDeploy(
  operation: OperationName,
  context: ServiceContext,
  { status }: ObservedState,
  { commit, message, mark, corrects, attempts, notObservableAfterwards = false }: Deployment,
): Plan<ServiceAction> {
  const what = commit === undefined ? {} : { commit };
  const why: StatusReason = { reason: "Deploying", message };
  const redeploys = redeployDue(context);
  const settings = revisionOf(context.memory);
  return once<ServiceAction>(operation, { what: "deploy", ...what, retry: context.requested, attempts }, why, {
    ...what,
    mark: requestMark(context, status, { settings, ...mark, attempts, redeploy: redeploys }),
    corrects: corrects && redeploys === undefined,
    retries: attempts !== undefined,
    redeploys,
    ...(notObservableAfterwards && { notObservableAfterwards }),
  });
}

/**
 * Waits while work is under way.
 * @param of what the work is for, if the operator requested it
 * @param next what waits for its end, as a sentence
 */
export function checkBusy(progress: Progress, of?: string, next?: string): Plan<never> | undefined {
  if (progress.phase !== "busy") return undefined;
  const why = busy(progress.state, of);
  return { is: "waiting", why: next === undefined ? why : { ...why, message: `${why.message} ${next}` } };
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

/**
 * Starts a failed deployment of the operator again once that is due.
 * @param of what is deployed, e.g. "commit 1a2b3c4"
 * @param again deploys it as one of several attempts
 * @returns undefined when it is left to a person: no such policy, its limit reached, or no such failure
 */
export function checkRetry<Action>(
  { now, policies: { retry } }: ServiceContext,
  last: ServiceFacts["last"],
  { phase, state }: Progress,
  of: string,
  again: (attempts: number) => Plan<Action>,
): Plan<Action> | undefined {
  const { attempts = 0, finishedAt, startedAt, state: ended = "" } = last ?? {};
  if (retry === undefined || finishedAt === undefined || attempts >= retry.limit) return undefined;
  // A canceled deployment is no failure, and a failed stop is no failure of the deployment.
  const isFailed = phase === "failed" && startedAt !== undefined && /(^|_)ERROR$/.test(ended);
  if (!isFailed || state !== ended) return undefined;
  const left = Date.parse(finishedAt) + retry.backoffMs - now.getTime();
  if (!(left > 0)) return again(attempts + 1);
  const message = `The platform reports ${state} for ${of}. It is deployed again after the time that spec.lifecycle.retry says.`;
  return { is: "waiting", why: { reason: failureReason(state), message }, again: left };
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planServiceRemoval(
  names: ServiceNames,
  context: ServiceContext,
  observed: ServiceObserved,
): Plan<ServiceAction> {
  const { id } = context;
  if (id === undefined) return { is: "settled" };
  if (observed.unproven !== undefined) return { is: "stalled", why: observed.unproven };
  if (observed.status === undefined)
    return planUnshownRemoval(observed.presence ?? "Gone", unshownService(names, context, id));
  const refused = reasonOutsideProjects(context, observed.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (isElsewhere(observed, id)) return { is: "stalled", why: elsewhere(names.noun, id) };
  return context.goal === "stopped" ? planFinalStop(names, context, observed) : planDelete(names, context, observed);
}

/** Stops a service whose resource is deleted; settled once it is stopped. */
export function planFinalStop(
  names: ServiceNames,
  context: ServiceContext,
  observed: ServiceObserved,
): Plan<ServiceAction> {
  const { unknownState: unknown, status } = observed;
  const state = status?.state ?? "";
  if (unknown !== undefined)
    return context.memory.runState === "Stopped" ? { is: "stalled", why: unknown } : planStop(names, context, observed);
  const phase = servicePhase(state);
  if (phase === "stopped" || phase === "idle" || phase === "gone") return { is: "settled" };
  if (phase === "unknown") return { is: "waiting", why: unclearStop(state, names.noun) };
  return phase === "busy" ? { is: "waiting", why: busy(state) } : planStop(names, context, observed);
}

/** Deletes a service that the platform shows. */
export function planDelete(
  names: ServiceNames,
  context: ServiceContext,
  observed: ServiceObserved,
): Plan<ServiceAction> {
  const { noun, plural, operations } = names;
  const op = operations.delete;
  if (op === undefined || !isDeletable(names, context, observed, op)) {
    return stalled("DeleteNotSupported", `The platform's surface has no deletion of ${plural}.`);
  }
  const record = observed.siblings?.find(({ id }) => id === context.id);
  const misnamed = record !== undefined && !sameName(record.name, context.spec.name);
  if (misnamed) return { is: "stalled", why: reasonOtherName(noun, record.id) };
  const state = observed.status?.state ?? "";
  if (servicePhase(state) === "busy") return { is: "waiting", why: busy(state) };
  const why = deleting(noun);
  if (!observed.deleting) return safely(op, { what: "delete" }, { message: why.message });
  if (state === "DELETE_ERROR") {
    const message = "The platform reports DELETE_ERROR; the operator tries again.";
    return { is: "waiting", why: { reason: "DeleteFailed", message } };
  }
  return { is: "waiting", why };
}

/**
 * Reports whether the platform can delete the service. Of a service that cannot be observed, a 404 would prove neither
 * that it is gone nor that it cannot be deleted.
 */
function isDeletable(
  { noun }: ServiceNames,
  context: ServiceContext,
  { siblings }: ServiceObserved,
  op: OperationName,
): boolean {
  return hasOperation(context, op) && (siblings !== undefined || noun === "application");
}
