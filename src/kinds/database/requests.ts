/** Sends the requests of a database, and finds out later whether one was executed. */
import { RECONCILE_REQUESTED_AT, REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import type { ActionResult, OpenIntent, Step, Trace } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceAction } from "../service/model.ts";
import {
  createService,
  deleteService,
  deployService,
  stopService,
  tracedMemory,
  traceServiceCreate,
  updateService,
} from "../service/requests.ts";
import { isStoppedAlready } from "../shared/answers.ts";
import { baseline } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { type DatabaseMemory, platformDatabase } from "./crd.ts";
import { databaseFacts } from "./facts.ts";
import {
  DATABASE_SETTINGS,
  type DatabaseContext,
  NAMES,
  NOTHING_OBSERVED,
  type Observed,
  typeCheckOf,
} from "./model.ts";
import { shownRecord } from "./report.ts";
import { NEVER_DEPLOYED, NO_REQUEST } from "./reported.ts";

type Result = ActionResult<Observed, DatabaseMemory>;
type Traced = Trace<Observed, DatabaseMemory>;

/** Sends the request of a step. @throws ApiError */
export async function act(
  { action: step }: Step<ServiceAction>,
  before: DatabaseContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  // The type check is stored with the request: while the request is followed, nothing else is looked up.
  const context = { ...before, memory: { ...before.memory, typeCheck: typeCheckOf(before, observed) } };
  const sending = { area: api.databases, settings: DATABASE_SETTINGS };
  switch (step.what) {
    case "create": {
      const { made, memory, ...created } = await createService(sending, context, observed);
      return { ...created, memory: { ...memory, ...shownRecord(made), state: NEVER_DEPLOYED } };
    }
    case "update":
      return await updateService(sending, context, observed, databaseFacts(context, observed).last);
    case "deploy": {
      const { answer, deployment, ...deployed } = await deployService(api.databases, step, context, observed);
      const memory = { ...deployed.memory, lastDeployment: deployment, stopRequestId: undefined };
      return { observed: observedAfter(context, deployed.observed, answer), memory };
    }
    case "stop":
      return await stop(context, observed, api);
    case "delete":
      return await deleteService(api.databases, context, observed);
    default:
      return step satisfies never;
  }
}

async function stop(context: DatabaseContext, observed: Observed, api: Platform): Promise<Result> {
  const { last } = databaseFacts(context, observed);
  try {
    const { answer, ...stopped } = await stopService(api.databases, context, observed, last);
    const stopRequestId = answer?.deploymentRequestId;
    return {
      observed: observedAfter(context, stopped.observed, answer),
      memory: { ...stopped.memory, stopRequestId },
    };
  } catch (error) {
    // Where nothing shows the state, the answer to a stop may show that the database is stopped already.
    if (context.isFull || !isStoppedAlready(error)) throw error;
    const status = { id: context.id ?? "", state: "STOPPED" };
    const stopped = { runState: "Stopped" as const, stopping: undefined, stopRequestId: undefined };
    return {
      observed: { ...observed, status, request: undefined, unknownState: undefined, isRequestSent: true },
      memory: { ...context.memory, ...stopped, state: status.state },
    };
  }
}

/**
 * Returns what is observed once a request to deploy or to stop was accepted. Without a request id the documented surface
 * shows nothing of the request afterwards.
 */
function observedAfter(
  { id = "", isFull }: DatabaseContext,
  observed: Observed,
  answer: ServiceStatus | undefined,
): Observed {
  const isFollowed = isFull || answer?.deploymentRequestId !== undefined;
  if (isFollowed) return { ...observed, isRequestSent: true, unknownState: undefined };
  return { ...observed, isRequestSent: true, status: { id, state: "" }, unknownState: NO_REQUEST };
}

/** Finds out whether an unconfirmed request was executed. @throws ApiError */
export async function trace(intent: OpenIntent, context: DatabaseContext, api: Platform): Promise<Traced> {
  if (intent.creates)
    return await traceServiceCreate(api.databases, NAMES.operations, intent, context, NOTHING_OBSERVED, api);
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const statuses = await readOnFull(context, api, () => api.services.statuses(environmentId));
  if (statuses === undefined) return unconfirmed(intent, context);
  const status = statuses.find(({ id }) => id === (intent.id ?? context.id));
  if (status === undefined) return { is: "absent" };
  const memory = tracedMemory(NAMES.operations, platformDatabase.memory, intent, context, status);
  if (memory === undefined) return { is: "absent" };
  return { is: "landed", known: [{ observed: { ...NOTHING_OBSERVED, status }, memory }] };
}

/**
 * Returns the result of a trace where nothing shows whether the request was executed. A second stop changes nothing, nor
 * does a second deployment of the same settings: other settings come with another generation. A deployment that the user
 * requested once more is not repeated. The user's request permits a new attempt, unless the open one was made for that
 * very request.
 */
function unconfirmed(
  { op, mark, repetition }: OpenIntent,
  { requested, policies: { redeploy } }: DatabaseContext,
): Traced {
  if (requested !== undefined && requested !== baseline(mark, "retry")) return { is: "absent" };
  const redeployed = baseline(mark, "redeploy");
  if (redeploy !== undefined && redeploy !== redeployed) return { is: "absent" };
  const what = op === NAMES.operations.stop ? "stop" : "deploy";
  const isRedeployed = typeof redeployed === "string";
  const request = isRedeployed ? REDEPLOY_REQUESTED_AT : RECONCILE_REQUESTED_AT;
  const message = `The platform did not confirm the request to ${what} the database${repetition ? ", nor its repetition" : ""}, and its surface does not show the state of databases. Look on the platform. To request it again, use the annotation ${request}.`;
  return { is: "unknowable", why: { reason: "NotObservable", message }, repeatable: !isRedeployed };
}
