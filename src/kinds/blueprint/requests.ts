/** Creates the service of a blueprint, the only request, and finds out later whether it was created. */
import type { ActionResult, JsonObject, OpenIntent, Step, Trace } from "../../engine/contract/kind.ts";
import type { Blueprint } from "../../platform/areas/blueprints.ts";
import type { Platform } from "../../platform/index.ts";
import { shownState } from "../service/messages.ts";
import type { ServiceAction } from "../service/model.ts";
import { startedDeployment } from "../service/progress.ts";
import { unlisted } from "../service/requests.ts";
import { baseline, traceIn } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitOptional } from "../shared/text.ts";
import { type BlueprintMemory, platformBlueprint } from "./crd.ts";
import { type BlueprintContext, NOTHING_OBSERVED, type Observed, written } from "./model.ts";
import { blueprintsIn } from "./observe.ts";

/** Sends the create. Where its answer has no id, the engine traces it. @throws ApiError */
export async function act(
  _step: Step<ServiceAction>,
  context: BlueprintContext,
  observed: Observed,
  api: Platform,
): Promise<ActionResult<Observed, BlueprintMemory>> {
  const { spec, inputs } = context;
  const { deployOnCreate: deploy = false } = spec;
  // The overrides are sent as they are in the spec: absent, null or given.
  const variables = inputs.variables.length > 0 ? inputs.variables : undefined;
  const made = await api.blueprints.create(inputs.environmentId, { ...spec, variables }, { deploy });
  const catalogUrl = fitOptional(made.catalogUrl);
  const memory = {
    ...initialMemory(context, deploy, made),
    written: written(context),
    ...(catalogUrl !== undefined && { catalogUrl }),
  };
  return { observed, memory, ...(made.id !== undefined && { id: made.id }) };
}

/** Traces the create by the list of its environment. @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: BlueprintContext,
  api: Platform,
): Promise<Trace<Observed, BlueprintMemory>> {
  if (!intent.creates) return { is: "absent" };
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const services = await readOnFull(context, api, () => api.services.list(environmentId));
  if (services === undefined) return unlisted(intent, "listServices", context);
  const siblings = blueprintsIn(services);
  const observed = { ...NOTHING_OBSERVED, siblings, serverNow: api.serverNow() };
  const sent = platformBlueprint.memory.parse({ written: baseline(intent.mark, "written"), ...intent.accepted });
  const memory = { ...initialMemory(context, baseline(intent.mark, "deploys") === true), ...sent };
  return traceIn(intent, context, services, siblings, ({ id, serviceId }) => ({
    observed,
    memory: { ...memory, serviceId },
    id,
  }));
}

/**
 * Returns the part of the memory of a create that is stored with the record of the id, or, without an id, with the
 * intent: the time of the creation, the deployment that followed, and the id of the service.
 */
export function keep({ createdAt, lastDeployment, serviceId }: BlueprintMemory): JsonObject {
  return { createdAt, lastDeployment: lastDeployment && { ...lastDeployment }, serviceId };
}

/** Returns the memory of a service that was just created. Its deployment is the first one. */
function initialMemory({ memory, now }: BlueprintContext, deploys: boolean, answer: Blueprint = {}): BlueprintMemory {
  const { state, deploymentRequestId, serviceId } = answer;
  const lastDeployment = {
    ...startedDeployment(undefined, undefined, now),
    ...(state !== undefined && { state: shownState(state) }),
    ...(deploymentRequestId !== undefined && { requestId: deploymentRequestId }),
  };
  return {
    ...memory,
    createdAt: now.toISOString(),
    ...((deploys || deploymentRequestId !== undefined) && { lastDeployment }),
    ...(serviceId !== undefined && { serviceId }),
  };
}
