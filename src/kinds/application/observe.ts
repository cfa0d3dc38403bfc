/** Reads an application: with few requests, shared with its siblings where the surface allows. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { forgetIngress, ingressBefore, ingressOf } from "../service/ingress.ts";
import { impliedStatus, isGone, statusesOf, UP_TO_DATE } from "../service/observe.ts";
import { isUnsent } from "../service/settings.ts";
import { sideRead, unlessMissing } from "../shared/answers.ts";
import { redeployDue } from "../shared/redeploy.ts";
import { readOnFull } from "../shared/surface.ts";
import { isOfApplication } from "../shared/variables.ts";
import type { LastDeployment } from "./crd.ts";
import { deployCause, sameCommit } from "./deployment.ts";
import {
  APPLICATION_SETTINGS,
  type ApplicationContext,
  type Declaration,
  NOTHING_OBSERVED,
  type Observed,
} from "./model.ts";
import { isDeployedByOthers, pendingVariables, variablesSent } from "./variables.ts";

export const observe: Declaration["observe"] = async (context, { place, request, isFresh, listed }, api) => {
  if (listed === "gone") return { ...place, siblings: [] };
  const { siblings, presence } = listed;
  const observed = { ...place, siblings };
  const { id } = context;
  if (id === undefined) return observed;
  const isUnlisted = siblings === undefined && !context.isFull && context.goal === "present";
  const implied = isUnlisted ? impliedBy(context, id, request, api) : undefined;
  const status = implied ?? (await statusOf(context, id, { siblings, isFresh }, api));
  if (status === undefined) {
    const list = () => api.applications.list(context.inputs.environmentId);
    return { ...observed, isGone: presence !== undefined && (await isGone(context, list)) };
  }
  if (context.goal !== "present") {
    forgetIngress(id, api);
    return { ...observed, status };
  }
  const own = siblings === undefined ? await recordToChange(context, id, api) : undefined;
  const ingress =
    implied === undefined ? await ingressOf(context, "application", id, status, api) : ingressBefore(context, id, api);
  return {
    ...observed,
    own,
    status,
    request,
    ingress,
    ...(await variablesOf(context, id, { status, isImplied: implied !== undefined }, api)),
  };
};

/** Reads the record, which no list has shown, when settings are to be changed. @throws ApiError as `readOnFull` */
async function recordToChange(context: ApplicationContext, id: Uuid, api: Platform): Promise<Observed["own"]> {
  if (!isUnsent(APPLICATION_SETTINGS, context)) return undefined;
  return await readOnFull(context, api, () => api.applications.get(id));
}

/**
 * Returns the status that the followed request implies or, before another commit is deployed, the last deployment. What
 * a read would show beyond that makes no difference.
 * @returns undefined where the application itself has to be read
 */
function impliedBy(
  context: ApplicationContext,
  id: Uuid,
  request: Observed["request"],
  api: Platform,
): Observed["status"] {
  const last = context.memory.lastDeployment;
  if (request !== undefined) {
    const status = impliedStatus(context, id, request);
    return servicePhase(status?.state ?? "") === "running" && isOrderDue(context, last) ? undefined : status;
  }
  if (last?.requestId === undefined || !isPlainRedeployment(context, last)) return undefined;
  const impliedAt = api.serverNow()?.toISOString();
  if (impliedAt === undefined) return undefined;
  return { id, state: last.state ?? "", deploymentRequestId: last.requestId, impliedAt, ...UP_TO_DATE };
}

/**
 * Reports whether the end of the followed request leads to another request at once. The application is then read, as
 * its state is the baseline that shows after a crash whether that request was executed.
 */
function isOrderDue(context: ApplicationContext, last: LastDeployment | undefined): boolean {
  const isDue = deployCause(context, last, false) !== undefined || redeployDue(context) !== undefined;
  return context.spec.runState === "Stopped" || !isSent(context) || isDue;
}

/** Reports whether the platform has what can be sent to it on the surface Documented: the variables of the spec. */
function isSent(context: ApplicationContext): boolean {
  return variablesSent(context, NOTHING_OBSERVED) && pendingVariables(context).length === 0;
}

/** How long the last deployment has to be over, as the platform's clock shows whole seconds. In milliseconds. */
const CLEARLY_OVER_MS = 2_000;

/**
 * Reports whether all that is due is to deploy another commit of an application that was Ready: its variables
 * are sent, and the last deployment was followed to its success by its request id. This holds for the first reconcile
 * of a spec only: where a policy leaves the deployment to others, later reconciles read the application.
 */
function isPlainRedeployment(context: ApplicationContext, last: LastDeployment): boolean {
  const { identitySource, memory, now, records, requested, spec } = context;
  const commit = spec.deploy?.gitCommitId;
  return [
    identitySource === "recorded" && records.wasReady && requested === undefined,
    commit !== undefined && !sameCommit(last.gitCommitId, commit),
    now.getTime() - Date.parse(last.finishedAt ?? "") >= CLEARLY_OVER_MS &&
      servicePhase(last.state ?? "") === "running",
    spec.runState === "Running" && memory.runState !== "Stopped" && memory.stopping === undefined,
    isSent(context),
  ].every(Boolean);
}

/** Returns the status of an application by its own read; undefined when there is none. @throws ApiError */
export async function ownStatus(id: Uuid, api: Platform): Promise<ServiceStatus | undefined> {
  return await unlessMissing(api.applications.status(id));
}

/**
 * Reads the state: one request for all services of the environment where the platform has it, else one for each. A list
 * may lag: only its own read shows whether a recorded application is gone.
 */
async function statusOf(
  context: ApplicationContext,
  id: Uuid,
  { siblings, isFresh }: Pick<Observed, "siblings"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<ServiceStatus | undefined> {
  const isListed = siblings?.some((one) => one.id === id) === true;
  if (siblings !== undefined && !isListed && context.identitySource !== "recorded") return undefined;
  const all = isListed ? await statusesOf(context, isFresh, api) : undefined;
  return all?.find((one) => one.id === id) ?? (await ownStatus(id, api));
}

/** Reads which variables exist: only where memory does not know, and where one has to be changed or sent again. */
async function variablesOf(
  context: ApplicationContext,
  id: Uuid,
  { status, isImplied }: { readonly status: ServiceStatus; readonly isImplied: boolean },
  api: Platform,
): Promise<Partial<Pick<Observed, "keys" | "secretIds" | "secrets" | "variablesFault">>> {
  if (context.inputs.variables.length === 0) return {};
  const canReplace = context.isFull;
  const foreign = isDeployedByOthers(context, status);
  // While a deployment is followed by its request, nothing is sent again.
  const isPending = !isImplied && pendingVariables(context).length > 0;
  // Also before an import: a variable that the import does not replace is changed by its id, before the deployment.
  const isUnsent = !variablesSent(context, NOTHING_OBSERVED) && (canReplace || context.inputs.secrets.size > 0);
  if (!foreign && !isPending && !isUnsent) return {};
  const lists = async () => ({
    secrets: await api.secrets.list(id),
    plain: foreign ? await api.variables.list(id) : [],
  });
  const { value, fault } = await sideRead(lists(), "the variables");
  if (value === undefined) return { variablesFault: fault };
  const { secrets, plain } = value;
  return {
    keys: foreign ? new Set([...plain, ...secrets].filter(isOfApplication).map(({ key }) => key)) : undefined,
    secretIds: new Map(canReplace ? secrets.filter(isOfApplication).map((secret) => [secret.key, secret.id]) : []),
    secrets,
  };
}
