/** What is left to do when the resource is deleted. Pure. */
import type { Plan } from "../../engine/kind.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase } from "../../platform/states.ts";
import { otherName, outside, sameName } from "../names.ts";
import { recordOf, type ApplicationPass, type Do, type Seen } from "./model.ts";
import { stalled, stop } from "./steps.ts";
import { busy, unknownState } from "./words.ts";

/** The plan for the goals "stopped" and "absent". */
export function planRemoval(pass: ApplicationPass, seen: Seen): Plan<Do> {
  const { status } = seen;
  if (pass.id === undefined || status === undefined) return { is: "settled" };
  const refused = outside(pass, seen.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  return pass.goal === "stopped" ? planStop(pass, status) : planDelete(pass, seen, pass.id, status);
}

function planStop(pass: ApplicationPass, status: ServiceStatus): Plan<Do> {
  const phase = servicePhase(status.state);
  if (phase === "stopped" || phase === "idle" || phase === "gone") return { is: "settled" };
  if (phase === "unknown") return { is: "waiting", why: unknownState(status.state) };
  return phase === "busy" ? { is: "waiting", why: busy(status.state, undefined) } : stop(pass, status);
}

function planDelete(pass: ApplicationPass, seen: Seen, id: string, status: ServiceStatus): Plan<Do> {
  if (pass.surface === "Documented") {
    return stalled("DeleteNotSupported", "The platform's surface has no deletion of applications.");
  }
  const record = recordOf(pass, seen);
  const misnamed = record !== undefined && !sameName(record.name, pass.spec.name);
  if (misnamed) return { is: "stalled", why: otherName("application", id) };
  if (servicePhase(status.state) === "busy") return { is: "waiting", why: busy(status.state, undefined) };
  if (!seen.deleting) return { is: "step", step: { repeat: "safe", op: "deleteApplication", do: { what: "delete" } } };
  if (status.state === "DELETE_ERROR") {
    const message = "The platform reports DELETE_ERROR; the operator tries again.";
    return { is: "waiting", why: { reason: "DeleteFailed", message } };
  }
  return { is: "waiting", why: { reason: "Deleting", message: "The platform deletes the application." } };
}
