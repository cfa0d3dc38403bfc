/** When to deploy, and how far a deployment is (design §6, "Deploy exactly when"). Pure. */
import { z } from "zod";

import { sameContent } from "../../engine/kind.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase, type Phase } from "../../platform/states.ts";
import type { LastDeployment } from "../../resources/application.ts";
import { recordOf, type ApplicationPass, type Seen } from "./model.ts";
import { variablesSent } from "./variables.ts";
import { shownState } from "./words.ts";

/** What the service showed, for telling later whether something new happened to it. */
export function baselineOf(status: ServiceStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
  ]);
}

const baseline = z.array(z.unknown());

/** What an unknown member of a baseline is taken for: no date, no run, nothing in the queue. */
const UNKNOWN = [null, null, 0];

/**
 * Whether the service shows something new since `before` was taken. What it does not show now says nothing: one read
 * may show less than another.
 */
export function movedPast(before: string | undefined, status: ServiceStatus): boolean {
  const old = baseline.safeParse(tryParse(before ?? "")).data;
  const now = baseline.parse(tryParse(baselineOf(status)));
  return old === undefined || now.some((value, index) => value !== null && value !== (old[index] ?? UNKNOWN[index]));
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the platform ever deployed the service. */
export function everDeployed(status: ServiceStatus | undefined): boolean {
  if (status === undefined) return false;
  if (status.serviceDeploymentStatus === "NEVER_DEPLOYED") return false;
  return status.lastDeploymentDate !== undefined || servicePhase(status.state) === "running";
}

/**
 * The last deployment: the remembered one. Of a service that was deployed before we came, or whose status was lost,
 * what is deployed is taken as the baseline and is not deployed again: the commit that the platform shows, else the
 * spec's own.
 */
export function lastDeployment(pass: ApplicationPass, seen: Seen): LastDeployment | undefined {
  const remembered = pass.memory.lastDeployment;
  if (remembered !== undefined || seen.status === undefined || !everDeployed(seen.status)) return remembered;
  const commit = deployedCommit(pass, seen) ?? pass.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  const { written } = pass.memory;
  return {
    gitCommitId: commit,
    state: shownState(seen.status.state),
    finishedAt: pass.now.toISOString(),
    settings: written?.revision ?? 0,
    variables: written?.variables ?? (variablesSent(pass, seen) ? pass.inputs.fingerprint : undefined),
  };
}

const COMMIT = /^[0-9a-f]{7,64}$/;

/** The commit that the platform says is deployed; only the full surface shows it. What is no commit is not shown. */
export function deployedCommit(pass: ApplicationPass, seen: Seen): string | undefined {
  const shown = recordOf(pass, seen)?.gitRepository?.deployedCommitId?.toLowerCase();
  return shown !== undefined && COMMIT.test(shown) ? shown : undefined;
}

/** The commit that runs, as far as can be told: the platform's word, else that of a last deployment that succeeded. */
export function runningCommit(pass: ApplicationPass, seen: Seen): string | undefined {
  const last = followed(pass, seen);
  return deployedCommit(pass, seen) ?? (last === undefined || hasFailed(last) ? undefined : last.gitCommitId);
}

/** Whether one commit id is the other or its abbreviation. */
export function sameCommit(left: string, right: string): boolean {
  return left.startsWith(right) || right.startsWith(left);
}

/** Why a deployment is due; undefined when none is. */
export type Cause = "commit" | "settings" | "variables" | "retry";

/** Compares what is wanted and what we wrote with the last deployment; never the platform's OUT_OF_DATE. */
export function deployCause(
  pass: ApplicationPass,
  last: LastDeployment | undefined,
  failed: boolean,
): Cause | undefined {
  const commit = pass.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  if (last === undefined || !sameCommit(last.gitCommitId, commit)) return "commit";
  if (changedSettings(pass, last)) return "settings";
  if (changedVariables(pass, last)) return "variables";
  const retried = pass.requested === undefined || pass.requested === last.retry;
  return failed && !retried ? "retry" : undefined;
}

function changedSettings({ memory }: ApplicationPass, last: LastDeployment): boolean {
  return (memory.written?.revision ?? 0) !== (last.settings ?? 0);
}

function changedVariables({ memory }: ApplicationPass, last: LastDeployment): boolean {
  const written = memory.written?.variables;
  return written !== undefined && !sameContent(written, last.variables);
}

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
export function progressOf(pass: ApplicationPass, seen: Seen): Progress | undefined {
  const { status, request } = seen;
  if (status === undefined) return undefined;
  const last = pass.memory.lastDeployment;
  const open = last !== undefined && last.finishedAt === undefined;
  const own: Progress = { state: shownState(status.state), phase: servicePhase(status.state), ours: open };
  if (!open) return last === undefined || !isFailureOf(last, status, own.phase) ? own : failureOf(last);
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

function failureOf({ state = "" }: LastDeployment): Progress {
  return { state, phase: "failed", ours: false };
}

/** Whether a deployment ended in a failure. */
export function hasFailed({ state = "" }: LastDeployment): boolean {
  return servicePhase(state) === "failed";
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
