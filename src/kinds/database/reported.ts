/**
 * The state of a database on the documented surface, which has no read of it. The answers to deploy and stop report it
 * first, and afterwards the deployment request, where there is an id. Pure.
 */
import type { Ms, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import type { Deployment } from "../../platform/areas/service-status.ts";
import { requestPhase, servicePhase } from "../../platform/codec/states.ts";
import type { DatabaseContext, Observed } from "./model.ts";

/** The state of a database that was created and never deployed. */
export const NEVER_DEPLOYED = "READY";

type ReportedState = Pick<Observed, "status" | "request" | "unknownState">;

const SURFACE = "and its surface does not show the state of databases";
const ASK = "To have it deployed, use the annotation platform-operator.io/reconcile-requested-at.";

/** The reason where the platform returned no request id. */
export const NO_REQUEST: StatusReason = {
  reason: "NotObservable",
  message: `The platform accepted the last request, but returned no deployment request id, ${SURFACE}: its result is not known. Look on the platform.`,
};

const NO_SUCH_REQUEST: StatusReason = {
  reason: "NotObservable",
  message: `The platform does not know the last deployment request of the database, ${SURFACE}: its result is not known. Look on the platform.`,
};

const NEVER_REPORTED: StatusReason = {
  reason: "NotObservable",
  message: `The database was adopted, and the platform does not show its state. It is left as it is. ${ASK}`,
};

const LOST: StatusReason = {
  reason: "NotObservable",
  message: `The status of this resource was lost, ${SURFACE}. The database was deployed before, and is left as it is. ${ASK}`,
};

const STATES_UNREAD: StatusReason = {
  reason: "NotObservable",
  message:
    "The platform does not answer listServiceStatuses, the operation that shows the state of the database. Look on the platform.",
};

/** Returns the state of a database that the platform shows without its state: the end of an open request, or nothing. */
export function unreadState(context: DatabaseContext, id: Uuid, request: Deployment | undefined): ReportedState {
  const reported = reportedState(context, id, request, true);
  return followedRequest(context) === undefined && reported.unknownState === undefined
    ? unknown(id, STATES_UNREAD)
    : reported;
}

/** How long a request may not be found, as a read may lag. */
const FIND_MS: Ms = 600_000;

/** Returns the id of the followed request: of a stop, else of a deployment that has not ended. */
export function followedRequest({ memory }: DatabaseContext): Uuid | undefined {
  if (memory.stopping !== undefined) return memory.stopRequestId;
  const last = memory.lastDeployment;
  return last?.finishedAt === undefined ? last?.requestId : undefined;
}

/**
 * Returns what is known of the state. @param request as the platform shows the request of `followedRequest`; undefined
 * where it shows none. @param isShown whether the platform shows the database, but not its state
 */
export function reportedState(
  context: DatabaseContext,
  id: Uuid,
  request: Deployment | undefined,
  isShown = false,
): ReportedState {
  const { lastDeployment: last, stopping } = context.memory;
  const isOpen = stopping !== undefined || (last !== undefined && last.finishedAt === undefined);
  if (!isOpen) return idleState(context, id, isShown);
  const requestId = followedRequest(context);
  if (requestId === undefined) return unknown(id, NO_REQUEST);
  if (request === undefined) return unanswered(context, id);
  // The id of an ended request takes the place of the service's run, so that the end counts as a change.
  const run = requestPhase(request.status) === "busy" ? {} : { executionId: requestId };
  return {
    status: { id, state: request.status, deploymentRequestId: requestId, ...run },
    request: stopping === undefined ? request : undefined,
    unknownState: undefined,
  };
}

/** Returns the state where the platform does not know the request, or not yet. */
function unanswered({ memory, now }: DatabaseContext, id: Uuid): ReportedState {
  const { lastDeployment, stopping, state = "" } = memory;
  const isRecent = now.getTime() - Date.parse(lastDeployment?.startedAt ?? "") < FIND_MS;
  if (stopping !== undefined || !isRecent) return unknown(id, NO_SUCH_REQUEST);
  const queued = servicePhase(state) === "busy" ? state : "DEPLOYMENT_QUEUED";
  return { status: { id, state: queued }, request: undefined, unknownState: undefined };
}

/**
 * Returns the state while no request is open. A database that the operator created and that has no state was never
 * deployed. One that was found in a list or by a user's id may run.
 */
function idleState({ memory, spec, records: { started } }: DatabaseContext, id: Uuid, isShown: boolean): ReportedState {
  const { state, lastDeployment } = memory;
  const known = state ?? lastDeployment?.state;
  if (known === undefined && started) return unknown(id, LOST);
  const isFound = isShown || spec.externalId !== undefined;
  if (known === undefined && isFound) return unknown(id, NEVER_REPORTED);
  return { status: { id, state: known ?? NEVER_DEPLOYED }, request: undefined, unknownState: undefined };
}

function unknown(id: Uuid, why: StatusReason): ReportedState {
  return { status: { id, state: "" }, request: undefined, unknownState: why };
}
