/**
 * The reported state of a database. The documented surface has no read of it: the answers to deploy and stop report it
 * first, and then the deployment request by its id, where there is one. Pure.
 */
import type { Ms, Supports, Uuid, Why } from "../../engine/contract/kind.ts";
import type { Deployment } from "../../platform/areas/service-status.ts";
import { requestPhase, servicePhase } from "../../platform/codec/states.ts";
import type { DatabaseMemory } from "./crd.ts";
import type { DatabaseContext, Seen } from "./model.ts";

type Told = Pick<Seen, "status" | "request" | "unseen">;

const SURFACE = "and its surface does not show the state of databases";
const ASK = "To have it deployed, use the annotation platform-operator.io/reconcile-requested-at.";

/** The platform gave no request id. */
export const NO_REQUEST: Why = {
  reason: "NotObservable",
  message: `The platform took the last order, but gave no deployment request id, ${SURFACE}: its result is not known. Look on the platform.`,
};

const NO_SUCH_REQUEST: Why = {
  reason: "NotObservable",
  message: `The platform does not know the deployment request of the last order, ${SURFACE}: its result is not known. Look on the platform.`,
};

const NEVER_TOLD: Why = {
  reason: "NotObservable",
  message: `The database was taken over, and the platform's surface does not show the state of databases. It is left as it is. ${ASK}`,
};

const LOST: Why = {
  reason: "NotObservable",
  message: `The status of this resource was lost, ${SURFACE}. The database was deployed before, and is left as it is. ${ASK}`,
};

/** For how long a request is looked for, as a read may lag. */
const FIND_MS: Ms = 600_000;

/** Reports whether it was deployed and the platform shows nothing but the answer. */
export function notObservableAfterwards({ lastDeployment }: DatabaseMemory, supports: Supports): boolean {
  return supports("listServiceStatuses") !== "Supported" && lastDeployment !== undefined;
}

/** Returns the id of the followed request: of a stop, else of a deployment that has not ended. */
export function followedRequest({ memory }: DatabaseContext): Uuid | undefined {
  if (memory.stopping !== undefined) return memory.stopRequestId;
  const last = memory.lastDeployment;
  return last?.finishedAt === undefined ? last?.requestId : undefined;
}

/**
 * Returns what is known of the state. @param request the one of `followedRequest`, undefined where the platform has
 * none
 */
export function told(context: DatabaseContext, id: Uuid, request: Deployment | undefined): Told {
  const { lastDeployment: last, stopping } = context.memory;
  const isOpen = stopping !== undefined || (last !== undefined && last.finishedAt === undefined);
  if (!isOpen) return standing(context, id);
  const requestId = followedRequest(context);
  if (requestId === undefined) return unseen(id, NO_REQUEST);
  if (request === undefined) return unanswered(context, id);
  // The end of a request is a change: it counts as the service's run.
  const run = requestPhase(request.status) === "busy" ? {} : { executionId: requestId };
  return {
    status: { id, state: request.status, deploymentRequestId: requestId, ...run },
    request: stopping === undefined ? request : undefined,
    unseen: undefined,
  };
}

/** The platform does not know the request, or not yet. */
function unanswered({ memory, now }: DatabaseContext, id: Uuid): Told {
  const { lastDeployment, stopping, state = "" } = memory;
  const isRecent = now.getTime() - Date.parse(lastDeployment?.startedAt ?? "") < FIND_MS;
  if (stopping !== undefined || !isRecent) return unseen(id, NO_SUCH_REQUEST);
  const queued = servicePhase(state) === "busy" ? state : "DEPLOYMENT_QUEUED";
  return { status: { id, state: queued }, request: undefined, unseen: undefined };
}

/** Nothing is under way. A database that was created here and that nothing was reported of was never deployed. */
function standing({ memory, spec, records: { begun, confirmedByUser } }: DatabaseContext, id: Uuid): Told {
  const { state, lastDeployment } = memory;
  const known = state ?? lastDeployment?.state;
  if (known === undefined && begun === true) return unseen(id, LOST);
  if (known === undefined && spec.externalId !== undefined && confirmedByUser !== true) return unseen(id, NEVER_TOLD);
  return { status: { id, state: known ?? "READY" }, request: undefined, unseen: undefined };
}

function unseen(id: Uuid, why: Why): Told {
  return { status: { id, state: "" }, request: undefined, unseen: why };
}
