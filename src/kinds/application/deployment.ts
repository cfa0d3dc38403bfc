/** When to deploy, and how far a deployment is (design §6, "Deploy exactly when"). Pure. */
import { sameContent } from "../../engine/kind.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase, type Phase } from "../../platform/states.ts";
import type { LastDeployment } from "../../resources/application.ts";
import { recordOf, type ApplicationPass, type Seen } from "./model.ts";

/** What the service showed, for telling later whether something new happened to it. */
export function baselineOf(status: ServiceStatus | undefined): string {
  return JSON.stringify([
    status?.lastDeploymentDate ?? null,
    status?.executionId ?? null,
    status?.deploymentRequestsCount ?? null,
  ]);
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
  if (remembered !== undefined || !everDeployed(seen.status)) return remembered;
  const commit = deployedCommit(pass, seen) ?? pass.spec.deploy?.gitCommitId;
  if (commit === undefined) return undefined;
  const at = { finishedAt: pass.now.toISOString() };
  return {
    gitCommitId: commit,
    ...(seen.status === undefined ? {} : { state: seen.status.state }),
    ...at,
    settings: pass.memory.written?.revision ?? 0,
    variables: pass.memory.written?.variables ?? pass.inputs.fingerprint,
  };
}

/** The commit that the platform says is deployed; only the full surface shows it. */
export function deployedCommit(pass: ApplicationPass, seen: Seen): string | undefined {
  const shown = recordOf(pass, seen)?.gitRepository?.deployedCommitId;
  return shown === "" ? undefined : shown;
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
 * How far the service is. A deployment of ours is followed by its request id; without one the service's own state is
 * believed only once it moved past the baseline.
 */
export function progressOf(pass: ApplicationPass, seen: Seen): Progress | undefined {
  const { status, request } = seen;
  if (status === undefined) return undefined;
  const last = pass.memory.lastDeployment;
  const open = last !== undefined && last.finishedAt === undefined;
  const own = { state: status.state, phase: servicePhase(status.state), ours: open };
  if (!open) return own;
  if (last.requestId === undefined) {
    const moved = last.baseline === undefined || baselineOf(status) !== last.baseline || own.phase === "busy";
    return moved ? own : { state: status.state, phase: "busy", ours: true };
  }
  if (request === undefined) return own;
  const phase = servicePhase(request.status);
  // While the request runs, the service's own state says more: BUILDING, DEPLOYING.
  if (phase === "busy") return own.phase === "busy" ? own : { state: request.status, phase, ours: true };
  return { state: request.status, phase, ours: true };
}

/** The last deployment with what is known now; it ends when its state does. */
export function followed(pass: ApplicationPass, seen: Seen): LastDeployment | undefined {
  const last = lastDeployment(pass, seen);
  const progress = progressOf(pass, seen);
  if (last === undefined || progress === undefined || last.finishedAt !== undefined) return last;
  const { baseline: _baseline, ...rest } = last;
  if (progress.phase === "busy" || progress.phase === "unknown") return { ...last, state: progress.state };
  return { ...rest, state: progress.state, finishedAt: pass.now.toISOString() };
}
