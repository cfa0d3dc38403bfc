/** The reads of an application: few, and shared with its siblings where the surface lets them be. */
import type { Uuid } from "../../engine/kind.ts";
import { ApiError, type ApiFailure } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase } from "../../platform/states.ts";
import type { Variable } from "../../platform/variables.ts";
import { orGone, projectOfEnvironment } from "../ancestry.ts";
import { everDeployed } from "./deployment.ts";
import { NOTHING_SEEN, type ApplicationPass, type Seen } from "./model.ts";
import { unsentSettings } from "./settings.ts";
import { pendingSecrets, variablesSent } from "./variables.ts";

/** Settings change rarely, states change while somebody watches. */
const RECORDS_MAX_AGE_MS = 10_000;
const STATUSES_MAX_AGE_MS = 1_000;
const INGRESS_MAX_AGE_MS = 30_000;

/** @throws ApiError */
export async function observe(pass: ApplicationPass, api: Platform): Promise<Seen> {
  const place = { ...NOTHING_SEEN, ...(await placeOf(pass, api)) };
  if (!place.environmentIsOurs) return place;
  // First, as what was read before it has ended would be told as the end.
  const request = await requestOf(pass, api);
  const isFresh = pass.requested !== undefined || mayBeOver(pass, request);
  const siblings = pass.surface === "Full" ? await siblingsOf(pass, isFresh, api) : undefined;
  const seen = { ...place, siblings, serverNow: api.serverNow() };
  if (pass.id === undefined) return seen;
  const status = await statusOf(pass, pass.id, { siblings, isFresh }, api);
  if (status === undefined || pass.goal !== "present") return { ...seen, status };
  return { ...seen, status, request, ...(await details(pass, pass.id, status, api)) };
}

/** Where somebody gave an id, or the connection is limited to some projects, the way up is looked at. */
async function placeOf(pass: ApplicationPass, api: Platform): Promise<Pick<Seen, "environmentIsOurs" | "projectId">> {
  const given = pass.spec.environmentRef.externalId !== undefined && pass.proof !== "recorded";
  const unproven = pass.goal === "present" || pass.proof === "claimed";
  const limited = (given || pass.allowedProjects !== undefined) && unproven;
  const projectId = limited ? await projectOfEnvironment(api, pass.inputs.environmentId) : undefined;
  return { environmentIsOurs: !limited || projectId !== undefined, projectId };
}

async function siblingsOf(pass: ApplicationPass, isFresh: boolean, api: Platform): Promise<Seen["siblings"]> {
  const { environmentId } = pass.inputs;
  const isRecorded = pass.proof === "recorded";
  // What is about to be changed is read afresh: others may have changed what lies beside it.
  const isRoutine = isRecorded && pass.goal === "present" && unsentSettings(pass).length === 0;
  const options = { maxAgeMs: isRoutine && !isFresh ? RECORDS_MAX_AGE_MS : 0 };
  const list = api.applications.list(environmentId, options);
  // With its environment, an application is gone too.
  if (pass.goal === "present") return await orMissing(list, isRecorded ? ["NotFound"] : []);
  return await orGone(list, async () => (await projectOfEnvironment(api, environmentId)) === undefined);
}

/** The request of the deployment that is followed. */
async function requestOf(pass: ApplicationPass, api: Platform): Promise<Seen["request"]> {
  const last = pass.memory.lastDeployment;
  if (pass.goal !== "present" || last?.requestId === undefined || last.finishedAt !== undefined) return undefined;
  return await orMissing(api.deployments.status(last.requestId), ["NotFound"]);
}

/** Whether the deployment that is followed may have ended since something was last read. */
function mayBeOver({ memory }: ApplicationPass, request: Seen["request"]): boolean {
  const last = memory.lastDeployment;
  const isOpen = last !== undefined && last.finishedAt === undefined;
  return isOpen && (request === undefined || servicePhase(request.status) !== "busy");
}

/**
 * The state: one read for all services of the environment on the full surface, one for each on the documented. A list
 * may lag behind: whether one that we recorded is gone, only it can tell itself.
 */
async function statusOf(
  pass: ApplicationPass,
  id: Uuid,
  { siblings, isFresh }: Pick<Seen, "siblings"> & { readonly isFresh: boolean },
  api: Platform,
): Promise<ServiceStatus | undefined> {
  const options = { maxAgeMs: isFresh ? 0 : STATUSES_MAX_AGE_MS };
  const isListed = siblings?.some((one) => one.id === id) === true;
  if (pass.surface === "Full" && !isListed && (siblings === undefined || pass.proof !== "recorded")) return undefined;
  const all = isListed ? await api.services.statuses(pass.inputs.environmentId, options) : [];
  return all.find((one) => one.id === id) ?? (await orMissing(api.applications.status(id), ["NotFound"]));
}

async function details(
  pass: ApplicationPass,
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<Pick<Seen, "ingress" | "keys" | "secretIds">> {
  const running = servicePhase(status.state) === "running";
  const ingress = running
    ? await orMissing(api.services.ingressStatus("application", id, { maxAgeMs: INGRESS_MAX_AGE_MS }), [
        "NotFound",
        "NotSupported",
        "BadResponse",
      ])
    : undefined;
  return { ingress, ...(await variablesOf(pass, id, status, api)) };
}

/** Which variables there are: asked only where memory cannot tell, and where a secret has to be changed by its id. */
async function variablesOf(
  pass: ApplicationPass,
  id: Uuid,
  status: ServiceStatus,
  api: Platform,
): Promise<Pick<Seen, "keys" | "secretIds">> {
  if (pass.inputs.variables.length === 0) return { keys: undefined, secretIds: new Map() };
  const { written, lastDeployment } = pass.memory;
  const foreign = written?.variables === undefined && lastDeployment === undefined && everDeployed(status);
  // Before an import as well: what it does not take over is changed by its id, and before the deployment.
  const changing = !variablesSent(pass, NOTHING_SEEN) || pendingSecrets(pass).length > 0;
  if (!foreign && !(pass.surface === "Full" && changing)) return { keys: undefined, secretIds: new Map() };
  const secrets = await api.variables.listSecrets(id);
  const plain = foreign ? await api.variables.list(id) : [];
  return {
    keys: foreign ? new Set([...plain, ...secrets].filter(isOwn).map(({ key }) => key)) : undefined,
    secretIds: new Map(secrets.filter(isOwn).map((secret) => [secret.key, secret.id])),
  };
}

/** Lists hold inherited variables too; where a scope is shown it tells them apart. */
function isOwn({ scope }: Variable): boolean {
  return scope === undefined || scope === "APPLICATION";
}

async function orMissing<T>(read: Promise<T>, missing: readonly ApiFailure["is"][]): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && missing.includes(error.failure.is)) return undefined;
    throw error;
  }
}
