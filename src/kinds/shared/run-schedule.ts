/**
 * `spec.runSchedule`: while it stops an object, the kind sees Stopped in `spec.runState`, and otherwise what the spec
 * says. Pure.
 */
import { timeText } from "../../api/status.ts";
import type { JsonObject, Kind, KindTypes, Plan, ReconcileContext, Report } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import { stalled } from "./checks.ts";

type RunState = "Running" | "Stopped";

interface RunTypes extends KindTypes {
  readonly spec: { readonly runState?: RunState | undefined };
  readonly memory: JsonObject & {
    readonly runState?: RunState | undefined;
    readonly runUntil?: string | undefined;
  };
}

/** How messages name the objects of a kind, and the operations of the platform's API that start and stop them. */
interface RunNames {
  readonly noun: string;
  readonly plural: string;
  readonly operations: { readonly deploy?: string; readonly stop?: string };
}

interface RunControl<K extends RunTypes> extends Pick<RunNames, "noun" | "plural"> {
  readonly start: string;
  readonly stop: string;
  shown(context: ReconcileContext<K>, observed: K["observed"]): RunState | undefined;
}

/**
 * Returns the kind with a schedule; the kind itself if it has no operation to start or to stop its objects.
 * @param shown returns whether an object runs, where the platform shows that, and no request to stop is open
 */
export function withRunSchedule<K extends RunTypes>(
  kind: Kind<K>,
  { noun, plural, operations: { deploy: start, stop } }: RunNames,
  shown: RunControl<K>["shown"],
): Kind<K> {
  if (start === undefined || stop === undefined) return kind;
  const control: RunControl<K> = { noun, plural, start, stop, shown };
  const scheduled = (context: ReconcileContext<K>, observed?: K["observed"]): ReconcileContext<K> => {
    const runState = wantedRunState(control, context, observed);
    return runState === undefined ? context : withRunState(context, runState);
  };
  return {
    ...kind,
    observe: (context, api) => kind.observe(scheduled(context), api),
    plan: (context, observed) => {
      const plan = kind.plan(scheduled(context, observed), observed);
      if (context.policies.runSchedule === undefined) return plan;
      if (plan.is === "settled") return checkSupport(control, context) ?? plan;
      const due = context.memory.runState === "Stopped" ? control.start : control.stop;
      if (plan.is !== "step" || plan.step.op !== due || plan.step.corrects === true) return plan;
      return { is: "step", step: { ...plan.step, scheduled: true } };
    },
    act: (step, context, observed, api) => kind.act(step, scheduled(context, observed), observed, api),
    trace: (intent, context, api) => kind.trace(intent, scheduled(context), api),
    report: (context, observed) =>
      reported(control, context, observed, kind.report(scheduled(context, observed), observed)),
  };
}

function withRunState<K extends RunTypes>(context: ReconcileContext<K>, runState: RunState): ReconcileContext<K> {
  return { ...context, spec: { ...context.spec, runState } };
}

/** Returns the run state that is wanted now; undefined without a schedule. @param observed if that is known */
function wantedRunState<K extends RunTypes>(
  control: RunControl<K>,
  context: ReconcileContext<K>,
  observed: K["observed"] | undefined,
): RunState | undefined {
  const { runSchedule } = context.policies;
  if (runSchedule === undefined) return undefined;
  const isStopped =
    runSchedule.stopUntil !== undefined &&
    checkSupport(control, context) === undefined &&
    heldUntil(control, context, observed) === undefined;
  return isStopped ? "Stopped" : (context.spec.runState ?? "Running");
}

/** Returns why the schedule stops nothing: the platform has no operation to stop such objects, or to start them. */
function checkSupport<K extends RunTypes>(
  { plural, start, stop }: RunControl<K>,
  { isFull }: ReconcileContext<K>,
): Plan<never> | undefined {
  const missing = isSupported(stop, isFull) ? "start" : "stop";
  if (missing === "start" && isSupported(start, isFull)) return undefined;
  const message = `The surface Documented has no ${missing} of ${plural}: spec.runSchedule stops nothing. Remove it.`;
  return stalled("NotSupportedByPlatform", message);
}

/**
 * Returns the time until which the object runs although a window is open, because a user started it manually after it
 * was stopped; undefined if there is none. A manual stop ends this.
 */
function heldUntil<K extends RunTypes>(
  control: RunControl<K>,
  context: ReconcileContext<K>,
  observed: K["observed"] | undefined,
): string | undefined {
  const { memory, now, policies } = context;
  const shown = observed === undefined ? undefined : control.shown(context, observed);
  if (shown === "Stopped") return undefined;
  if (memory.runUntil !== undefined && Date.parse(memory.runUntil) > now.getTime()) return memory.runUntil;
  const { stopUntil } = policies.runSchedule ?? {};
  return shown === "Running" && memory.runState === "Stopped" ? stopUntil && timeText(stopUntil) : undefined;
}

/** Adds the next change by the schedule to a report. */
function reported<K extends RunTypes>(
  control: RunControl<K>,
  context: ReconcileContext<K>,
  observed: K["observed"],
  report: Report,
): Report {
  const { runSchedule } = context.policies;
  const status = { ...report.status, runUntil: heldUntil(control, context, observed) };
  if (runSchedule === undefined || checkSupport(control, context) !== undefined) return { ...report, status };
  const { stopUntil, nextStop } = runSchedule;
  if (stopUntil === undefined || wantedRunState(control, context, observed) !== "Stopped")
    return changingAt({ ...report, status }, context.now, nextStop, "Stopped");
  const message = `The ${control.noun} is stopped until ${timeText(stopUntil)}, as spec.runSchedule says.`;
  const stopped: Report = {
    ...report,
    ready: report.ready.reason === "Stopped" ? { reason: "Stopped", message } : report.ready,
    // A start from now on counts as a manual start.
    status: { ...status, ...(control.shown(context, observed) === "Stopped" && { runState: "Stopped" }) },
  };
  return changingAt(stopped, context.now, stopUntil, "Running");
}

/** Adds the next change, at which the object is reconciled; none where `at` is undefined. */
function changingAt(report: Report, now: Date, at: Date | undefined, runState: RunState): Report {
  if (at === undefined) return report;
  const nextRunChange = { at: timeText(at), runState };
  const lookWithin = Math.min(at.getTime() - now.getTime(), report.lookWithin ?? Infinity);
  return { ...report, status: { ...report.status, nextRunChange }, lookWithin };
}
