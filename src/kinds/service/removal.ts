/** Plans the deletion of a service. Pure. */
import type { Plan, Presence, Why } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import { stalled } from "../shared/checks.ts";
import { otherName, outside, sameName } from "../shared/names.ts";
import { planUnshownRemoval } from "../shared/presence.ts";
import { elsewhere, isElsewhere } from "./identity.ts";
import type { Listed, Noun, Place, ServiceContext } from "./model.ts";
import { busy, unknownState } from "./words.ts";

interface Removed extends Place {
  readonly status: ServiceStatus | undefined;
  /** What a list shows of it, where nothing else does. */
  readonly presence?: Presence | undefined;
  /** The services of this kind in the environment, where the platform lists them. */
  readonly siblings: readonly Listed[] | undefined;
  /** A delete was sent in this reconcile. */
  readonly deleting: boolean;
}

interface Remover<Do> {
  readonly noun: Noun;
  /** The operation that deletes, e.g. "deleteApplication". */
  readonly op: string;
  readonly do: Do;
  /** Why the state is unknown, where the platform does not show it. */
  readonly unseen?: Why | undefined;
  /** Returns the plan that stops a service which runs or failed. */
  readonly stop: (status: ServiceStatus) => Plan<Do>;
}

/** Returns the plan for the goals "stopped" and "absent". */
export function planRemoval<Do>(context: ServiceContext, seen: Removed, remover: Remover<Do>): Plan<Do> {
  const { status } = seen;
  if (context.id === undefined) return { is: "settled" };
  if (status === undefined) {
    const missed = { noun: remover.noun, name: context.spec.name, id: context.id, where: "the environment" };
    return planUnshownRemoval(seen.presence ?? "Gone", missed);
  }
  const refused = outside(context, seen.projectId);
  if (refused !== undefined) return { is: "stalled", why: refused };
  if (isElsewhere(seen, context.id)) return { is: "stalled", why: elsewhere(remover.noun, context.id) };
  return context.goal === "stopped" ? planStop(context, status, remover) : planDelete(context, seen, status, remover);
}

function planStop<Do>(context: ServiceContext, status: ServiceStatus, { noun, stop, unseen }: Remover<Do>): Plan<Do> {
  if (unseen !== undefined)
    return context.memory.runState === "Stopped" ? { is: "stalled", why: unseen } : stop(status);
  const phase = servicePhase(status.state);
  if (phase === "stopped" || phase === "idle" || phase === "gone") return { is: "settled" };
  if (phase === "unknown") return { is: "waiting", why: unknownState(status.state, noun) };
  return phase === "busy" ? { is: "waiting", why: busy(status.state) } : stop(status);
}

function planDelete<Do>(context: ServiceContext, seen: Removed, status: ServiceStatus, remover: Remover<Do>): Plan<Do> {
  const { noun, op } = remover;
  // For an unobservable object, a 404 proves neither that it is gone nor that it cannot be deleted.
  const isProvable = context.supports(op) === "Supported" || seen.siblings !== undefined || noun === "application";
  if (context.supports(op) === "Unsupported" || !isProvable) {
    return stalled("DeleteNotSupported", `The platform's surface has no deletion of ${noun}s.`);
  }
  const record = seen.siblings?.find(({ id }) => id === context.id);
  const misnamed = record !== undefined && !sameName(record.name, context.spec.name);
  if (misnamed) return { is: "stalled", why: otherName(noun, record.id) };
  if (servicePhase(status.state) === "busy") return { is: "waiting", why: busy(status.state) };
  if (!seen.deleting) {
    return { is: "step", step: { repeat: "safe", op, do: remover.do, message: `Delete the ${noun}.` } };
  }
  if (status.state === "DELETE_ERROR") {
    const message = "The platform reports DELETE_ERROR; the operator tries again.";
    return { is: "waiting", why: { reason: "DeleteFailed", message } };
  }
  return { is: "waiting", why: { reason: "Deleting", message: `The platform deletes the ${noun}.` } };
}
