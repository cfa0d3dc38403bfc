/**
 * Remembers steps that the platform rejected. A step that it rejected for good (400, 402, 422) is not sent again. A step
 * that it refused for long (as the 409 of a name that is taken), or that it rejected while the resource is being
 * deleted, is not sent for a while. A step whose operation the platform does not have is left out of the plan. All are sent
 * again once the spec, the values or the surface changed, or the user requests it: the same step may then be another
 * request.
 */
import { isDeepStrictEqual } from "node:util";

import { ApiError } from "../../platform/transport/errors.ts";
import type { Rejection } from "../context/local-state.ts";
import type { Kind, Ms, Step, StatusReason } from "../contract/kind.ts";
import type { Resolved } from "../status/reconciliation.ts";

/** @returns what to remember of a step that was rejected just now */
export function rejectionOf(
  { context: { inputs, isFull, policies, resource } }: Pick<Resolved, "context">,
  op: string,
  reported: Pick<Rejection, "why" | "until">,
): Rejection {
  return { op, generation: resource.generation, inputs, isFull, redeploy: policies.redeploy, ...reported };
}

/**
 * @returns why the step would be rejected again; undefined if it was not rejected like this, the rejection has expired,
 * or the user requests it
 */
export function rejectedBefore(
  last: Rejection | undefined,
  op: string,
  context: Pick<Rejection, "generation" | "inputs" | "isFull" | "redeploy"> & {
    readonly requested: string | undefined;
    readonly now: Ms;
  },
): StatusReason | undefined {
  if (last?.op !== op || last.generation !== context.generation) return undefined;
  if (context.requested !== undefined) return undefined;
  if (context.redeploy !== undefined && context.redeploy !== last.redeploy) return undefined;
  if (last.isFull !== context.isFull || context.now >= last.until) return undefined;
  return isDeepStrictEqual(last.inputs, context.inputs) ? last.why : undefined;
}

/** Returns why an operation is left out of the plan: the platform does not have it. */
export function unsupportedBefore(
  { local, context, ports }: Pick<Resolved, "local" | "context" | "ports">,
  op: string,
): StatusReason | undefined {
  const { generation } = context.resource;
  const now = ports.clock.monotonic();
  return rejectedBefore(local.rejections.unsupported.get(op), op, {
    ...context,
    generation,
    redeploy: context.policies.redeploy,
    now,
  });
}

/** How a reconcile goes on after a request for an operation that the platform may not have. */
type Unsupported =
  /** Plan again with what was observed. `isMissing`: without the operation. */
  { readonly value: unknown; readonly isMissing: boolean };

/**
 * Decides whether a request failed because the platform does not have its operation: after a 405 or a 501; after a 404
 * if a read still shows the object.
 * @returns undefined where the failure means something else
 */
export async function withoutStep(
  { shows }: Pick<Kind, "shows">,
  { context, connection: { api } }: Pick<Resolved, "context" | "connection">,
  { step, observed, error }: { readonly step: Step; readonly observed: unknown; readonly error: ApiError },
  observe: () => Promise<{ readonly value: unknown } | ApiError>,
): Promise<Unsupported | undefined> {
  if (error.failure.is === "NotSupported") return { value: observed, isMissing: true };
  if (error.failure.is !== "NotFound" || shows === undefined) return undefined;
  api.refresh();
  const again = await observe();
  if (again instanceof ApiError) return undefined;
  if (shows(step, context, again.value)) return { ...again, isMissing: true };
  // A create had no object to show. Planning again would send the same request at once.
  return step.repeat === "once" && step.creates ? undefined : { ...again, isMissing: false };
}
