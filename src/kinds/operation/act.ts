/** The one request, and its answer folded into what was seen. */
import type { Known, Step } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { accepted } from "../service/progress.ts";
import { shownState } from "../service/words.ts";
import { actionOf, send, type Answer } from "./actions.ts";
import type { OperationMemory } from "./crd.ts";
import type { ActionType, OperationPass, Seen } from "./model.ts";
import { taken } from "./outcome.ts";
import { baselineOf } from "./progress.ts";

/** @throws ApiError */
export async function act(
  _step: Step<ActionType>,
  context: OperationPass,
  seen: Seen,
  api: Platform,
): Promise<Known<Seen, OperationMemory>> {
  const action = actionOf(context);
  if (action === undefined) return { seen, memory: context.memory };
  const answer = await send(context, action, api);
  return {
    seen: after(seen, answer, context.inputs.targetId ?? "", action.queued),
    memory: begun(context, seen, answer),
  };
}

function begun(context: OperationPass, before: Seen, { service, cluster }: Answer): OperationMemory {
  const state = service?.state ?? cluster?.status;
  return {
    ...taken(context),
    targetId: context.inputs.targetId,
    request: {
      startedAt: context.now.toISOString(),
      baseline: baselineOf(before),
      ...(state === undefined ? {} : { state: shownState(state) }),
      ...(service?.deploymentRequestId === undefined ? {} : { requestId: service.deploymentRequestId }),
    },
  };
}

/** Returns what is observed once the request was accepted: it is queued at least, whatever the answer still shows. */
function after(seen: Seen, { service, cluster }: Answer, id: string, queued: string): Seen {
  if (seen.cluster !== undefined) return { ...seen, cluster: { ...seen.cluster, ...cluster, status: queued } };
  return seen.status === undefined ? seen : accepted(seen, id, service, queued);
}
