/** One request, and its answer folded into what was seen. */
import type { Known } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { baselineOf } from "../service/baseline.ts";
import { accepted, begun } from "../service/progress.ts";
import { memorable, revisionOf, writtenWith } from "../service/settings.ts";
import { takesMore } from "../shared/offered.ts";
import { importItems } from "../shared/variables.ts";
import type { ApplicationMemory, LastDeployment } from "./crd.ts";
import { recordOf, type ApplicationPass, type Do, type Seen } from "./model.ts";
import { followed } from "./progress.ts";
import { applicationInput, declaredSettings, observedSettings } from "./settings.ts";
import { imported, prepare } from "./variables.ts";

type Folded = Known<Seen, ApplicationMemory>;

/** @throws ApiError */
export async function act(step: Do, pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const id = pass.id ?? "";
  switch (step.what) {
    case "create":
      return await create(pass, seen, api);
    case "update":
      return await update(pass, seen, api);
    case "import":
      return await importVariables(pass, seen, api, id);
    case "secret":
      return await replaceSecret(step, pass, seen, api, id);
    case "deploy": {
      const status = await api.applications.deploy(id, step.commit);
      const lastDeployment = deploymentOf(pass, seen, step, status);
      return {
        seen: accepted(seen, id, status, "DEPLOYMENT_QUEUED"),
        memory: { ...pass.memory, runState: "Running", stopping: undefined, lastDeployment },
      };
    }
    case "stop": {
      const status = await api.applications.stop(id);
      return {
        seen: accepted(seen, id, status, "STOP_QUEUED"),
        memory: { ...pinned(pass, seen), runState: "Stopped", stopping: baselineOf(seen.status) },
      };
    }
    case "delete":
      await api.applications.delete(id);
      return { seen: { ...seen, deleting: true }, memory: pass.memory };
    default:
      return step satisfies never;
  }
}

async function create(pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const made = await api.applications.create(pass.inputs.environmentId, applicationInput(pass.spec), {
    extended: takesMore(pass),
  });
  // A service that was just created is READY until it is deployed (api-behaviour §6.2).
  const status = { id: made.id, state: "READY", serviceDeploymentStatus: "NEVER_DEPLOYED" };
  const memory = { ...pass.memory, written: { settings: memorable(declaredSettings(pass.spec)), revision: 0 } };
  // It has no variables of its own yet. The first import is noted with the record of the id.
  const empty = { ...seen, secrets: [], serverNow: api.serverNow() };
  const noted = prepare({ what: "import" }, { ...pass, memory }, empty) ?? memory;
  return { seen: { ...seen, siblings: seen.siblings && [...seen.siblings, made], status }, memory: noted, id: made.id };
}

async function update(pass: ApplicationPass, seen: Seen, api: Platform): Promise<Folded> {
  const record = recordOf(pass, seen);
  if (record === undefined) return { seen, memory: pass.memory };
  const input = applicationInput(pass.spec);
  const updated = await api.applications.update(record, input);
  const stored = updated && observedSettings(updated, pass.spec);
  const { written } = pass.memory;
  const memory = {
    ...pinned(pass, seen),
    written: { ...written, ...writtenWith(declaredSettings(pass.spec), stored, revisionOf(pass.memory)) },
  };
  const next = updated ?? record;
  const siblings = seen.siblings?.map((one) => (one.id === record.id ? next : one));
  return { seen: { ...seen, siblings, own: seen.own && next, updated: true }, memory };
}

/** The memory before a write: what is deployed by now is put down, so that what is written counts as a change to it. */
function pinned(pass: ApplicationPass, seen: Seen): ApplicationMemory {
  return { ...pass.memory, lastDeployment: followed(pass, seen) };
}

async function importVariables(pass: ApplicationPass, seen: Seen, api: Platform, id: string): Promise<Folded> {
  const { variables } = pass.inputs;
  const answer = await api.variables.import(id, { overwrite: true, vars: importItems(pass, variables) });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  return { seen, memory: { ...pinned(pass, seen), written: imported(pass, seen, taken) } };
}

async function replaceSecret(
  step: Extract<Do, { what: "secret" }>,
  pass: ApplicationPass,
  seen: Seen,
  api: Platform,
  id: string,
): Promise<Folded> {
  const value = pass.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.variables.updateSecret(id, step.secretId, { key: step.name, value });
  const { written } = pass.memory;
  const { lastDeployment } = pinned(pass, seen);
  return {
    seen,
    memory: {
      ...pass.memory,
      // Whatever was deployed, it was without this value.
      lastDeployment: lastDeployment && { ...lastDeployment, variables: undefined },
      written: { ...written, variableNames: [...(written?.variableNames ?? []), step.name] },
    },
  };
}

function deploymentOf(
  pass: ApplicationPass,
  before: Seen,
  step: Extract<Do, { what: "deploy" }>,
  answer: ServiceStatus | undefined,
): LastDeployment {
  const { written } = pass.memory;
  return {
    gitCommitId: step.commit,
    settings: revisionOf(pass.memory),
    variablesAt: pass.writtenAt ?? "",
    ...begun(answer, before.status, pass.now),
    ...(written?.variables === undefined ? {} : { variables: written.variables }),
    ...(step.retry === undefined ? {} : { retry: step.retry }),
    ...(step.attempts === undefined ? {} : { attempts: step.attempts }),
  };
}
