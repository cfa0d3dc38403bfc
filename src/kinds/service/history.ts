/** What a service's status remembers of the past. Pure. */
import type { DriftField } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { movedPast } from "./baseline.ts";
import type { ServiceFailure } from "./crd-status.ts";
import type { ServiceContext, Sight } from "./model.ts";
import type { Progress } from "./progress.ts";
import { shownState } from "./words.ts";

/**
 * Returns the last failure, kept until a deployment succeeds, with the time of its first report.
 * @param kept the remembered one
 * @param now the message of a failure in this state
 */
export function lastFailureOf<Failure extends ServiceFailure>(
  kept: Failure | undefined,
  progress: Progress | undefined,
  now: (state: string) => Failure,
  at: Date,
): Failure | undefined {
  if (progress?.phase === "running") return undefined;
  if (progress?.phase !== "failed") return kept;
  const failure = now(shownState(progress.state));
  const same = kept !== undefined && sameFailure(kept, failure);
  return { ...failure, at: same && kept.at !== undefined ? kept.at : at.toISOString() };
}

/** Compares everything but message and time. */
function sameFailure(left: ServiceFailure, right: ServiceFailure): boolean {
  const facts = ({ message: _message, at: _at, ...rest }: ServiceFailure): string =>
    JSON.stringify(Object.entries(rest).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return facts(left) === facts(right);
}

/**
 * Returns the run state that the operator last applied. Detects a service that someone else started after it was
 * stopped.
 */
export function runStateOf(
  { memory }: ServiceContext,
  wanted: "Running" | "Stopped",
  { status }: Sight,
): "Running" | "Stopped" | undefined {
  const started = wanted === "Running" && servicePhase(status?.state ?? "") === "running";
  return started && memory.runState === "Stopped" ? "Running" : memory.runState;
}

/** Returns the open request to stop. It ends when the service is stopped, or shows a change and is not at work. */
export function stoppingOf({ memory }: ServiceContext, status: ServiceStatus | undefined): string | undefined {
  const before = memory.stopping;
  const phase = servicePhase(status?.state ?? "");
  const over = phase === "stopped" || (phase !== "busy" && status !== undefined && movedPast(before, status));
  return over ? undefined : before;
}

/** Returns the drift of a run state that others changed. */
export function runStateDrift(
  { memory }: ServiceContext,
  wanted: "Running" | "Stopped",
  { status }: Sight,
): readonly DriftField[] {
  const phase = servicePhase(status?.state ?? "");
  const path = "spec.runState";
  if (wanted === "Running" && phase === "stopped" && memory.runState !== "Stopped") {
    return [{ path, desired: wanted, observed: "Stopped" }];
  }
  const isStarted = wanted === "Stopped" && phase === "running" && memory.runState === "Stopped";
  return isStarted && memory.stopping === undefined ? [{ path, desired: wanted, observed: "Running" }] : [];
}
