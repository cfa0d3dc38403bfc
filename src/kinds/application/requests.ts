/** Sends the requests of an application, and finds out later whether one was executed. */
import type { ActionResult, OpenIntent, Step, Trace } from "../../engine/contract/kind.ts";
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
import { readOr } from "../shared/answers.ts";
import { importItems } from "../variables/declared.ts";
import { type ApplicationMemory, platformApplication } from "./crd.ts";
import { applicationFacts, variablesIncluded } from "./facts.ts";
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
import { importable, imported, knownWrites, pendingVariables, prepareImport, wasOvertaken } from "./variables.ts";

type Result = ActionResult<Observed, ApplicationMemory>;

/** Sends the request of a step. @throws ApiError */
export async function act(
  { action: step }: Step<Action>,
  before: ApplicationContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  if (step.what === "import") return await importVariables(before, observed, api);
  if (step.what === "secret") return await replaceSecret(step, before, observed, api);
  // The first deployment of an adopted application includes the variables that it was found with.
  const context = { ...before, memory: { ...before.memory, written: knownWrites(before, observed) } };
  const sending = { area: api.applications, settings: APPLICATION_SETTINGS };
  const { last } = applicationFacts(context, observed);
  switch (step.what) {
    case "create":
      return await create(context, observed, api);
    case "update":
      return await updateService(sending, context, observed, last);
    case "deploy": {
      const { commit = "" } = step;
      const deployed = await deployService(api.applications, step, context, observed);
      const variables = context.memory.written?.variables;
      const lastDeployment = {
        variablesAt: variablesIncluded(context),
        ...(variables === undefined ? {} : { variables }),
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
    default:
      return step satisfies never;
  }
}

async function create(context: ApplicationContext, observed: Observed, api: Platform): Promise<Result> {
  const sending = { area: api.applications, settings: APPLICATION_SETTINGS };
  const { made: _made, ...created } = await createService(sending, context, observed);
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  const unlisted = { ...observed, secrets: [], serverNow: api.serverNow() };
  const memory = prepareImport({ what: "import" }, { ...context, memory: created.memory }, unlisted);
  return { ...created, memory: memory ?? created.memory };
}

async function importVariables(context: ApplicationContext, observed: Observed, api: Platform): Promise<Result> {
  const variables = importable(context);
  const pending = pendingVariables(context);
  const id = context.id ?? "";
  const sent = api.variables.import(id, { overwrite: true, vars: importItems(context, variables) });
  // A rejection of what an earlier import left out must not hold back deployments: it counts as an import of nothing.
  const rejected = { successfulImportedVariables: [] };
  const answer = await (pending.length > 0 ? readOr(sent, rejected, ["Invalid", "Conflict"]) : sent);
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  const secrets = wasOvertaken(context, observed, taken) ? await api.secrets.list(id) : observed.secrets;
  const written = imported(context, { ...observed, secrets }, taken);
  // The deployment from before the write is remembered, so that the write counts as a change since then.
  const lastDeployment = applicationFacts(context, observed).last;
  const memory = { ...context.memory, lastDeployment, written };
  const isCatchUp = pendingVariables({ ...context, memory }).length < pending.length;
  return { observed: { ...observed, secrets, imported: true }, memory: isCatchUp ? notDeployed(memory) : memory };
}

/** Returns the memory after values were written late: whatever was deployed did not have them. */
function notDeployed(memory: ApplicationMemory): ApplicationMemory {
  const { lastDeployment: last } = memory;
  return { ...memory, lastDeployment: last && { ...last, variables: undefined } };
}

async function replaceSecret(
  step: Extract<Action, { what: "secret" }>,
  context: ApplicationContext,
  observed: Observed,
  api: Platform,
): Promise<Result> {
  const value = context.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.secrets.update(context.id ?? "", step.secretId, { key: step.name, value });
  const { written } = context.memory;
  const lastDeployment = applicationFacts(context, observed).last;
  return {
    observed,
    memory: notDeployed({
      ...context.memory,
      lastDeployment,
      written: { ...written, variableNames: [...(written?.variableNames ?? []), step.name] },
    }),
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
