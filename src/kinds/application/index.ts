/** PlatformApplication: exists, settings, variables, the commit deployed, running or stopped. */
import { entryOf, type Kind } from "../../engine/contract/kind.ts";
import { withOperation } from "../shared/last-operation.ts";
import { environmentNeed } from "../shared/limits.ts";
import { variableRequests } from "../shared/variables.ts";
import { act } from "./act.ts";
import { platformApplication } from "./crd.ts";
import type { ApplicationTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { trace } from "./trace.ts";
import { inputVariables, keep, prepare } from "./variables.ts";

export const application: Kind<ApplicationTypes> = {
  resource: platformApplication,
  externalLifecycle: true,
  claim: (spec) => spec.externalId,
  operations: ({ runState }) => ({
    update: [["listApplications", "getApplication"], "updateApplication"],
    stop: ["stopApplication"],
    delete: ["deleteApplication"],
    isStopWanted: runState === "Stopped",
  }),
  listable: (supports) => supports("listApplications") !== "Unsupported",
  needs: (spec) => ({
    references: [environmentNeed(spec.environmentRef)],
    values: variableRequests(spec.variables),
    inputs: (resolved) => ({ environmentId: resolved.id("spec.environmentRef"), ...inputVariables(spec, resolved) }),
  }),
  fieldOwnership: ({ id, memory, inputs }) => {
    const names = inputs?.variables.map(({ name }) => name) ?? memory.written?.variableNames ?? [];
    return id === undefined ? [] : names.map((name) => entryOf(id, name));
  },
  recordAction: (action, context) => withOperation(context.memory, action),
  observe,
  shows: (_step, _pass, { status }) => status !== undefined,
  plan,
  prepare: (step, context, seen) => prepare(step.do, context, seen),
  keep,
  act: (step, context, seen, api) => act(step.do, context, seen, api),
  trace,
  report,
};
