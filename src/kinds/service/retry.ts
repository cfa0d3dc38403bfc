/** Starts a failed deployment again (spec.lifecycle.retry). Pure. */
import type { Ms, Plan, Why } from "../../engine/contract/kind.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import type { ServicePass } from "./model.ts";
import type { Progress } from "./progress.ts";

/**
 * Returns how long until a failed deployment of the operator is started again.
 * @param last with what is known now
 * @returns 0 when it is due; undefined when it is left to a person: no such policy, its limit reached, or no such
 * failure
 */
export function retryIn(
  { retry, now }: ServicePass,
  last: ServiceDeployment | undefined,
  progress: Progress,
): Ms | undefined {
  if (retry === undefined || last?.finishedAt === undefined || (last.attempts ?? 0) >= retry.limit) return undefined;
  // A cancelled deployment is no failure, and a failed stop is none of the deployment.
  const failed = progress.phase === "failed" && last.startedAt !== undefined && /(^|_)ERROR$/.test(last.state ?? "");
  if (!failed || progress.state !== last.state) return undefined;
  return Math.max(0, Date.parse(last.finishedAt) + retry.backoffMs - now.getTime());
}

/** Waits for the next attempt. @param failed the reason of the failure itself */
export function waitToRetry(left: Ms, { reason }: Why, state: string, of: string): Plan<never> {
  const message = `The platform reports ${state} for ${of}. It is deployed again after the time that spec.lifecycle.retry says.`;
  return { is: "waiting", why: { reason, message }, again: left };
}
