/** How far a deployment is, and what is deployed (design §6). Pure. */
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase, type Phase } from "../../platform/states.ts";
import type { LastDeployment } from "../../resources/application.ts";
import { deployedCommit, hasFailed, lastDeployment, movedPast } from "./deployment.ts";
import type { ApplicationPass, Seen } from "./model.ts";
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
 */
export function progressOf(pass: ApplicationPass, { status, request }: Seen): Progress | undefined {
  if (status === undefined) return undefined;
  const last = pass.memory.lastDeployment;
  const phase = servicePhase(status.state);
  const own: Progress = { state: shownState(status.state), phase, ours: false };
  if (last === undefined) return own;
  if (last.finishedAt === undefined) return openProgress(last, { ...own, ours: true }, status, request);
  return isFailureOf(last, status, phase) ? { state: last.state ?? "", phase: "failed", ours: false } : own;
}

/** Of a deployment that is followed. @param own what the service's own state says */
function openProgress(last: LastDeployment, own: Progress, status: ServiceStatus, request: Seen["request"]): Progress {
  if (request === undefined) return isBelievable(last, status, own.phase) ? own : { ...own, phase: "busy" };
  const asked: Progress = { state: shownState(request.status), phase: servicePhase(request.status), ours: true };
  // While the request runs, the service's own state says more: BUILDING, DEPLOYING.
  if (asked.phase === "busy") return own.phase === "busy" ? own : asked;
  // One request may carry several services (api-behaviour §3.3): whether it failed for this one, its own state tells.
  // One that was cancelled before it began leaves the state of before.
  const perhapsAnother = asked.phase === "failed" && asked.state !== "CANCELED";
  return perhapsAnother && isOf(last, status) ? own : asked;
}

/**
 * Whether the service shows nothing newer than a deployment of ours that failed. One that was cancelled in the queue
 * leaves the state of before, and what that says is not of its commit.
 */
function isFailureOf(last: LastDeployment, status: ServiceStatus, phase: Phase): boolean {
  if (phase === "busy" || phase === "unknown" || last.requestId === undefined) return false;
  return hasFailed(last) && status.deploymentRequestId === last.requestId;
}

/** Whether a status speaks of the deployment that is followed. */
function isOf(last: LastDeployment, status: ServiceStatus): boolean {
  return status.deploymentRequestId === undefined
    ? movedPast(last.baseline, status)
    : status.deploymentRequestId === last.requestId;
}

/** Whether the service's state already is that of the deployment, or still the one before it. */
function isBelievable(last: LastDeployment, status: ServiceStatus, phase: Phase): boolean {
  if (phase === "busy") return true;
  const waits = phase === "idle" && (status.deploymentRequestsCount ?? 0) > 0;
  return !waits && (movedPast(last.baseline, status) || isOf(last, status));
}

/** What only work on a deployment shows; QUEUED is also what its order is answered with. */
const AT_WORK = /^(BUILDING|WAITING_RUNNING|DEPLOYING|EXECUTING|RECAP)$/;

/** The last deployment with what is known now; it ends when its state does. */
export function followed(pass: ApplicationPass, seen: Seen): LastDeployment | undefined {
  const last = lastDeployment(pass, seen);
  const progress = progressOf(pass, seen);
  if (last === undefined || progress === undefined || last.finishedAt !== undefined) return last;
  const { baseline: _baseline, ...rest } = last;
  const { state, phase } = progress;
  if (phase !== "busy" && phase !== "unknown") return { ...rest, state, finishedAt: pass.now.toISOString() };
  // Once it was seen at work, whatever state follows is its own: not every platform moves the baseline on a failure.
  return { ...(AT_WORK.test(seen.status?.state ?? "") ? rest : last), state };
}

/** The deployment that failed, if it was one of ours: a failure may be of somebody else's, or of a stop. */
export function failedDeployment(pass: ApplicationPass, seen: Seen): LastDeployment | undefined {
  const last = followed(pass, seen);
  return last?.startedAt !== undefined && hasFailed(last) ? last : undefined;
}

/** The commit that runs, as far as can be told: the platform's word, else that of a last deployment that succeeded. */
export function runningCommit(pass: ApplicationPass, seen: Seen): string | undefined {
  const last = followed(pass, seen);
  return deployedCommit(pass, seen) ?? (last === undefined || hasFailed(last) ? undefined : last.gitCommitId);
}
