/** PlatformApplication: exists, settings, variables, the commit deployed, running or stopped. */
import type { ActionResult } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { Platform } from "../../platform/index.ts";
import { defineService } from "../service/define.ts";
import { readOr } from "../shared/answers.ts";
import { importItems } from "../shared/variables.ts";
import { platformApplication, type ApplicationMemory } from "./crd.ts";
import { followedDeployment, isChangedByUser, variablesIncluded } from "./deployment.ts";
import { failureLog } from "./failure-log.ts";
import { historyWith } from "./history.ts";
import {
  type Action,
  APPLICATION_SETTINGS,
  type ApplicationContext,
  type ApplicationTypes,
  NAMES,
  NOTHING_OBSERVED,
  type Observed,
} from "./model.ts";
import { observe, ownStatus } from "./observe.ts";
import { checks } from "./plan.ts";
import { drift, ready, report, sentOrFound } from "./report.ts";
import {
  importable,
  imported,
  inputVariables,
  keep,
  pendingVariables,
  prepareImport,
  wasOvertaken,
} from "./variables.ts";

export const application = defineService<ApplicationTypes, Application>({
  ...NAMES,
  resource: platformApplication,
  settings: APPLICATION_SETTINGS,
  nothingObserved: NOTHING_OBSERVED,
  area: (api) => api.applications,
  remote: {
    operation: "getApplication",
    read: async ({ applications }, id) => ({ ...(await applications.get(id)), ...(await applications.status(id)) }),
    documented: ({ applications }, id) => applications.status(id),
  },
  followed: followedDeployment,
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  created: (context, observed, _made, api) =>
    prepareImport({ what: "import" }, context, { ...observed, secrets: [], serverNow: api.serverNow() }),
  deploymentOf: (context) => {
    const variables = context.memory.written?.variables;
    return { variablesAt: variablesIncluded(context), ...(variables === undefined ? {} : { variables }) };
  },
  replaced: ({ history }, last) => ({ history: historyWith(history, last) }),
  needed: {
    update: ["getApplication", "updateApplication"],
    delete: ["deleteApplication"],
  },
  inputs: (spec, resolved) => ({
    environmentId: resolved.id("spec.environmentRef"),
    ...inputVariables(spec, resolved),
  }),
  fieldClaims: ({ id, memory, inputs }) => {
    const names = inputs?.variables.map(({ name }) => name) ?? memory.written?.variableNames ?? [];
    return id === undefined ? [] : names.map((field) => ({ id, field }));
  },

  observe,
  shows: (_step, _context, { status }) => status !== undefined,
  checks,
  isChangedByUser,

  // A status that was lost has no revision.
  adopted: (how) => (how === "Found" ? { written: { revision: 0 } } : undefined),
  prepare: (step, context, observed) => prepareImport(step.action, context, observed),
  keep,
  act: async (step, context, observed, api, shared) => {
    if (step.what === "import") return await importVariables(context, observed, api);
    if (step.what === "secret") return await replaceSecret(step, context, observed, api);
    // The first deployment of an adopted application includes the variables that it was found with.
    return await shared({ ...context, memory: { ...context.memory, written: sentOrFound(context, observed) } });
  },
  statusOf: (intent, context, api) => ownStatus(intent.id ?? context.id ?? "", api),

  ready,
  report,
  failureLog,
  drift,
  comparesUnlisted: true,
});

type Folded = ActionResult<Observed, ApplicationMemory>;

async function importVariables(context: ApplicationContext, observed: Observed, api: Platform): Promise<Folded> {
  const variables = importable(context);
  const id = context.id ?? "";
  const sent = api.variables.import(id, { overwrite: true, vars: importItems(context, variables) });
  // A rejection of what an earlier import left out must not hold back deployments: it counts as an import of nothing.
  const rejected = { successfulImportedVariables: [] };
  const answer = await (pendingVariables(context).length > 0 ? readOr(sent, rejected, ["Invalid", "Conflict"]) : sent);
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  const secrets = wasOvertaken(context, observed, taken) ? await api.secrets.list(id) : observed.secrets;
  const written = imported(context, { ...observed, secrets }, taken);
  // The deployment from before the write is remembered, so that the write counts as a change since then.
  const lastDeployment = followedDeployment(context, observed);
  const memory = { ...context.memory, lastDeployment, written };
  const isCatchUp = pendingVariables({ ...context, memory }).length < pendingVariables(context).length;
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
): Promise<Folded> {
  const value = context.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.secrets.update(context.id ?? "", step.secretId, { key: step.name, value });
  const { written } = context.memory;
  const lastDeployment = followedDeployment(context, observed);
  return {
    observed,
    memory: notDeployed({
      ...context.memory,
      lastDeployment,
      written: { ...written, variableNames: [...(written?.variableNames ?? []), step.name] },
    }),
  };
}
