import { isDeleting, isInProgress, type ServiceState } from "./states.ts";

/** The actions on a service. */
export type Action = "deploy" | "stop" | "restart" | "delete";

export const serviceKinds = ["database", "job", "container", "helm", "terraform", "application"] as const;
export type ServiceKind = (typeof serviceKinds)[number];

interface ActionStates {
  /** Accepted, not begun. */
  readonly queued: ServiceState;
  /** Begun for the environment, but not for the stage of this service. */
  readonly waiting: ServiceState;
  readonly running: ServiceState;
  readonly done: ServiceState;
  readonly failed: ServiceState;
}

/** The states that a service passes in each action. */
export const statesOf = {
  deploy: {
    queued: "DEPLOYMENT_QUEUED",
    waiting: "WAITING_RUNNING",
    running: "DEPLOYING",
    done: "DEPLOYED",
    failed: "DEPLOYMENT_ERROR",
  },
  stop: {
    queued: "STOP_QUEUED",
    waiting: "WAITING_STOPPING",
    running: "STOPPING",
    done: "STOPPED",
    failed: "STOP_ERROR",
  },
  restart: {
    queued: "RESTART_QUEUED",
    waiting: "WAITING_RESTARTING",
    running: "RESTARTING",
    done: "RESTARTED",
    failed: "RESTART_ERROR",
  },
  delete: {
    queued: "DELETE_QUEUED",
    waiting: "WAITING_DELETING",
    running: "DELETING",
    done: "DELETED",
    failed: "DELETE_ERROR",
  },
} as const satisfies Record<Action, ActionStates>;

/** The states in which an action may begin at once. Deletion may begin in any that is not in progress. */
const legalFrom: Readonly<Record<Exclude<Action, "delete">, readonly ServiceState[]>> = {
  deploy: [
    "READY",
    "STOPPED",
    "DELETED",
    "DEPLOYED",
    "RESTARTED",
    "CANCELED",
    "BUILD_ERROR",
    "DEPLOYMENT_ERROR",
    "RESTART_ERROR",
    "STOP_ERROR",
    "DELETE_ERROR",
  ],
  stop: ["DEPLOYED", "RESTARTED", "CANCELED", "BUILD_ERROR", "DEPLOYMENT_ERROR", "RESTART_ERROR", "STOP_ERROR"],
  restart: ["DEPLOYED", "RESTARTED"],
};

/** Whether requests queue, or are refused while one is in progress. */
export type QueueMode = "queue" | "strict";

export type ActionDecision =
  | { readonly is: "accepted" }
  /** A service that was never deployed is deleted without a deployment. */
  | { readonly is: "gone" }
  | { readonly is: "refused"; readonly status: 400 | 409; readonly message: string };

/**
 * Decides whether an action on a service in `state`, which may be undocumented, is accepted.
 * @returns accepted, also when it has to wait for work in progress; gone; or refused with the status to answer
 */
export function decideAction(action: Action, state: string, mode: QueueMode): ActionDecision {
  if (isInProgress(state)) return decideWhileBusy(action, state, mode);
  if (action === "delete") return { is: state === "READY" ? "gone" : "accepted" };
  const legal: readonly string[] = legalFrom[action];
  if (legal.includes(state)) return { is: "accepted" };
  if (action === "stop" && state === "STOPPED") return refused(409, "The service is already stopped");
  return refused(400, `InvalidAction: cannot ${action} a service in state ${state}`);
}

function decideWhileBusy(action: Action, state: string, mode: QueueMode): ActionDecision {
  if (action === "restart") return refused(400, `InvalidAction: cannot restart a service in state ${state}`);
  if (action !== "delete" && isDeleting(state)) return refused(400, "InvalidAction: the service is being deleted");
  if (mode === "strict") return refused(409, "Operation is in progress");
  return { is: "accepted" };
}

function refused(status: 400 | 409, message: string): ActionDecision {
  return { is: "refused", status, message };
}

/** Services of one stage run in parallel, stages one after the other; stop and delete reverse the order. */
const stageOf = {
  database: 0,
  job: 1,
  container: 2,
  helm: 2,
  terraform: 2,
  application: 3,
} as const satisfies Record<ServiceKind, number>;

/** A part of a deployment in which some services are in one state, and all other services wait. */
export interface Phase {
  readonly is: "build" | "work" | "execute";
  readonly shows: ServiceState;
  readonly services: readonly string[];
}

/**
 * @param services the services of one deployment request.
 * @returns its phases in order: for a deploy first the builds of all applications, then stage by stage; jobs execute
 * after their deployment.
 */
export function phasesOf(
  action: Action,
  services: readonly { readonly id: string; readonly kind: ServiceKind }[],
): readonly Phase[] {
  const phases: Phase[] = [];
  const add = (is: Phase["is"], shows: ServiceState, members: typeof services): void => {
    if (members.length > 0) phases.push({ is, shows, services: members.map((service) => service.id) });
  };
  const backward = action === "stop" || action === "delete";
  const stages = backward ? [3, 2, 1, 0] : [0, 1, 2, 3];
  const builds = services.filter((service) => service.kind === "application");
  if (action === "deploy") add("build", "BUILDING", builds);
  for (const stage of stages) {
    const members = services.filter((service) => stageOf[service.kind] === stage);
    add("work", statesOf[action].running, members);
    if (action === "deploy" && stage === stageOf.job) add("execute", "EXECUTING", members);
  }
  return phases;
}
