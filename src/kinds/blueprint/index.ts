/** PlatformBlueprint: a service from a blueprint of the catalog. It is created, perhaps deployed, and followed. */
import type { JsonObject } from "../../engine/contract/kind.ts";
import type { Blueprint } from "../../platform/areas/blueprints.ts";
import { defineService } from "../service/define.ts";
import { shownState } from "../service/messages.ts";
import { startedDeployment } from "../service/progress.ts";
import { unlisted } from "../service/trace.ts";
import { baseline, traceIn } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitOptional } from "../shared/text.ts";
import { variableInputs } from "../shared/variables.ts";
import { type BlueprintMemory, platformBlueprint } from "./crd.ts";
import {
  BLUEPRINT_SETTINGS,
  type BlueprintContext,
  type BlueprintService,
  type BlueprintTypes,
  configCondition,
  NAMES,
  NOTHING_OBSERVED,
  overridesRefused,
  written,
} from "./model.ts";
import { blueprintsIn, listBlueprintServices, observe } from "./observe.ts";
import { blueprintProgress, checkMissing, checks, isBlueprintShown, planRemoval } from "./plan.ts";
import { blueprintFailure, drift, followedCreate, ready, report } from "./report.ts";

export const blueprint = defineService<BlueprintTypes, BlueprintService>({
  ...NAMES,
  resource: platformBlueprint,
  settings: BLUEPRINT_SETTINGS,
  nothingObserved: NOTHING_OBSERVED,
  needed: { delete: [] },
  inputs: (spec, resolved) => ({
    environmentId: resolved.id("spec.environmentRef"),
    ...variableInputs(spec.variables, resolved),
  }),

  list: listBlueprintServices,
  observe,
  progress: blueprintProgress,
  followed: followedCreate,
  isShown: isBlueprintShown,
  checkMissing,
  checkNew: ({ spec }) => overridesRefused(spec),
  // What was sent: the spec may differ by the time that the create is traced.
  createMark: (context) => ({ written: written(context), deploys: context.spec.deployOnCreate ?? false }),
  checks,
  planRemoval,
  // The create is the only request. Where its answer has no id, the engine traces it.
  act: async (_step, context, observed, api) => {
    const { spec, inputs } = context;
    const { deployOnCreate: deploy = false } = spec;
    // The overrides are sent as they are in the spec: absent, null or given.
    const variables = inputs.variables.length > 0 ? inputs.variables : undefined;
    const made = await api.blueprints.create(inputs.environmentId, { ...spec, variables }, { deploy });
    const catalogUrl = fitOptional(made.catalogUrl);
    const memory = {
      ...newborn(context, deploy, made),
      written: written(context),
      ...(catalogUrl !== undefined && { catalogUrl }),
    };
    return { observed, memory, ...(made.id !== undefined && { id: made.id }) };
  },
  traceCreate: async (intent, context, api) => {
    const environmentId = intent.parentId ?? context.inputs.environmentId;
    const services = await readOnFull(context, api, () => api.services.list(environmentId));
    if (services === undefined) return unlisted(intent, "listServices", context);
    const siblings = blueprintsIn(services);
    const observed = { ...NOTHING_OBSERVED, siblings, serverNow: api.serverNow() };
    const sent = platformBlueprint.memory.parse({ written: baseline(intent.mark, "written"), ...intent.accepted });
    const memory = { ...newborn(context, baseline(intent.mark, "deploys") === true), ...sent };
    return traceIn(intent, context, services, siblings, ({ id, serviceId }) => ({
      observed,
      memory: { ...memory, serviceId },
      id,
    }));
  },
  keep,

  ready,
  reportAlways: ({ spec }) => ({ conditions: configCondition(spec), status: {} }),
  report,
  failure: blueprintFailure,
  drift,
});

/**
 * Returns the part of the memory of a create that is stored with the record of the id, or, without an id, with the
 * intent: the time of the creation, the deployment that followed, and the id of the service.
 */
function keep({ createdAt, lastDeployment, serviceId }: BlueprintMemory): JsonObject {
  return { createdAt, lastDeployment: lastDeployment && { ...lastDeployment }, serviceId };
}

/** Returns the memory of a service that was just created. Its deployment is the first one. */
function newborn({ memory, now }: BlueprintContext, deploys: boolean, answer: Blueprint = {}): BlueprintMemory {
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
