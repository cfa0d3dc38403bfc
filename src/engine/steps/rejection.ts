/**
 * Remembers steps that the platform rejected. A step that it rejected for good (400, 422, the 409 of a name that is
 * taken) is not sent again. A step that it refused for long, or that it rejected while the resource is being deleted,
 * is not sent for a while. All are sent again once the spec, the values or the known surface changed, or the user
 * requests it: the same step may then be another request.
 */
import { isDeepStrictEqual } from "node:util";

import { ApiError } from "../../platform/transport/errors.ts";
import type { Rejection } from "../context/local-state.ts";
import type { Kind, Ms, Step, Why } from "../contract/kind.ts";
import type { Resolved } from "../status/reconciliation.ts";

/** @returns what to remember of a step that was rejected just now */
export function rejectionOf(
  { context, connection }: Resolved,
  op: string,
  reported: Pick<Rejection, "why" | "until">,
): Rejection {
  const { inputs, policies, resource } = context;
  const surface = connection.api.capabilities.summary();
  return { op, generation: resource.generation, inputs, surface, redeploy: policies.redeploy, ...reported };
}

/**
 * @returns why the step would be rejected again; undefined if it was not rejected like this, the rejection has expired,
 * or the user requests it
 */
export function rejectedBefore(
  last: Rejection | undefined,
  op: string,
  context: Pick<Rejection, "generation" | "inputs" | "surface" | "redeploy"> & {
    readonly requested: string | undefined;
    readonly now: Ms;
  },
): Why | undefined {
  if (last?.op !== op || last.generation !== context.generation) return undefined;
  if (context.requested !== undefined) return undefined;
  if (context.redeploy !== undefined && context.redeploy !== last.redeploy) return undefined;
  if (last.surface !== context.surface || context.now >= last.until) return undefined;
  return isDeepStrictEqual(last.inputs, context.inputs) ? last.why : undefined;
}

/** What to plan with; or, if the kind would plan the refused step again, why the object is stalled. */
type Without = { readonly is: "on"; readonly value: unknown } | { readonly is: "stalled"; readonly why: Why };

/**
 * Decides whether the reconcile continues without the step. After a 405 or 501 the platform does not offer its
 * operation; after a 404 neither, if a read still shows the object. If no read shows the object any more, the kind
 * plans again as well.
 * @returns undefined where the failure means something else
 */
export async function withoutStep(
  { shows, plan }: Pick<Kind, "shows" | "plan">,
  { context, connection: { api } }: Pick<Resolved, "context" | "connection">,
  { step, observed, error }: { readonly step: Step; readonly observed: unknown; readonly error: ApiError },
  observe: () => Promise<{ readonly value: unknown } | ApiError>,
): Promise<Without | undefined> {
  const isMissing = (): boolean => api.capabilities.supports(step.op) === "Unsupported";
  const without = (value: unknown): Without => {
    const next = plan(context, value);
    if (next.is !== "step" || next.step.op !== step.op) return { is: "on", value };
    return {
      is: "stalled",
      why: { reason: "NotSupportedByApi", message: `The platform has no operation ${step.op}.` },
    };
  };
  // A request that must be sent once only, and that was answered 501, is traced first.
  const isOver = step.repeat === "safe" || error.failure.is === "NotSupported";
  if (isOver && isMissing()) return without(observed);
  if (error.failure.is !== "NotFound" || shows === undefined) return undefined;
  api.refresh();
  const again = await observe();
  if (again instanceof ApiError) return undefined;
  if (!shows(step, context, again.value)) {
    // A create had no object to show. Planning again would send the same request at once.
    return step.repeat === "once" && step.creates ? undefined : { is: "on", ...again };
  }
  api.capabilities.missing(step.op);
  return isMissing() ? without(again.value) : undefined;
}
