/** PlatformApplication: exists, settings, variables, the commit deployed, running or stopped. */
import { entryOf, type Known } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { Platform } from "../../platform/index.ts";
import { defineService } from "../service/define.ts";
import { withOperation } from "../shared/last-operation.ts";
import { importItems } from "../shared/variables.ts";
import { platformApplication, type ApplicationMemory } from "./crd.ts";
import { followedDeployment, variablesIncluded } from "./deployment.ts";
import {
  APPLICATION_SETTINGS,
  type ApplicationContext,
  type ApplicationTypes,
  type Do,
  NAMES,
  NOTHING_SEEN,
  type Seen,
} from "./model.ts";
import { observe, ownStatus } from "./observe.ts";
import { checks } from "./plan.ts";
import { drift, ready, report } from "./report.ts";
import { imported, inputVariables, keep, prepareImport } from "./variables.ts";

export const application = defineService<ApplicationTypes, Application>({
  ...NAMES,
  resource: platformApplication,
  settings: APPLICATION_SETTINGS,
  nothingSeen: NOTHING_SEEN,
  area: (api) => api.applications,
  followed: followedDeployment,
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  created: (context, seen, _made, api) =>
    prepareImport({ what: "import" }, context, { ...seen, secrets: [], serverNow: api.serverNow() }),
  deploymentOf: (context) => {
    const variables = context.memory.written?.variables;
    return { variablesAt: variablesIncluded(context), ...(variables === undefined ? {} : { variables }) };
  },
  needed: {
    update: [["listApplications", "getApplication"], "updateApplication"],
    delete: ["deleteApplication"],
  },
  inputs: (spec, resolved) => ({
    environmentId: resolved.id("spec.environmentRef"),
    ...inputVariables(spec, resolved),
  }),
  fieldOwnership: ({ id, memory, inputs }) => {
    const names = inputs?.variables.map(({ name }) => name) ?? memory.written?.variableNames ?? [];
    return id === undefined ? [] : names.map((name) => entryOf(id, name));
  },
  recordAction: (action, context) => withOperation(context.memory, action),

  observe,
  shows: (_step, _context, { status }) => status !== undefined,
  checks,

  prepare: (step, context, seen) => prepareImport(step.do, context, seen),
  keep,
  act: async (step, context, seen, api, shared) => {
    if (step.what === "import") return await importVariables(context, seen, api);
    if (step.what === "secret") return await replaceSecret(step, context, seen, api);
    return await shared(context);
  },
  statusOf: (intent, context, api) => ownStatus(intent.id ?? context.id ?? "", api),

  ready,
  report,
  drift,
  comparesUnlisted: true,
});

type Folded = Known<Seen, ApplicationMemory>;

/** Returns the memory before a write with what is deployed now, so that the write counts as a change to it. */
function pinned(context: ApplicationContext, seen: Seen): ApplicationMemory {
  return { ...context.memory, lastDeployment: followedDeployment(context, seen) };
}

async function importVariables(context: ApplicationContext, seen: Seen, api: Platform): Promise<Folded> {
  const { variables } = context.inputs;
  const answer = await api.variables.import(context.id ?? "", {
    overwrite: true,
    vars: importItems(context, variables),
  });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  return { seen, memory: { ...pinned(context, seen), written: imported(context, seen, taken) } };
}

async function replaceSecret(
  step: Extract<Do, { what: "secret" }>,
  context: ApplicationContext,
  seen: Seen,
  api: Platform,
): Promise<Folded> {
  const value = context.inputs.variables.find(({ name }) => name === step.name)?.value ?? "";
  await api.variables.updateSecret(context.id ?? "", step.secretId, { key: step.name, value });
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
