/** The plans that several checks come to. Pure. */
import type { Plan, Step, Why } from "../../engine/kind.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase } from "../../platform/states.ts";
import { baselineOf, movedPast } from "./deployment.ts";
import type { ApplicationPass, Do } from "./model.ts";
import { failure } from "./words.ts";

/** Needs a person. */
export function stalled(reason: Why["reason"], message: string): Plan<Do> {
  return { is: "stalled", why: { reason, message } };
}

type Once = Extract<Step<Do>, { repeat: "once" }>;

/** A step that may not happen twice. */
export function once(
  op: string,
  what: Do,
  why: Why,
  rest: Pick<Once, "mark"> & Partial<Pick<Once, "creates" | "name" | "commit">>,
): Plan<Do> {
  return { is: "step", step: { repeat: "once", op, do: what, why, creates: false, ...rest } };
}

/**
 * Stops the application where the surface can. An order to stop is given once: until the service shows something new it
 * may not have got there yet, and one that failed is repeated on request only.
 */
export function stop(pass: ApplicationPass, status: ServiceStatus): Plan<Do> {
  if (pass.surface === "Documented") {
    return stalled(
      "NotSupportedByApi",
      "The platform's surface has no stop of applications. Set spec.runState to Running, or stop it on the platform.",
    );
  }
  const why: Why = { reason: "Stopping", message: "The application is being stopped." };
  const { stopping, runState } = pass.memory;
  if (pass.requested === undefined) {
    if (stopping !== undefined && !movedPast(stopping, status)) return { is: "waiting", why };
    const failed = servicePhase(status.state) === "failed" && runState === "Stopped";
    if (failed) return { is: "stalled", why: failure(status.state, undefined) };
  }
  return once("stopApplication", { what: "stop" }, why, { mark: baselineOf(status) });
}
