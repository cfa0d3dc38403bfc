/** Sends the requests of a blueprint, and finds out later whether one was executed. */
import type { ActionResult, JsonObject, OpenIntent, Step, Trace } from "../../engine/contract/kind.ts";
import type { Blueprint } from "../../platform/areas/blueprints.ts";
import { jsonIn } from "../../platform/codec/json.ts";
import type { Platform } from "../../platform/index.ts";
import { shownState } from "../service/messages.ts";
import { type ServiceAction, serviceRecord } from "../service/model.ts";
import { startedDeployment } from "../service/progress.ts";
import { deleteService, deployService, stopService, tracedMemory } from "../service/requests.ts";
import { declaredSettings, revisionOf, writtenWith } from "../service/settings.ts";
import { baseline, traceIn, unlisted } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { fitOptional } from "../shared/text.ts";
import { type BlueprintMemory, platformBlueprint } from "./crd.ts";
import { blueprintFacts } from "./facts.ts";
import {
  BLUEPRINT_SETTINGS,
  type BlueprintContext,
  namesOf,
  NOTHING_OBSERVED,
  type Observed,
  variablesByName,
  variablesRefused,
  written,
} from "./model.ts";
import { blueprintsIn } from "./observe.ts";

type Result = ActionResult<Observed, BlueprintMemory>;

/** Sends the request of a step. Where the answer to a create has no id, the engine traces it. @throws ApiError */
export async function act(
  { action: step }: Step<ServiceAction>,
  context: BlueprintContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  const record = serviceRecord(context, observed);
  const { id = "" } = context;
  // All but the deployment are requests to the service that the blueprint became.
  const ofService = { ...context, id: record?.serviceId ?? "" };
  const { last } = blueprintFacts(context, observed);
  switch (step.what) {
    case "create":
      return await create(context, observed, api);
    case "update":
      return await update(context, observed, last, api);
    case "deploy": {
      const area = { deploy: () => api.blueprints.deploy(id).then(() => undefined) };
      const { answer: _none, deployment, ...deployed } = await deployService(area, step, ofService, observed);
      return { ...deployed, memory: { ...deployed.memory, lastDeployment: deployment } };
    }
    case "stop": {
      const { answer: _status, ...stopped } = await stopService(
        { stop: api.services.stopHelm },
        ofService,
        observed,
        last,
      );
      return stopped;
    }
    case "delete": {
      const isChart = namesOf(record?.type).operations.delete === "deleteHelm";
      const area = { delete: isChart ? api.services.deleteHelm : api.services.deleteTerraform };
      return await deleteService(area, ofService, observed);
    }
    default:
      return step satisfies never;
  }
}

async function create(context: BlueprintContext, observed: Observed, api: Platform): Promise<Result> {
  const { spec, inputs } = context;
  const { deployOnCreate: deploy = false } = spec;
  // The overrides are sent as they are in the spec: absent, null or given.
  const made = await api.blueprints.create(inputs.environmentId, { ...spec, variables: inputs.variables }, { deploy });
  const catalogUrl = fitOptional(made.catalogUrl);
  const memory = {
    ...initialMemory(context, deploy, made),
    written: written(context),
    ...(catalogUrl !== undefined && { catalogUrl }),
  };
  return { observed, memory, ...(made.id !== undefined && { id: made.id }) };
}

/**
 * Sends settings and variables. What was sent before and left the spec is removed.
 * @param last the last deployment from before the update, so that the update counts as a change since then
 * @throws ApiError
 */
async function update(
  context: BlueprintContext,
  observed: Observed,
  last: BlueprintMemory["lastDeployment"],
  api: Platform,
): Promise<Result> {
  const { id = "", inputs, memory, spec } = context;
  const { name, tag, icon } = spec;
  const areSent = variablesRefused(context, observed) === undefined;
  const variables = areSent ? variablesPatch(context) : undefined;
  const specOverrides = overridesPatch(context);
  const secrets = inputs.variables.filter(({ isSecret }) => isSecret).map(({ value }) => value);
  const answer = await api.blueprints.update(id, { name, tag, icon, variables, specOverrides }, secrets);
  const sent = writtenWith(declaredSettings(BLUEPRINT_SETTINGS, spec), undefined, revisionOf(memory));
  const { variables: fingerprint, variableNames } = areSent ? written(context) : { ...memory.written };
  return {
    observed: {
      ...observed,
      siblings: observed.siblings?.map((one) => (one.id === id ? { ...one, name, icon } : one)),
      updated: true,
    },
    memory: {
      ...memory,
      lastDeployment: last,
      catalogUrl: fitOptional(answer?.catalogUrl) ?? memory.catalogUrl,
      written: { settings: sent.settings, revision: sent.revision, variables: fingerprint, variableNames },
    },
  };
}

/** Returns the changes of variables by name: null removes one that was sent and left the spec. */
function variablesPatch({ memory, inputs }: BlueprintContext): Readonly<Record<string, object | null>> {
  const [before, now] = [memory.written?.variableNames ?? [], variablesByName(inputs)];
  const left = before.filter((name) => !now.has(name)).map((name) => [name, null] as const);
  return Object.fromEntries<object | null>([...left, ...now]);
}

/** Returns the changes of the overrides. */
function overridesPatch({ memory, spec }: BlueprintContext) {
  return mergePatch(jsonIn(memory.written?.settings?.["spec.specOverrides"] ?? ""), spec.specOverrides ?? {});
}

/** Returns the JSON merge patch (RFC 7396) from one object to another, which also sends what is equal. */
function mergePatch(before: unknown, now: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const old = isObject(before) ? before : {};
  const left = Object.keys(old).filter((name) => !Object.hasOwn(now, name));
  const members = Object.entries(now).map(([name, value]) => {
    return [name, isObject(value) ? mergePatch(old[name], value) : value] as const;
  });
  return Object.fromEntries<unknown>([...left.map((name) => [name, null] as const), ...members]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Finds out whether an unconfirmed request was executed. @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: BlueprintContext,
  api: Platform,
): Promise<Trace<Observed, BlueprintMemory>> {
  return intent.creates ? await traceCreate(intent, context, api) : await traceRequest(intent, context, api);
}

/** Traces a deployment or a stop by the state of the service. @throws ApiError */
async function traceRequest(
  intent: OpenIntent,
  context: BlueprintContext,
  api: Platform,
): Promise<Trace<Observed, BlueprintMemory>> {
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const services = await readOnFull(context, api, () => api.services.list(environmentId));
  const statuses = services && (await readOnFull(context, api, () => api.services.statuses(environmentId)));
  if (services === undefined || statuses === undefined) {
    const message = `The platform did not confirm ${intent.op}, and does not show the state of the service. Look on the platform.`;
    return { is: context.isFull ? "unread" : "unknowable", why: { reason: "NotObservable", message } };
  }
  const siblings = blueprintsIn(services);
  const record = siblings.find(({ id }) => id === (intent.id ?? context.id));
  const status = statuses.find(({ id }) => id === record?.serviceId);
  const { operations } = namesOf(record?.type);
  const memory = status && tracedMemory(operations, platformBlueprint.memory, intent, context, status);
  if (memory === undefined) return { is: "absent" };
  return { is: "landed", known: [{ observed: { ...NOTHING_OBSERVED, siblings, status }, memory }] };
}

/** Traces the create by the list of its environment. @throws ApiError */
async function traceCreate(
  intent: OpenIntent,
  context: BlueprintContext,
  api: Platform,
): Promise<Trace<Observed, BlueprintMemory>> {
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
