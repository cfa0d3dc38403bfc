/** A step that the platform answers as if it had no such operation. */
import type { JsonObject } from "../kube/types.ts";
import { ApiError } from "../platform/errors.ts";
import type { RatedApi } from "./connections.ts";
import type { Kind, Step } from "./kind.ts";
import type { Frame } from "./scope.ts";

/**
 * Whether the pass goes on without the step: after 405 or 501 the platform does not offer it, and after 404 either, if
 * what it was about is still shown. What is not shown any more is planned for anew as well.
 * @returns what to plan with; undefined where the failure means something else
 */
export async function withoutStep<Spec, In, Seen, Mem extends JsonObject, Do, Api extends RatedApi>(
  { shows }: Pick<Kind<Spec, In, Seen, Mem, Do, Api>, "shows">,
  { pass, connection: { api } }: Frame<Spec, In, Mem, Api>,
  { step, seen, error }: { readonly step: Step<Do>; readonly seen: Seen; readonly error: ApiError },
  observe: () => Promise<{ readonly value: Seen } | ApiError>,
): Promise<{ readonly value: Seen } | undefined> {
  const isMissing = (): boolean => api.capabilities.supports(step.op) === "Unsupported";
  // A request that may be sent once only, and that was answered 501, is traced first.
  const isOver = step.repeat === "safe" || error.failure.is === "NotSupported";
  if (isOver && isMissing()) return { value: seen };
  if (error.failure.is !== "NotFound" || shows === undefined) return undefined;
  api.refresh();
  const again = await observe();
  if (again instanceof ApiError) return undefined;
  if (!shows(step, pass, again.value)) return again;
  api.capabilities.missing(step.op);
  return isMissing() ? again : undefined;
}
