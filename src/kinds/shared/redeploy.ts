/** The annotation redeploy-requested-at: one more deployment of the same commit or settings, for each value. Pure. */
import type { ContextPolicies, Goal } from "../../engine/contract/kind.ts";
import type { RunState } from "./run-schedule.ts";

interface Context {
  readonly goal: Goal;
  readonly memory: { readonly lastHandledRedeployAt?: string | undefined };
  readonly policies: Pick<ContextPolicies, "redeploy" | "forbiddenBy">;
}

/** Returns the value that requests a deployment; undefined without one, and once a deployment answered it. */
export function redeployDue({
  policies: { redeploy },
  memory,
}: Pick<Context, "policies" | "memory">): string | undefined {
  return redeploy === memory.lastHandledRedeployAt ? undefined : redeploy;
}

/**
 * Returns why a requested deployment is refused, as sentences; undefined without a request, and where it is due.
 * @param noun e.g. "application"
 * @param wanted the run state that is wanted now
 */
export function redeployRefusal(noun: string, context: Context, wanted: RunState | undefined): string | undefined {
  const { goal, policies } = context;
  if (redeployDue(context) === undefined) return undefined;
  if (goal !== "present") return `The ${noun} is being deleted.`;
  if (policies.forbiddenBy !== undefined)
    return `spec.lifecycle.managementPolicy is ${policies.forbiddenBy}, which forbids a deployment.`;
  if (wanted === "Stopped")
    return `The ${noun} is to be stopped, as spec.runState or spec.runSchedule says. Its next start deploys it.`;
  return undefined;
}
