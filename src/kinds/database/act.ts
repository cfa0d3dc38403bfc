/** Sends the request of a step, and folds its answer into what was observed. */
import type { Known, Uuid } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { baselineOf } from "../service/baseline.ts";
import { accepted, begun } from "../service/progress.ts";
import { memorable, revisionOf, writtenWith } from "../service/settings.ts";
import { isStoppedAlready } from "../shared/answers.ts";
import type { DatabaseMemory } from "./crd.ts";
import { recordOf, type DatabaseContext, type Do, type Seen, typeCheckOf } from "./model.ts";
import { followed } from "./progress.ts";
import { databaseInput, databaseSettings, declaredSettings, observedSettings, shownRecord } from "./settings.ts";
import { NO_REQUEST } from "./told.ts";

type Folded = Known<Seen, DatabaseMemory>;

/** @throws ApiError */
export async function act(step: Do, before: DatabaseContext, seen: Seen, api: Platform): Promise<Folded> {
  // What was looked up before the order is remembered with it: while it is followed, nothing else is looked up.
  const context = { ...before, memory: { ...before.memory, typeCheck: typeCheckOf(before, seen) } };
  const id = context.id ?? "";
  switch (step.what) {
    case "create":
      return await create(context, seen, api);
    case "update":
      return await update(context, seen, api);
    case "deploy":
      return deployed(step, context, seen, await api.databases.deploy(id));
    case "stop":
      return await stop(context, seen, api);
    case "delete":
      await api.databases.delete(id);
      return { seen: { ...seen, deleting: true }, memory: context.memory };
    default:
      return step satisfies never;
  }
}

async function create(context: DatabaseContext, seen: Seen, api: Platform): Promise<Folded> {
  const made = await api.databases.create(context.inputs.environmentId, databaseInput(context.spec));
  // A service that was just created is READY until it is deployed (docs/architecture.md §9).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const written = { settings: memorable(declaredSettings(context.spec)), revision: 0 };
  const memory = { ...context.memory, ...shownRecord(made), state: status.state, written };
  return { seen: { ...seen, siblings: seen.siblings && [...seen.siblings, made], status }, memory, id: made.id };
}

async function update(context: DatabaseContext, seen: Seen, api: Platform): Promise<Folded> {
  const record = recordOf(context, seen);
  if (record === undefined) return { seen, memory: context.memory };
  const updated = await api.databases.update(record, databaseSettings(context.spec));
  const stored = updated && observedSettings(updated);
  const written = writtenWith(declaredSettings(context.spec), stored, revisionOf(context.memory));
  const next = updated ?? record;
  const siblings = seen.siblings?.map((one) => (one.id === record.id ? next : one));
  return { seen: { ...seen, siblings, updated: true }, memory: { ...pinned(context, seen), written } };
}

function deployed(
  step: Extract<Do, { what: "deploy" }>,
  context: DatabaseContext,
  seen: Seen,
  answer: ServiceStatus | undefined,
): Folded {
  const lastDeployment = {
    settings: revisionOf(context.memory),
    ...begun(answer, seen.status, context.now),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
    ...(step.attempts === undefined ? {} : { attempts: step.attempts }),
  };
  const order = { runState: "Running" as const, stopping: undefined, stopRequestId: undefined, lastDeployment };
  return {
    seen: ordered(context, seen, answer, "DEPLOYMENT_QUEUED"),
    memory: { ...context.memory, ...order },
  };
}

/**
 * Stops a database. Where nothing shows it, the answer may show that it is stopped already, by others or an operation.
 */
async function stop(context: DatabaseContext, seen: Seen, api: Platform): Promise<Folded> {
  const id: Uuid = context.id ?? "";
  try {
    return stopping(context, seen, await api.databases.stop(id));
  } catch (error) {
    if (context.supports("listServiceStatuses") === "Supported" || !isStoppedAlready(error)) throw error;
    const status = { id, state: "STOPPED" };
    const order = { runState: "Stopped" as const, stopping: undefined, stopRequestId: undefined };
    return {
      seen: { ...seen, status, request: undefined, unseen: undefined, ordered: true },
      memory: { ...context.memory, ...order, state: status.state },
    };
  }
}

function stopping(context: DatabaseContext, seen: Seen, answer: ServiceStatus | undefined): Folded {
  const order = {
    runState: "Stopped" as const,
    stopping: baselineOf(seen.status),
    stopRequestId: answer?.deploymentRequestId,
  };
  return { seen: ordered(context, seen, answer, "STOP_QUEUED"), memory: { ...pinned(context, seen), ...order } };
}

/**
 * Returns what is observed once a request was accepted. Without a request id the documented surface shows nothing of it
 * afterwards.
 */
function ordered(context: DatabaseContext, seen: Seen, answer: ServiceStatus | undefined, queued: string): Seen {
  const id: Uuid = context.id ?? "";
  const isLost = context.supports("listServiceStatuses") !== "Supported" && answer?.deploymentRequestId === undefined;
  if (isLost) return { ...seen, status: { id, state: "" }, request: undefined, unseen: NO_REQUEST, ordered: true };
  return { ...accepted(seen, id, answer, queued), unseen: undefined, ordered: true };
}

/** Returns the memory before a write with what is deployed now, so that the write counts as a change to it. */
function pinned(context: DatabaseContext, seen: Seen): DatabaseMemory {
  return { ...context.memory, lastDeployment: followed(context, seen) };
}
