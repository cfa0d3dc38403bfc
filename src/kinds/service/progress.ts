/**
 * What is known of the work on a service: whether it changed since a request, how its last deployment is going, and
 * when that ends. Pure.
 */
import { z } from "zod";

import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { jsonIn } from "../../platform/codec/json.ts";
import { isGuideState, type Phase, requestPhase, servicePhase } from "../../platform/codec/states.ts";
import type { RunFacts } from "../shared/run-schedule.ts";
import { countOf, fitOptional, ID } from "../shared/text.ts";
import { MOST_STEPS, type ServiceDeployment } from "./crd-status.ts";
import { durationText, secondsTaken, shownState } from "./messages.ts";
import type { ObservedState, ServiceContext, ServiceObserved } from "./model.ts";

/** The facts of a service that its plan and its report are made of. They are gathered once for each. */
export interface ServiceFacts<Last extends ServiceDeployment = ServiceDeployment> {
  /** How the work on the service is going; undefined where nothing shows it. */
  readonly progress: Progress | undefined;
  /** The last deployment, with what is known of it now. */
  readonly last: Last | undefined;
  /** Whether the service is to run, by its spec and schedule. */
  readonly run: RunFacts;
}

/** Returns the baseline of a service, as text for a status. A later request compares with it. */
export function serviceBaseline(status: ServiceStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
  ]);
}

const stored = z.array(z.unknown());

/** The values of an unknown baseline: no date, no run, nothing in the queue. */
const UNKNOWN = [null, null, 0];

/**
 * Reports whether the service changed since a baseline; true where the baseline is not known. A member that the service
 * does not show now does not count: one read may show less than another.
 */
export function movedPast(before: string | undefined, status: ServiceStatus): boolean {
  const old = stored.safeParse(jsonIn(before ?? "")).data;
  const now = stored.parse(jsonIn(serviceBaseline(status)));
  return old === undefined || now.some((value, index) => value !== null && value !== (old[index] ?? UNKNOWN[index]));
}

/** Reports whether the date of the last deployment changed since a baseline; true where the baseline is not known. */
export function isDeployedSince(before: string | undefined, { lastDeploymentDate }: ServiceStatus): boolean {
  const old = stored.safeParse(jsonIn(before ?? "")).data;
  return old === undefined || (lastDeploymentDate !== undefined && lastDeploymentDate !== old[0]);
}

/** Reports whether the platform ever deployed the service. */
export function everDeployed(status: ServiceStatus | undefined): boolean {
  if (status === undefined) return false;
  if (status.serviceDeploymentStatus === "NEVER_DEPLOYED") return false;
  return status.lastDeploymentDate !== undefined || servicePhase(status.state) === "running";
}

/** Reports whether a deployment failed. */
export function hasFailed({ state = "" }: ServiceDeployment): boolean {
  return servicePhase(state) === "failed";
}

export interface Progress {
  /** The state that counts: of the followed request, else of the service. */
  readonly state: string;
  readonly phase: Phase;
  /** The progress is that of the operator's own deployment. */
  readonly ours: boolean;
}

/**
 * Returns the progress of a service. The operator's deployment is followed by its request id. Where the platform shows
 * no request, the service's own state is believed only once it moved past the baseline.
 * @param last the remembered deployment
 */
export function serviceProgress(
  last: ServiceDeployment | undefined,
  { status, request }: ObservedState,
): Progress | undefined {
  if (status === undefined) return undefined;
  const phase = servicePhase(status.state);
  const own: Progress = { state: shownState(status.state), phase, ours: false };
  if (last === undefined) return own;
  if (last.finishedAt === undefined) return openProgress(last, { ...own, ours: true }, status, request);
  return isFailureOf(last, status, phase) ? { state: last.state ?? "", phase: "failed", ours: false } : own;
}

/** Returns the progress of a service; undefined where the platform does not show its state. */
export function shownProgress({ memory }: Pick<ServiceContext, "memory">, observed: ServiceObserved) {
  return observed.unknownState === undefined ? serviceProgress(memory.lastDeployment, observed) : undefined;
}

/** The progress of a followed deployment. @param own the progress by the service's own state */
function openProgress(
  last: ServiceDeployment,
  own: Progress,
  status: ServiceStatus,
  request: ObservedState["request"],
): Progress {
  if (request === undefined) return isBelievable(last, status, own.phase) ? own : { ...own, phase: "busy" };
  const asked = askedProgress(request);
  // While the request runs, the service's own state is more precise: BUILDING, DEPLOYING.
  if (asked.phase === "busy" || asked.phase === "unknown") return own.phase === "busy" ? own : asked;
  // One request may carry several services (docs/project/architecture.md §9): the service's own state shows whether it failed
  // for this one. A request that was canceled before it began leaves the earlier state.
  const perhapsAnother = asked.phase === "failed" && asked.state !== "CANCELED";
  return perhapsAnother && isOf(last, status) ? own : asked;
}

/**
 * Returns the progress of a deployment request. In a state that the specification does not have, it may still run: it
 * has not ended, and holds no newer commit back.
 */
export function askedProgress({ status }: NonNullable<ObservedState["request"]>): Progress {
  return { state: shownState(status), phase: requestPhase(status), ours: true };
}

/**
 * Reports whether the service shows nothing newer than a failed deployment of the operator. One that was canceled in
 * the queue leaves the earlier state, which is not about its commit.
 */
function isFailureOf(last: ServiceDeployment, status: ServiceStatus, phase: Phase): boolean {
  if (phase === "busy" || phase === "unknown" || last.requestId === undefined) return false;
  return hasFailed(last) && status.deploymentRequestId === last.requestId;
}

/** Reports whether a status is about the followed deployment. */
function isOf(last: ServiceDeployment, status: ServiceStatus): boolean {
  return status.deploymentRequestId === undefined
    ? movedPast(last.baseline, status)
    : status.deploymentRequestId === last.requestId;
}

/** Reports whether the service's state is that of the deployment, and not still the state before it. */
function isBelievable(last: ServiceDeployment, status: ServiceStatus, phase: Phase): boolean {
  // An unknown state counts as well: it does not show that the deployment is still running.
  if (phase === "busy" || phase === "unknown") return true;
  if (isGuideState(status.state)) return isDeployedSince(last.baseline, status);
  const waits = phase === "idle" && (status.deploymentRequestsCount ?? 0) > 0;
  return !waits && (movedPast(last.baseline, status) || isOf(last, status));
}

/**
 * Reports whether the service has its last deployment: it runs or is stopped. In an unknown state, it does if the
 * deployment has ended.
 */
export function carries(phase: Phase | undefined, last: ServiceDeployment | undefined): boolean {
  if (phase === "unknown") return last?.finishedAt !== undefined;
  return phase === "running" || phase === "stopped";
}

/**
 * Returns the deployment if the operator started it and it failed. A failure may also be that of others, or of a stop.
 */
export function failedDeployment<Last extends ServiceDeployment>(last: Last | undefined): Last | undefined {
  return last?.startedAt !== undefined && hasFailed(last) ? last : undefined;
}

/** States that a service shows only while a deployment runs. QUEUED is also the answer to its request. */
const AT_WORK = /^(BUILDING|WAITING_RUNNING|DEPLOYING|EXECUTING|RECAP)$/;

/**
 * Returns the last deployment with what is known now. It ends when its state does.
 * @param last the remembered deployment, or the deployment that the service was found with
 */
export function advanced<Last extends ServiceDeployment>(
  last: Last | undefined,
  progress: Progress | undefined,
  { status }: ObservedState,
  now: Date,
): Last | undefined {
  if (last === undefined || progress === undefined) return last;
  if (last.finishedAt !== undefined) return isRunKnown(last) ? last : withRun(last, status);
  const { state, phase } = progress;
  const rest = { ...last };
  delete rest.baseline;
  if (phase !== "busy" && phase !== "unknown")
    return withRun(ended({ ...rest, state, finishedAt: now.toISOString() }), status);
  // Once the deployment was observed at work, the next state belongs to it: not every platform changes the baseline
  // after a failure.
  return { ...(AT_WORK.test(status?.state ?? "") ? rest : last), state };
}

function ended<Last extends ServiceDeployment>(last: Last): Last {
  const seconds = secondsTaken(last);
  return seconds === undefined ? last : { ...last, duration: durationText(seconds) };
}

/**
 * Returns what is observed once a request was accepted: the service is queued at least. The answer may have no body, or
 * still show the earlier state (docs/project/architecture.md §9). An older request that was followed does not matter any more.
 * @param queued the state to assume where the answer shows nothing new, e.g. "STOP_QUEUED"
 */
export function accepted<Observed extends ObservedState>(
  observed: Observed,
  id: string,
  answer: ServiceStatus | undefined,
  queued: string,
): Observed {
  const state = servicePhase(answer?.state ?? "") === "busy" ? (answer?.state ?? queued) : queued;
  return { ...observed, request: undefined, status: { ...(answer ?? observed.status), id, state } };
}

/** Reports whether a deployment has what a status showed of its run. */
function isRunKnown({ executionId, requestsCount, steps, subAction }: ServiceDeployment): boolean {
  return [executionId, requestsCount, steps, subAction].some((member) => member !== undefined);
}

/**
 * Returns a deployment that has ended, with what its status has of its run. Where the end was read of the request alone,
 * the first status afterwards has it.
 */
function withRun<Last extends ServiceDeployment>(last: Last, status: ServiceStatus | undefined): Last {
  if (last.requestId === undefined || status?.deploymentRequestId !== last.requestId) return last;
  const { deploymentRequestsCount, statusDetails, steps } = status;
  // Where only a request is observed, its id stands for the run (kinds/database/reported.ts).
  const executionId = status.executionId === last.requestId ? undefined : status.executionId;
  const optionalCount = (value: number | undefined) => (value === undefined ? undefined : countOf(value));
  const details = steps?.details?.slice(0, MOST_STEPS).map(({ stepName, status: state, durationSec }) => ({
    name: fitOptional(stepName),
    status: fitOptional(state),
    seconds: optionalCount(durationSec),
  }));
  return {
    ...last,
    executionId: fitOptional(executionId, ID),
    subAction: fitOptional(statusDetails?.subAction),
    requestsCount: optionalCount(deploymentRequestsCount),
    steps: steps && { totalSeconds: optionalCount(steps.totalDurationSec), details },
  };
}

/** Returns the memory of a new deployment, with what the answer to its request shows. */
export function startedDeployment(
  answer: ServiceStatus | undefined,
  before: ServiceStatus | undefined,
  now: Date,
): Pick<ServiceDeployment, "startedAt" | "baseline" | "state" | "requestId"> {
  return {
    startedAt: now.toISOString(),
    baseline: serviceBaseline(before),
    state: answer && shownState(answer.state),
    requestId: answer?.deploymentRequestId,
  };
}
