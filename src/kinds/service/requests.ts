/**
 * Sends the requests of services, updates what was observed by their answers, and finds out later whether a request
 * took effect (docs/project/architecture.md §6).
 */
import type { z } from "zod";

import { timeText } from "../../api/status.ts";
import type { ActionResult, Json, OpenIntent, Trace, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import { isOfOtherWork, isOfStop, servicePhase } from "../../platform/codec/states.ts";
import type { Platform } from "../../platform/index.ts";
import { baseline, traceIn, unlisted } from "../shared/create-trace.ts";
import type { ListedObject } from "../shared/names.ts";
import { readOnFull } from "../shared/surface.ts";
import type { ServiceDeployment } from "./crd-status.ts";
import { shownState } from "./messages.ts";
import {
  type ServiceAction,
  type ServiceArea,
  type ServiceContext,
  type ServiceMemory,
  type ServiceNames,
  type ServiceObserved,
  serviceRecord,
} from "./model.ts";
import { accepted, isDeployedSince, movedPast, serviceBaseline, startedDeployment } from "./progress.ts";
import {
  declaredSettings,
  observedSettings,
  rememberedSettings,
  revisionOf,
  type ServiceSetting,
  writtenWith,
} from "./settings.ts";

/** The platform's API for a kind, and the table of its settings. */
interface Sending<Spec, Item> {
  readonly area: ServiceArea<Spec, Item>;
  readonly settings: readonly ServiceSetting<Spec, Item>[];
}

/** The context of a kind with this spec and memory. */
type ContextOf<Spec, Mem> = ServiceContext & { readonly spec: Spec; readonly memory: Mem };

/**
 * Creates a service.
 * @returns also the platform's record of it
 * @throws ApiError
 */
export async function createService<
  Spec,
  Item extends ListedObject,
  Observed extends ServiceObserved<Item>,
  Mem extends ServiceMemory,
>(
  { area, settings }: Sending<Spec, Item>,
  context: ContextOf<Spec, Mem>,
  observed: Observed,
): Promise<ActionResult<Observed, Mem> & { readonly id: Uuid; readonly made: Item }> {
  const { inputs, spec, memory } = context;
  const made = await area.create(inputs.environmentId, spec, { extended: context.isFull });
  // A service that was just created is READY until it is deployed (docs/project/architecture.md §9).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const written = { settings: rememberedSettings(declaredSettings(settings, spec)), revision: 0 };
  return {
    observed: { ...observed, siblings: observed.siblings && [...observed.siblings, made], status },
    memory: { ...memory, written },
    id: made.id,
    made,
  };
}

/**
 * Updates the settings of a service.
 * @param last the last deployment from before the update, so that the update counts as a change since then
 * @throws ApiError
 */
export async function updateService<
  Spec,
  Item extends ListedObject,
  Observed extends ServiceObserved<Item>,
  Mem extends ServiceMemory,
>(
  { area, settings }: Sending<Spec, Item>,
  context: ContextOf<Spec, Mem>,
  observed: Observed,
  last: Mem["lastDeployment"],
): Promise<ActionResult<Observed, Mem>> {
  const { spec, memory } = context;
  const record = serviceRecord<Item>(context, observed);
  if (record === undefined) return { observed, memory };
  const updated = await area.update(record, spec);
  const stored = updated && observedSettings(settings, updated, spec);
  const sent = writtenWith(declaredSettings(settings, spec), stored, revisionOf(memory));
  const next = updated ?? record;
  const siblings = observed.siblings?.map((one) => (one.id === record.id ? next : one));
  return {
    observed: { ...observed, siblings, own: observed.own && next, updated: true },
    memory: { ...memory, lastDeployment: last, written: { ...memory.written, ...sent } },
  };
}

/**
 * Deploys a service.
 * @returns also the platform's answer, and the deployment, to which the kind adds what it deploys
 * @throws ApiError
 */
export async function deployService<Observed extends ServiceObserved, Mem extends ServiceMemory>(
  area: Pick<ServiceArea<never, unknown>, "deploy">,
  step: Extract<ServiceAction, { what: "deploy" }>,
  { id = "", memory, policies, now }: ContextOf<unknown, Mem>,
  observed: Observed,
): Promise<
  ActionResult<Observed, Mem> & {
    readonly answer: ServiceStatus | undefined;
    readonly deployment: ServiceDeployment;
  }
> {
  const answer = await area.deploy(id, step.commit ?? "");
  const deployment = {
    settings: revisionOf(memory),
    ...startedDeployment(answer, observed.status, now),
    retry: step.retry,
    attempts: step.attempts,
  };
  const lastHandledRedeployAt = policies.redeploy ?? memory.lastHandledRedeployAt;
  return {
    observed: accepted(observed, id, answer, "DEPLOYMENT_QUEUED"),
    memory: { ...memory, runState: "Running" as const, stopping: undefined, lastHandledRedeployAt },
    answer,
    deployment,
  };
}

/**
 * Stops a service.
 * @param last the last deployment from before the stop
 * @returns also the platform's answer
 * @throws ApiError
 */
export async function stopService<Observed extends ServiceObserved, Mem extends ServiceMemory>(
  area: Pick<ServiceArea<never, unknown>, "stop">,
  { id = "", memory }: ContextOf<unknown, Mem>,
  observed: Observed,
  last: Mem["lastDeployment"],
): Promise<ActionResult<Observed, Mem> & { readonly answer: ServiceStatus | undefined }> {
  const answer = await area.stop(id);
  const stopping = serviceBaseline(observed.status);
  return {
    observed: accepted(observed, id, answer, "STOP_QUEUED"),
    memory: { ...memory, lastDeployment: last, runState: "Stopped" as const, stopping },
    answer,
  };
}

/** Deletes a service. @throws ApiError */
export async function deleteService<Observed extends ServiceObserved, Mem>(
  area: Pick<ServiceArea<never, unknown>, "delete">,
  { id = "", memory }: ContextOf<unknown, Mem>,
  observed: Observed,
): Promise<{ readonly observed: Observed; readonly memory: Mem }> {
  await area.delete(id);
  return { observed: { ...observed, deleting: true }, memory };
}

/**
 * Returns what a later trace of a request compares with, and the user's request. Undefined members are left out.
 * @param status of the service before the request
 */
export function requestMark(
  { requested }: ServiceContext,
  status: ServiceStatus | undefined,
  rest: Readonly<Record<string, Json | undefined>> = {},
): Json {
  return {
    baseline: serviceBaseline(status),
    state: status?.state ?? null,
    requestId: status?.deploymentRequestId ?? null,
    retry: requested,
    ...rest,
  };
}

/**
 * Traces an unconfirmed create by the list of its environment.
 * @param observed what is observed of a service before anything was read
 * @throws ApiError
 */
export async function traceServiceCreate<Item extends ListedObject, Observed, Mem extends ServiceMemory>(
  area: Pick<ServiceArea<never, Item>, "list">,
  { list: operation }: ServiceNames["operations"],
  intent: OpenIntent,
  context: ContextOf<unknown, Mem>,
  observed: Observed,
  api: Platform,
): Promise<Trace<Observed, Mem>> {
  const { inputs, now } = context;
  const list = await readOnFull(context, api, () => area.list(intent.parentId ?? inputs.environmentId));
  if (list === undefined) return unlisted(intent, operation, context);
  // As after the answer to the create: the state counts until the platform shows one.
  const memory = { ...context.memory, state: "READY", stateSince: timeText(now) };
  return traceIn(intent, context, list, list, ({ id }) => ({ observed, memory, id }));
}

/**
 * Returns the memory of a request to deploy or to stop that was executed; undefined where the service does not show it.
 * @param names of the operations
 * @param schema of the memory
 * @param status of the service now
 */
export function tracedMemory<Mem extends ServiceMemory>(
  { stop }: ServiceNames["operations"],
  schema: z.ZodType<Mem>,
  intent: OpenIntent,
  { memory, now }: ContextOf<unknown, Mem>,
  status: ServiceStatus,
): Mem | undefined {
  const { mark } = intent;
  if (intent.op === stop) return showsStop(mark, status) ? { ...memory, runState: "Stopped" as const } : undefined;
  if (!showsDeployment(mark, status)) return undefined;
  const lastDeployment = { ...markedDeployment(schema, intent), ...landedDeployment(intent, status, now) };
  const lastHandledRedeployAt = textIn(mark, "redeploy") ?? memory.lastHandledRedeployAt;
  return { ...memory, runState: "Running" as const, lastDeployment, lastHandledRedeployAt };
}

/** Reports whether the service is stopped, or shows a stop that it did not show before the request. */
function showsStop(mark: Json, status: ServiceStatus): boolean {
  if (!isOfStop(status.state)) return false;
  if (servicePhase(status.state) === "stopped") return true;
  const isNews = movedPast(textIn(mark, "baseline"), status) || isFresh(mark, status);
  return isNews || status.state !== textIn(mark, "state");
}

/**
 * Reports whether the service shows a deployment that it did not show before the request. A stop, a restart or a
 * deletion by others since is none, although it is a new run.
 */
function showsDeployment(mark: Json, status: ServiceStatus): boolean {
  const [before, stateBefore] = [textIn(mark, "baseline"), textIn(mark, "state")];
  if (isFresh(mark, status) || isDeployedSince(before, status)) return true;
  if (isOfOtherWork(status.state) && status.state !== stateBefore) return false;
  const isWorking = servicePhase(status.state) === "busy" && servicePhase(stateBefore ?? "") !== "busy";
  return isWorking || movedPast(before, status);
}

/** Returns the deployment that an intent describes, as far as the kind's memory has its members. */
function markedDeployment<Mem extends ServiceMemory>(
  schema: z.ZodType<Mem>,
  { mark, commit: gitCommitId = "" }: OpenIntent,
): Mem["lastDeployment"] {
  const members = ["settings", "variablesAt", "retry", "attempts"];
  const marked = Object.fromEntries(members.map((member) => [member, baseline(mark, member)]));
  const parsed = (lastDeployment: object) => schema.parse({ lastDeployment }).lastDeployment;
  return parsed({ ...marked, gitCommitId }) ?? parsed({ gitCommitId });
}

/** Returns what the service shows of the deployment that landed; `baseline` is that of the mark. */
function landedDeployment({ mark }: OpenIntent, status: ServiceStatus, now: Date) {
  return {
    requestId: isFresh(mark, status) ? status.deploymentRequestId : undefined,
    baseline: textIn(mark, "baseline"),
    state: shownState(status.state),
    startedAt: now.toISOString(),
  };
}

/** Reports whether the service shows another request than before the traced one. */
function isFresh(mark: Json, { deploymentRequestId: id }: ServiceStatus): boolean {
  return id !== undefined && id !== baseline(mark, "requestId");
}

function textIn(mark: Json, member: string): string | undefined {
  const value = baseline(mark, member);
  return typeof value === "string" ? value : undefined;
}
