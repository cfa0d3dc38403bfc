/** Sends the requests that services share, and updates what was observed by their answers. */
import type { ActionResult } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import type { ListedObject } from "../shared/names.ts";
import type { ServiceKind } from "./define.ts";
import {
  type ServiceAction,
  type ServiceArea,
  type ServiceContext,
  type ServiceMemory,
  type ServiceObserved,
  serviceRecord,
  type ServiceSpec,
  type ServiceTypes,
} from "./model.ts";
import { areaOf } from "./observe.ts";
import { accepted, startedDeployment } from "./progress.ts";
import { declaredSettings, memorable, observedSettings, revisionOf, writtenWith } from "./settings.ts";
import { serviceBaseline } from "./trace.ts";

type Folded = ActionResult<ServiceObserved, ServiceMemory>;

/** A request that is to be sent, and what is known before it. */
interface Request {
  readonly kind: ServiceKind;
  readonly context: ServiceContext;
  readonly observed: ServiceObserved;
  readonly api: Platform;
  readonly area: ServiceArea<ServiceSpec, ListedObject>;
}

/** Sends the request of a step that services share. @throws ApiError; RangeError for a step that only one kind has */
export async function act(
  kind: ServiceKind,
  step: ServiceTypes["action"],
  context: ServiceContext,
  observed: ServiceObserved,
  api: Platform,
): Promise<Folded> {
  const request: Request = { kind, context, observed, api, area: areaOf(kind, api) };
  switch (step.what) {
    case "create":
      return await create(request);
    case "update":
      return await update(request);
    case "deploy":
      return await deploy(request, step);
    case "stop":
      return await stop(request);
    case "delete":
      await request.area.delete(context.id ?? "");
      return { observed: { ...observed, deleting: true }, memory: context.memory };
    default:
      throw new RangeError(`The kind has to send ${step.what} itself.`);
  }
}

async function create({ kind, context, observed, api, area }: Request): Promise<Folded> {
  const { inputs, spec } = context;
  const made = await area.create(inputs.environmentId, spec, { extended: context.isFull });
  // A service that was just created is READY until it is deployed (docs/architecture.md §9).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const written = { settings: memorable(declaredSettings(kind.settings, spec)), revision: 0 };
  const memory = { ...context.memory, written };
  return {
    observed: { ...observed, siblings: observed.siblings && [...observed.siblings, made], status },
    memory: kind.created?.({ ...context, memory }, observed, made, api) ?? memory,
    id: made.id,
  };
}

async function update({ kind, context, observed, area }: Request): Promise<Folded> {
  const { spec, memory } = context;
  const record = serviceRecord(context, observed);
  if (record === undefined) return { observed, memory };
  const updated = await area.update(record, spec);
  const stored = updated && observedSettings(kind.settings, updated, spec);
  const sent = writtenWith(declaredSettings(kind.settings, spec), stored, revisionOf(memory));
  const next = updated ?? record;
  const siblings = observed.siblings?.map((one) => (one.id === record.id ? next : one));
  return {
    observed: { ...observed, siblings, own: observed.own && next, updated: true },
    memory: { ...pinned(kind, context, observed), written: { ...memory.written, ...sent } },
  };
}

async function deploy(
  { kind, context, observed, area }: Request,
  step: Extract<ServiceAction, { what: "deploy" }>,
): Promise<Folded> {
  const { id = "", memory } = context;
  const answer = await area.deploy(id, step.commit ?? "");
  const more = kind.ordered?.(context, "deploy", answer);
  const lastDeployment = {
    ...kind.deploymentOf?.(context),
    ...(step.commit === undefined ? {} : { gitCommitId: step.commit }),
    settings: revisionOf(memory),
    ...startedDeployment(answer, observed.status, context.now),
    retry: step.retry,
    attempts: step.attempts,
  };
  return {
    observed: { ...accepted(observed, id, answer, "DEPLOYMENT_QUEUED"), ...more?.observed },
    memory: {
      ...memory,
      ...kind.replaced?.(memory, kind.followed(context, observed)),
      runState: "Running",
      stopping: undefined,
      lastDeployment,
      lastHandledRedeployAt: context.policies.redeploy ?? memory.lastHandledRedeployAt,
      ...more?.memory,
    },
  };
}

async function stop({ kind, context, observed, area }: Request): Promise<Folded> {
  const { id = "" } = context;
  const answer = await area.stop(id);
  const more = kind.ordered?.(context, "stop", answer);
  const order = { runState: "Stopped" as const, stopping: serviceBaseline(observed.status), ...more?.memory };
  return {
    observed: { ...accepted(observed, id, answer, "STOP_QUEUED"), ...more?.observed },
    memory: { ...pinned(kind, context, observed), ...order },
  };
}

/** Returns the memory with the deployment from before a write, so that the write counts as a change since then. */
function pinned(kind: ServiceKind, context: ServiceContext, observed: ServiceObserved): ServiceMemory {
  return { ...context.memory, lastDeployment: kind.followed(context, observed) };
}
