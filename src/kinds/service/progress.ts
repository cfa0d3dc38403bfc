/** How far a deployment is (docs/architecture.md §2). Pure. */
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { isGuideState, requestPhase, servicePhase, type Phase } from "../../platform/codec/states.ts";
import { baselineOf, hasFailed, isDeployedSince, movedPast } from "./baseline.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import type { Sight } from "./model.ts";
import { shownState } from "./words.ts";

export interface Progress {
  /** The state that counts: of the request that is followed, else of the service. */
  readonly state: string;
  readonly phase: Phase;
  /** Our own deployment is under way. */
  readonly ours: boolean;
}

/**
 * How far the service is. A deployment of ours is followed by its request id; where the platform shows no request, the
 * service's own state is believed only once it moved past the baseline.
 * @param last the remembered deployment
 */
export function progressOf(last: ServiceDeployment | undefined, { status, request }: Sight): Progress | undefined {
  if (status === undefined) return undefined;
  const phase = servicePhase(status.state);
  const own: Progress = { state: shownState(status.state), phase, ours: false };
  if (last === undefined) return own;
  if (last.finishedAt === undefined) return openProgress(last, { ...own, ours: true }, status, request);
  return isFailureOf(last, status, phase) ? { state: last.state ?? "", phase: "failed", ours: false } : own;
}

/** Of a deployment that is followed. @param own what the service's own state says */
function openProgress(
  last: ServiceDeployment,
  own: Progress,
  status: ServiceStatus,
  request: Sight["request"],
): Progress {
  if (request === undefined) return isBelievable(last, status, own.phase) ? own : { ...own, phase: "busy" };
  const asked = askedProgress(request);
  // While the request runs, the service's own state says more: BUILDING, DEPLOYING.
  if (asked.phase === "busy") return own.phase === "busy" ? own : asked;
  // One request may carry several services (docs/architecture.md §9): whether it failed for this one, its own state tells.
  // One that was cancelled before it began leaves the state of before.
  const perhapsAnother = asked.phase === "failed" && asked.state !== "CANCELED";
  return perhapsAnother && isOf(last, status) ? own : asked;
}

/** How far a deployment request is; one in a state that the specification does not have goes on. */
export function askedProgress({ status }: NonNullable<Sight["request"]>): Progress {
  const phase = requestPhase(status);
  return { state: shownState(status), phase: phase === "unknown" ? "busy" : phase, ours: true };
}

/**
 * Whether the service shows nothing newer than a deployment of ours that failed. One that was cancelled in the queue
 * leaves the state of before, and what that says is not of its commit.
 */
function isFailureOf(last: ServiceDeployment, status: ServiceStatus, phase: Phase): boolean {
  if (phase === "busy" || phase === "unknown" || last.requestId === undefined) return false;
  return hasFailed(last) && status.deploymentRequestId === last.requestId;
}

/** Whether a status speaks of the deployment that is followed. */
function isOf(last: ServiceDeployment, status: ServiceStatus): boolean {
  return status.deploymentRequestId === undefined
    ? movedPast(last.baseline, status)
    : status.deploymentRequestId === last.requestId;
}

/** Whether the service's state already is that of the deployment, or still the one before it. */
function isBelievable(last: ServiceDeployment, status: ServiceStatus, phase: Phase): boolean {
  // A state that tells nothing is not evidence that the work goes on.
  if (phase === "busy" || phase === "unknown") return true;
  if (isGuideState(status.state)) return isDeployedSince(last.baseline, status);
  const waits = phase === "idle" && (status.deploymentRequestsCount ?? 0) > 0;
  return !waits && (movedPast(last.baseline, status) || isOf(last, status));
}

/** Whether the service carries its last deployment; a state that tells nothing leaves what the deployment's end told. */
export function carries(phase: Phase | undefined, last: ServiceDeployment | undefined): boolean {
  if (phase === "unknown") return last?.finishedAt !== undefined;
  return phase === "running" || phase === "stopped";
}

/** What only work on a deployment shows; QUEUED is also what its order is answered with. */
const AT_WORK = /^(BUILDING|WAITING_RUNNING|DEPLOYING|EXECUTING|RECAP)$/;

/**
 * The last deployment with what is known now; it ends when its state does.
 * @param last the remembered one, or the one that was found when the service was taken over
 */
export function advanced<Last extends ServiceDeployment>(
  last: Last | undefined,
  progress: Progress | undefined,
  { status }: Sight,
  now: Date,
): Last | undefined {
  if (last === undefined || progress === undefined || last.finishedAt !== undefined) return last;
  const { state, phase } = progress;
  const rest = { ...last };
  delete rest.baseline;
  if (phase !== "busy" && phase !== "unknown") return { ...rest, state, finishedAt: now.toISOString() };
  // Once it was seen at work, whatever state follows is its own: not every platform moves the baseline on a failure.
  return { ...(AT_WORK.test(status?.state ?? "") ? rest : last), state };
}

/**
 * What is seen once an order was accepted: it is queued at least. The answer may have no body, or still show the state
 * of before (docs/architecture.md §9); how far an older request is does not matter any more.
 * @param queued the state that is taken where the answer says nothing new, e.g. "STOP_QUEUED"
 */
export function accepted<Seen extends Sight>(
  seen: Seen,
  id: string,
  answer: ServiceStatus | undefined,
  queued: string,
): Seen {
  const state = servicePhase(answer?.state ?? "") === "busy" ? (answer?.state ?? queued) : queued;
  return { ...seen, request: undefined, status: { ...(answer ?? seen.status), id, state } };
}

/** What the answer to an order to deploy says of the deployment that it began. */
export function begun(
  answer: ServiceStatus | undefined,
  before: ServiceStatus | undefined,
  now: Date,
): Pick<ServiceDeployment, "startedAt" | "baseline" | "state" | "requestId"> {
  return {
    startedAt: now.toISOString(),
    baseline: baselineOf(before),
    ...(answer === undefined ? {} : { state: shownState(answer.state) }),
    ...(answer?.deploymentRequestId === undefined ? {} : { requestId: answer.deploymentRequestId }),
  };
}
