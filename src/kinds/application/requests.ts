/** Sends the requests of an application, and finds out later whether one was executed. */
import type { ActionResult, JsonObject, OpenIntent, Step, Trace } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import {
  createService,
  deleteService,
  deployService,
  stopService,
  tracedMemory,
  traceServiceCreate,
  updateService,
} from "../service/requests.ts";
import { writtenSettings } from "../service/settings.ts";
import { readOr } from "../shared/answers.ts";
import { notedImport, sendVariables, type Sending, type VariableAction } from "../variables/send.ts";
import { type ApplicationMemory, platformApplication } from "./crd.ts";
import { applicationFacts, comparedOf, variablesIncluded } from "./facts.ts";
import { historyWith } from "./history.ts";
import {
  type Action,
  APPLICATION_SETTINGS,
  type ApplicationContext,
  NAMES,
  NOTHING_OBSERVED,
  type Observed,
} from "./model.ts";
import { ownStatus } from "./observe.ts";

type Result = ActionResult<Observed, ApplicationMemory>;

/** Sends the request of a step. @throws ApiError */
export async function act(
  { action: step }: Step<Action>,
  before: ApplicationContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  // A deployment includes the settings and variables that an adopted application was found with.
  const { last, variables, writtenAt } = applicationFacts(before, observed);
  const written = writtenSettings(APPLICATION_SETTINGS, before);
  const context = { ...before, memory: { ...before.memory, written, owned: variables.owned } };
  const sending = { area: api.applications, settings: APPLICATION_SETTINGS };
  switch (step.what) {
    case "create":
      return await create(context, observed, api);
    case "update": {
      // What left the spec is sent as well: a PUT keeps what it does not contain (platform/areas/applications.ts).
      const { autoDeploy = false, ...spec } = context.spec;
      return await updateService(sending, { ...context, spec: { ...spec, autoDeploy } }, observed, last);
    }
    case "deploy": {
      const { commit = "" } = step;
      const deployed = await deployService(api.applications, step, context, observed);
      const lastDeployment = {
        variablesAt: variablesIncluded(context, writtenAt),
        gitCommitId: commit,
        ...deployed.deployment,
      };
      const history = historyWith(context.memory.history, last);
      return { observed: deployed.observed, memory: { ...deployed.memory, history, lastDeployment } };
    }
    case "stop":
      return await stopService(api.applications, context, observed, last);
    case "delete":
      return await deleteService(api.applications, context, observed);
    case "cancel":
      return await cancelDeployment(step.requestId, before, observed, api);
    case "import":
    case "updateSecret":
    case "removeVariable":
      return await changeVariables(step, before, observed, api);
    default:
      return step satisfies never;
  }
}

/** Cancels a deployment. One that has ended or is being canceled (404, 409) needs no more. */
async function cancelDeployment(
  requestId: string,
  { memory }: ApplicationContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  await readOr(api.deployments.cancel(requestId), undefined, ["Conflict", "NotFound"]);
  const { lastDeployment: last } = memory;
  return { observed, memory: { ...memory, lastDeployment: last && { ...last, canceled: true } } };
}

async function create(context: ApplicationContext, observed: Observed, api: Platform): Promise<Result> {
  const sending = { area: api.applications, settings: APPLICATION_SETTINGS };
  const { made: _made, ...created } = await createService(sending, context, observed);
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  const lists = { plain: [], secrets: [] };
  const after = { ...created.observed, lists, serverNow: api.serverNow() };
  const fresh = { ...context, memory: created.memory };
  const names = context.inputs.variables.map(({ name }) => name);
  const owned = notedImport({ what: "import", id: "", overwrite: true, names }, sendingOf(fresh, after), false);
  return { ...created, observed: after, memory: owned === undefined ? created.memory : { ...created.memory, owned } };
}

function sendingOf(context: ApplicationContext, observed: Observed): Sending {
  const { variables } = applicationFacts(context, observed);
  return { context, compared: comparedOf(context, observed), facts: variables };
}

/** Returns the memory to store before an import. */
export function noteImport(
  step: Action,
  context: ApplicationContext,
  observed: Observed,
): ApplicationMemory | undefined {
  if (step.what !== "import") return undefined;
  const owned = notedImport(step, sendingOf(context, observed), context.memory.lastDeployment !== undefined);
  return owned && { ...context.memory, owned };
}

/** Returns the part of the memory to store with the record of the id: the secrets of the first import. */
export function keepNoted({ owned }: ApplicationMemory): JsonObject | undefined {
  const noted = owned?.variables?.filter(({ sent }) => sent !== undefined) ?? [];
  return noted.length === 0 ? undefined : { owned: { variables: noted, sentAt: owned?.sentAt } };
}

async function changeVariables(
  step: VariableAction,
  context: ApplicationContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  const { owned, lists, sent } = await sendVariables(step, sendingOf(context, observed), api);
  // The deployment from before the write is remembered, so that the write counts as a change since then.
  const lastDeployment = applicationFacts(context, observed).last;
  return {
    observed: { ...observed, lists, sentVariables: sent },
    memory: { ...context.memory, lastDeployment, owned },
  };
}

/** Finds out whether an unconfirmed request was executed. @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: ApplicationContext,
  api: Platform,
): Promise<Trace<Observed, ApplicationMemory>> {
  const { operations } = NAMES;
  if (intent.creates)
    return await traceServiceCreate(api.applications, operations, intent, context, NOTHING_OBSERVED, api);
  const status = await ownStatus(intent.id ?? context.id ?? "", api);
  if (status === undefined) return { is: "absent" };
  const traced = tracedMemory(operations, platformApplication.memory, intent, context, status);
  if (traced === undefined) return { is: "absent" };
  const { history, lastDeployment } = context.memory;
  const isDeployed = intent.op === operations.deploy;
  const memory = isDeployed ? { ...traced, history: historyWith(history, lastDeployment) } : traced;
  return { is: "landed", known: [{ observed: { ...NOTHING_OBSERVED, status }, memory }] };
}
