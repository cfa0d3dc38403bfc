/** Records what a PlatformOperation did to the database, where nothing but its answer shows it. Pure. */
import type { LastOperation } from "../../api/status.ts";
import type { ExternalAction } from "../../engine/contract/kind.ts";
import { baselineOf } from "../service/baseline.ts";
import { revisionOf } from "../service/settings.ts";
import { shownState } from "../service/words.ts";
import { isNew, withOperation } from "../shared/last-operation.ts";
import type { DatabaseDeployment, DatabaseMemory } from "./crd.ts";
import type { DatabaseContext } from "./model.ts";

/** Where the platform shows the state of databases, it is read; else the operation's request is followed. */
export function recordAction(action: ExternalAction, context: DatabaseContext): DatabaseMemory {
  const memory = withOperation(context.memory, action);
  const isRead = context.supports("listServiceStatuses") === "Supported";
  if (isRead || !isNew(context.memory, action) || isOutdated(action, context)) return memory;
  if (action.op === "stopDatabase") return stopped(action, context, memory);
  return action.op === "deployDatabase" ? deployed(action, context, memory) : memory;
}

/**
 * Reports whether the database was deployed after it, or its status was lost since, perhaps with what was done later.
 */
function isOutdated({ at }: ExternalAction, { memory, records: { begun } }: DatabaseContext): boolean {
  const { lastDeployment, state } = memory;
  if (lastDeployment === undefined && state === undefined) return begun === true;
  return (lastDeployment?.startedAt ?? "") > at;
}

function stopped({ at, requestId }: ExternalAction, { spec }: DatabaseContext, memory: DatabaseMemory): DatabaseMemory {
  const { lastDeployment: last } = memory;
  return {
    ...memory,
    // A deployment that was under way is not followed any more.
    lastDeployment: last && { finishedAt: at, ...last },
    stopping: baselineOf(undefined),
    stopRequestId: requestId,
    runState: spec.runState === "Stopped" ? "Stopped" : memory.runState,
  };
}

function deployed(
  { at, requestId, state }: ExternalAction,
  { spec }: DatabaseContext,
  memory: DatabaseMemory,
): DatabaseMemory {
  const lastDeployment: DatabaseDeployment = {
    settings: revisionOf(memory),
    startedAt: at,
    baseline: baselineOf(undefined),
    ...(state === undefined ? {} : { state: shownState(state) }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  return {
    ...memory,
    lastDeployment,
    stopping: undefined,
    stopRequestId: undefined,
    runState: spec.runState === "Running" ? "Running" : memory.runState,
  };
}

/** Returns the operation that stopped the database, if nothing was deployed since. */
export function stoppedBy({ memory }: DatabaseContext): LastOperation | undefined {
  const { lastOperation: last, lastDeployment } = memory;
  if (last?.operation !== "stopDatabase" || last.result === "Failed") return undefined;
  return (lastDeployment?.startedAt ?? "") <= last.startedAt ? last : undefined;
}

/**
 * Returns the run state that an operation requested last against the spec, where no state is observed. What the
 * resource requests itself is in `runState`.
 */
export function unwantedRunState({ memory, spec }: DatabaseContext): "Running" | "Stopped" | undefined {
  const { lastOperation, lastDeployment, stopping, runState = "Running" } = memory;
  if (lastOperation === undefined || runState !== spec.runState) return undefined;
  if (runState === "Running") return stopping === undefined ? undefined : "Stopped";
  const isStarted = lastDeployment?.startedAt === lastOperation.startedAt;
  return isStarted && stopping === undefined ? "Running" : undefined;
}
