/** PlatformApplication: exists, settings, variables, the commit deployed, running or stopped. */
import { entryOf, type Known } from "../../engine/contract/kind.ts";
import type { Application } from "../../platform/areas/applications.ts";
import type { Platform } from "../../platform/index.ts";
import { act, pinned } from "../service/act.ts";
import type { OperatedKind } from "../service/act.ts";
import { defineService } from "../service/define.ts";
import { recordsOf } from "../service/observe.ts";
import { progressOf } from "../service/progress.ts";
import { deploymentFailure } from "../service/report.ts";
import { traceCreate, traceOrder } from "../service/trace.ts";
import { withOperation } from "../shared/last-operation.ts";
import { importItems } from "../shared/variables.ts";
import { platformApplication, type ApplicationMemory } from "./crd.ts";
import { followed, variablesIncluded } from "./deployment.ts";
import {
  type ApplicationContext,
  type ApplicationTypes,
  type Do,
  NAMES,
  NOTHING_SEEN,
  type Seen,
  SETTINGS,
} from "./model.ts";
import { observe, ownStatus } from "./observe.ts";
import { checks } from "./plan.ts";
import { drift, ready, report } from "./report.ts";
import { imported, inputVariables, keep, prepare } from "./variables.ts";

const operated = {
  ...NAMES,
  resource: platformApplication,
  settings: SETTINGS,
  nothingSeen: NOTHING_SEEN,
  area: (api) => api.applications,
  followed,
  // A new application has no variables of its own. Its first import is noted with the record of the id.
  created: (context, seen, _made, api) =>
    prepare({ what: "import" }, context, { ...seen, secrets: [], serverNow: api.serverNow() }),
  deploymentOf: (context) => {
    const variables = context.memory.written?.variables;
    return { variablesAt: variablesIncluded(context), ...(variables === undefined ? {} : { variables }) };
  },
} satisfies OperatedKind<ApplicationTypes, Application>;

export const application = defineService<ApplicationTypes, Application>({
  ...operated,
  capabilities: ({ runState }) => ({
    update: [["listApplications", "getApplication"], "updateApplication"],
    stop: ["stopApplication"],
    delete: ["deleteApplication"],
    isStopWanted: runState === "Stopped",
  }),
  inputs: (spec, resolved) => ({
    environmentId: resolved.id("spec.environmentRef"),
    ...inputVariables(spec, resolved),
  }),
  fieldOwnership: ({ id, memory, inputs }) => {
    const names = inputs?.variables.map(({ name }) => name) ?? memory.written?.variableNames ?? [];
    return id === undefined ? [] : names.map((name) => entryOf(id, name));
  },
  recordAction: (action, context) => withOperation(context.memory, action),

  list: (context, isFresh, api) => recordsOf(operated, context, isFresh, api),
  observe,
  progress: ({ memory }, seen) => progressOf(memory.lastDeployment, seen),
  shows: (_step, _context, { status }) => status !== undefined,
  checks,

  prepare: (step, context, seen) => prepare(step.do, context, seen),
  keep,
  act: async ({ do: step }, context, seen, api) => {
    if (step.what === "import") return await importVariables(context, seen, api);
    if (step.what === "secret") return await replaceSecret(step, context, seen, api);
    return await act(operated, step, context, seen, api);
  },
  trace: async (intent, context, api) =>
    intent.creates
      ? await traceCreate(operated, intent, context, api)
      : traceOrder(operated, intent, context, await ownStatus(intent.id ?? context.id ?? "", api)),

  ready,
  report,
  failure: (context, seen, state) => deploymentFailure(NAMES, followed(context, seen), state),
  drift,
  comparesUnlisted: true,
});

type Folded = Known<Seen, ApplicationMemory>;

async function importVariables(context: ApplicationContext, seen: Seen, api: Platform): Promise<Folded> {
  const { variables } = context.inputs;
  const answer = await api.variables.import(context.id ?? "", {
    overwrite: true,
    vars: importItems(context, variables),
  });
  const taken = answer?.successfulImportedVariables.map(({ name }) => name) ?? variables.map(({ name }) => name);
  return { seen, memory: { ...pinned(operated, context, seen), written: imported(context, seen, taken) } };
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
  const { lastDeployment } = pinned(operated, context, seen);
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
