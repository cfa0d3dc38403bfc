/** Sends the request of a step, and folds its answer into what was observed. */
import type { Known } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { baselineOf } from "../service/baseline.ts";
import { accepted, begun } from "../service/progress.ts";
import { memorable, revisionOf, writtenWith } from "../service/settings.ts";
import { takesMore } from "../shared/answers.ts";
import { importItems } from "../shared/variables.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import { variablesIncluded } from "./deployment.ts";
import { recordOf, type ApplicationContext, type Do, type Seen } from "./model.ts";
import { followed } from "./progress.ts";
import { applicationInput, declaredSettings, observedSettings } from "./settings.ts";
import { imported, prepare } from "./variables.ts";

type Folded = Known<Seen, ApplicationMemory>;

/** @throws ApiError */
export async function act(step: Do, context: ApplicationContext, seen: Seen, api: Platform): Promise<Folded> {
  const id = context.id ?? "";
  switch (step.what) {
    case "create":
      return await create(context, seen, api);
    case "update":
      return await update(context, seen, api);
    case "import":
      return await importVariables(context, seen, api, id);
    case "secret":
      return await replaceSecret(step, context, seen, api, id);
    case "deploy": {
      const status = await api.applications.deploy(id, step.commit);
      const lastDeployment = deploymentOf(context, seen, step, status);
      return {
        seen: accepted(seen, id, status, "DEPLOYMENT_QUEUED"),
        memory: { ...context.memory, runState: "Running", stopping: undefined, lastDeployment },
      };
    }
    case "stop": {
      const status = await api.applications.stop(id);
      return {
        seen: accepted(seen, id, status, "STOP_QUEUED"),
        memory: { ...pinned(context, seen), runState: "Stopped", stopping: baselineOf(seen.status) },
      };
    }
    case "delete":
      await api.applications.delete(id);
      return { seen: { ...seen, deleting: true }, memory: context.memory };
    default:
      return step satisfies never;
  }
}

async function create(context: ApplicationContext, seen: Seen, api: Platform): Promise<Folded> {
  const made = await api.applications.create(context.inputs.environmentId, applicationInput(context.spec), {
    extended: takesMore(context),
  });
  // A service that was just created is READY until it is deployed (docs/architecture.md §9).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const memory = { ...context.memory, written: { settings: memorable(declaredSettings(context.spec)), revision: 0 } };
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  const empty = { ...seen, secrets: [], serverNow: api.serverNow() };
  const noted = prepare({ what: "import" }, { ...context, memory }, empty) ?? memory;
  return { seen: { ...seen, siblings: seen.siblings && [...seen.siblings, made], status }, memory: noted, id: made.id };
}

async function update(context: ApplicationContext, seen: Seen, api: Platform): Promise<Folded> {
  const record = recordOf(context, seen);
  if (record === undefined) return { seen, memory: context.memory };
  const input = applicationInput(context.spec);
  const updated = await api.applications.update(record, input);
  const stored = updated && observedSettings(updated, context.spec);
  const { written } = context.memory;
  const memory = {
    ...pinned(context, seen),
    written: { ...written, ...writtenWith(declaredSettings(context.spec), stored, revisionOf(context.memory)) },
  };
  const next = updated ?? record;
  const siblings = seen.siblings?.map((one) => (one.id === record.id ? next : one));
  return { seen: { ...seen, siblings, own: seen.own && next, updated: true }, memory };
}

/** Returns the memory before a write with what is deployed now, so that the write counts as a change to it. */
function pinned(context: ApplicationContext, seen: Seen): ApplicationMemory {
  return { ...context.memory, lastDeployment: followed(context, seen) };
}

async function importVariables(context: ApplicationContext, seen: Seen, api: Platform, id: string): Promise<Folded> {
  const { variables } = context.inputs;
  const answer = await api.variables.import(id, { overwrite: true, vars: importItems(context, variables) });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  return { seen, memory: { ...pinned(context, seen), written: imported(context, seen, taken) } };
}

async function replaceSecret(
  step: Extract<Do, { what: "secret" }>,
  context: ApplicationContext,
  seen: Seen,
  api: Platform,
  id: string,
): Promise<Folded> {
  const value = context.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.variables.updateSecret(id, step.secretId, { key: step.name, value });
  const { written } = context.memory;
  const { lastDeployment } = pinned(context, seen);
  return {
    seen,
    memory: {
      ...context.memory,
      // Whatever was deployed did not have this value.
      lastDeployment: lastDeployment && { ...lastDeployment, variables: undefined },
      written: { ...written, variableNames: [...(written?.variableNames ?? []), step.name] },
    },
  };
}

function deploymentOf(
  context: ApplicationContext,
  before: Seen,
  step: Extract<Do, { what: "deploy" }>,
  answer: ServiceStatus | undefined,
): LastDeployment {
  const { written } = context.memory;
  return {
    gitCommitId: step.commit,
    settings: revisionOf(context.memory),
    variablesAt: variablesIncluded(context),
    ...begun(answer, before.status, context.now),
    ...(written?.variables === undefined ? {} : { variables: written.variables }),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
    ...(step.attempts === undefined ? {} : { attempts: step.attempts }),
  };
}
