/** The plans that several checks come to. Pure. */
import type { Plan, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { once } from "../shared/checks.ts";
import { movedPast } from "./baseline.ts";
import type { Noun, ServiceContext } from "./model.ts";
import type { Progress } from "./progress.ts";
import { orderMark } from "./trace.ts";
import { busy, unknownState } from "./words.ts";

/**
 * Stops a service. An order to stop is given once: until the service shows something new it may not have got there yet,
 * and one that failed is repeated on request only.
 * @param failed what is said of a stop that failed
 */
export function stop(
  context: ServiceContext,
  status: ServiceStatus,
  kind: { readonly op: string; readonly noun: Noun; readonly failed: (state: string) => Why },
): Plan<{ readonly what: "stop" }> {
  const why: Why = { reason: "Stopping", message: `The ${kind.noun} is being stopped.` };
  const { stopping, runState } = context.memory;
  if (context.requested === undefined) {
    if (stopping !== undefined && !movedPast(stopping, status)) return { is: "waiting", why };
    const failed = servicePhase(status.state) === "failed" && runState === "Stopped";
    if (failed) return { is: "stalled", why: kind.failed(status.state) };
  }
  // What we stopped and what runs again, others have started.
  const corrects = runState === "Stopped" && context.requested === undefined;
  return once(kind.op, { what: "stop" }, why, { mark: orderMark(context, status), corrects });
}

/** Waits while work is under way. @param of what the work is for, if it is ours */
export function checkBusy(progress: Progress, of?: string): Plan<never> | undefined {
  return progress.phase === "busy" ? { is: "waiting", why: busy(progress.state, of) } : undefined;
}

/** Says that the state does not tell whether the service works: the last check, as it must not hold up an order. */
export function checkUnclear({ phase, state }: Progress, noun: Noun): Plan<never> | undefined {
  return phase === "unknown" ? { is: "unknown", why: unknownState(state, noun), condition: "Deployed" } : undefined;
}

/**
 * What we stopped is started again, and what the user asks for; the latter brings back what was uninstalled, too. What
 * others stopped or uninstalled is started where everything is to be corrected.
 */
export function startDue(context: ServiceContext, progress: Progress): "wanted" | "corrects" | undefined {
  if (progress.phase !== "gone" && progress.phase !== "stopped") return undefined;
  const ours = progress.phase === "stopped" && context.memory.runState === "Stopped";
  if (ours || context.requested !== undefined) return "wanted";
  return context.policies.corrects === "Everything" ? "corrects" : undefined;
}
