/**
 * Whether an object is to run: `spec.runState`, or Stopped while `spec.runSchedule` stops it. Pure. The engine resolves
 * the schedule into `ContextPolicies.runSchedule`; the spec stays what the user wrote.
 */
import { timeText } from "../../api/status.ts";
import type { Plan, ReconcileContext, Report, RunSchedule, StatusReason } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";

export type RunState = "Running" | "Stopped";

/** How messages name the objects of a kind, and the operations of the platform's API that start and stop them. */
interface RunNames {
  readonly noun: string;
  readonly plural: string;
  readonly operations: { readonly deploy: string; readonly stop: string };
}

interface RunContext extends Pick<ReconcileContext, "now" | "isFull"> {
  readonly spec: { readonly runState?: RunState | undefined };
  readonly memory: { readonly runState?: RunState | undefined; readonly runUntil?: string | undefined };
  readonly policies: { readonly runSchedule?: RunSchedule | undefined };
}

/** Whether an object is to run now. */
export interface RunFacts {
  /** The run state that the spec or its schedule wants; undefined where neither says one. */
  readonly wanted: RunState | undefined;
  /**
   * Until when the object runs although the schedule has a window open, because a user started it manually after it was
   * stopped. A manual stop ends this.
   */
  readonly heldUntil: string | undefined;
  /** Why the schedule stops nothing: the platform has no operation to stop such objects, or to start them. */
  readonly unsupported: StatusReason | undefined;
  /** Whether the object runs, where the platform shows that, and no request to stop is open. */
  readonly shown: RunState | undefined;
}

/** Returns whether an object is to run now. @param shown see `RunFacts.shown`; undefined also before anything was read */
export function runFacts(names: RunNames, context: RunContext, shown?: RunState): RunFacts {
  const { spec, policies } = context;
  const { runSchedule } = policies;
  const unsupported = runSchedule && unsupportedSchedule(names, context);
  const heldUntil = manualRunUntil(context, shown);
  const isStopped = runSchedule?.stopUntil !== undefined && unsupported === undefined && heldUntil === undefined;
  const unstopped = runSchedule === undefined ? spec.runState : (spec.runState ?? "Running");
  return { wanted: isStopped ? "Stopped" : unstopped, heldUntil, unsupported, shown };
}

function unsupportedSchedule({ plural, operations }: RunNames, { isFull }: RunContext): StatusReason | undefined {
  const missing = isSupported(operations.stop, isFull) ? "start" : "stop";
  if (missing === "start" && isSupported(operations.deploy, isFull)) return undefined;
  const message = `The surface Documented has no ${missing} of ${plural}: spec.runSchedule stops nothing. Remove it.`;
  return { reason: "NotSupportedByPlatform", message };
}

function manualRunUntil({ memory, now, policies }: RunContext, shown: RunState | undefined): string | undefined {
  if (shown === "Stopped") return undefined;
  if (memory.runUntil !== undefined && Date.parse(memory.runUntil) > now.getTime()) return memory.runUntil;
  const { stopUntil } = policies.runSchedule ?? {};
  return shown === "Running" && memory.runState === "Stopped" ? stopUntil && timeText(stopUntil) : undefined;
}

/** Returns a plan with what the schedule adds: which step is the schedule's, and that the platform cannot follow it. */
export function scheduledPlan<Action>(
  { operations }: RunNames,
  { memory, policies }: RunContext,
  { unsupported }: RunFacts,
  plan: Plan<Action>,
): Plan<Action> {
  if (policies.runSchedule === undefined) return plan;
  if (plan.is === "settled") return unsupported === undefined ? plan : { is: "stalled", why: unsupported };
  const due = memory.runState === "Stopped" ? operations.deploy : operations.stop;
  if (plan.is !== "step" || plan.step.op !== due || plan.step.corrects === true) return plan;
  return { is: "step", step: { ...plan.step, scheduled: true } };
}

/** Returns a report with what the schedule adds: the manual run, why the object is stopped, and the next change. */
export function scheduledReport(
  { noun }: RunNames,
  { now, policies: { runSchedule } }: RunContext,
  { wanted, heldUntil, unsupported, shown }: RunFacts,
  report: Report,
): Report {
  const status = { ...report.status, runUntil: heldUntil };
  if (runSchedule === undefined || unsupported !== undefined) return { ...report, status };
  const { stopUntil, nextStop } = runSchedule;
  if (stopUntil === undefined || wanted !== "Stopped")
    return changingAt({ ...report, status }, now, nextStop, "Stopped");
  const message = `The ${noun} is stopped until ${timeText(stopUntil)}, as spec.runSchedule says.`;
  const stopped: Report = {
    ...report,
    ready: report.ready.reason === "Stopped" ? { reason: "Stopped", message } : report.ready,
    // A start from now on counts as a manual start.
    status: { ...status, ...(shown === "Stopped" && { runState: "Stopped" }) },
  };
  return changingAt(stopped, now, stopUntil, "Running");
}

/** Adds the next change, at which the object is reconciled; none where `at` is undefined. */
function changingAt(report: Report, now: Date, at: Date | undefined, runState: RunState): Report {
  if (at === undefined) return report;
  const nextRunChange = { at: timeText(at), runState };
  const lookWithin = Math.min(at.getTime() - now.getTime(), report.lookWithin ?? Infinity);
  return { ...report, status: { ...report.status, nextRunChange }, lookWithin };
}
