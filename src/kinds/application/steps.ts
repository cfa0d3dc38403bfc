/** Stops and deletes applications. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { planRemoval as planServiceRemoval } from "../service/removal.ts";
import { stalled, stop as stopService } from "../service/steps.ts";
import type { ApplicationPass, Do, Seen } from "./model.ts";
import { failure } from "./words.ts";

/** Stops the application where the platform can. */
export function stop(context: ApplicationPass, status: ServiceStatus): Plan<Do> {
  if (context.supports("stopApplication") === "Unsupported") {
    return stalled(
      "NotSupportedByApi",
      "The platform's surface has no stop of applications. Set spec.runState to Running, or stop it on the platform.",
    );
  }
  const failed = (state: string) => failure(state, undefined);
  return stopService(context, status, { op: "stopApplication", noun: "application", failed });
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval(context: ApplicationPass, seen: Seen): Plan<Do> {
  return planServiceRemoval<Do>(context, seen, {
    noun: "application",
    op: "deleteApplication",
    do: { what: "delete" },
    stop: (status) => stop(context, status),
  });
}
