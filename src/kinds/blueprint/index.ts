/** PlatformBlueprint: a service from a blueprint of the catalogue. It is created, perhaps deployed, and followed. */
import type { JsonObject, Kind, Known, OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { Blueprint } from "../../platform/areas/blueprints.ts";
import type { Platform } from "../../platform/index.ts";
import { untraceable } from "../service/identity.ts";
import { begun } from "../service/progress.ts";
import { shownState } from "../service/words.ts";
import { offered } from "../shared/answers.ts";
import { baseline, traceIn } from "../shared/create-trace.ts";
import { environmentNeed } from "../shared/limits.ts";
import { fitOptional } from "../shared/text.ts";
import { variableRequests } from "../shared/variables.ts";
import { type BlueprintMemory, platformBlueprint } from "./crd.ts";
import { type BlueprintContext, type BlueprintTypes, NOTHING_SEEN, type Seen } from "./model.ts";
import { blueprintsIn, observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { blueprintInput, variableInputs, written } from "./settings.ts";

export const blueprint: Kind<BlueprintTypes> = {
  resource: platformBlueprint,
  externalLifecycle: true,
  claim: (spec) => spec.externalId,
  operations: () => ({ stop: [], delete: [] }),
  listable: (supports) => supports("listServices") !== "Unsupported",
  needs: (spec) => ({
    references: [environmentNeed(spec.environmentRef)],
    values: variableRequests(spec.variables),
    inputs: (resolved) => ({ environmentId: resolved.id("spec.environmentRef"), ...variableInputs(spec, resolved) }),
  }),
  observe,
  plan,
  keep,
  act: (_step, context, seen, api) => create(context, seen, api),
  trace,
  report,
};

/** Creates the service. Where the answer has no id, the engine traces it. @throws ApiError */
export async function create(
  context: BlueprintContext,
  seen: Seen,
  api: Platform,
): Promise<Known<Seen, BlueprintMemory>> {
  const { deployOnCreate = false } = context.spec;
  const made = await api.blueprints.create(context.inputs.environmentId, blueprintInput(context), {
    deploy: deployOnCreate,
  });
  const catalogUrl = fitOptional(made.catalogUrl);
  const memory = {
    ...newborn(context, deployOnCreate, made),
    written: written(context),
    ...(catalogUrl !== undefined && { catalogUrl }),
  };
  return { seen, memory, ...(made.id !== undefined && { id: made.id }) };
}

/** Traces an unconfirmed create. @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: BlueprintContext,
  api: Platform,
): Promise<Trace<Seen, BlueprintMemory>> {
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const services = await offered(api, "listServices", () => api.services.list(environmentId));
  if (services === undefined) return { is: "unknowable", why: untraceable(intent.name) };
  const siblings = blueprintsIn(services);
  const seen = { ...NOTHING_SEEN, siblings, serverNow: api.serverNow() };
  const sent = platformBlueprint.memory.parse({ written: baseline(intent.mark, "written"), ...intent.accepted });
  const memory = { ...newborn(context, baseline(intent.mark, "deploys") === true), ...sent };
  return traceIn(intent, context, services, siblings, ({ id, serviceId }) => ({
    seen,
    memory: { ...memory, serviceId },
    id,
  }));
}

/**
 * Returns what of the answer is kept with the record of the id, or without an id with the intent: when the service was
 * created, and the deployment that followed.
 */
export function keep({ createdAt, lastDeployment, serviceId }: BlueprintMemory): JsonObject {
  return {
    ...(createdAt !== undefined && { createdAt }),
    ...(lastDeployment !== undefined && { lastDeployment: { ...lastDeployment } }),
    ...(serviceId !== undefined && { serviceId }),
  };
}

/** Returns the memory of a service that was just created. Its deployment is the first one. */
function newborn({ memory, now }: BlueprintContext, deploys: boolean, answer: Blueprint = {}): BlueprintMemory {
  const { state, deploymentRequestId, serviceId } = answer;
  const lastDeployment = {
    ...begun(undefined, undefined, now),
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
