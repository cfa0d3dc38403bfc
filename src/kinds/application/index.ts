/** PlatformApplication: exists, settings, variables, the commit deployed, running or stopped. */
import type { Kind } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import { environmentNeed } from "../shared/limits.ts";
import { listsEntry } from "../variables/compare.ts";
import { resolvedVariables, variableRequests, wantedVariables } from "../variables/declared.ts";
import { platformApplication } from "./crd.ts";
import { latestOf } from "./facts.ts";
import { type ApplicationTypes, NAMES } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { act, keepNoted, noteImport, trace } from "./requests.ts";

export const application: Kind<ApplicationTypes> = {
  resource: platformApplication,
  claim: ({ externalId }) => externalId,
  needs: (spec) => ({
    references: [environmentNeed(spec.environmentRef)],
    values: variableRequests(spec.variables),
    inputs: (resolved) => ({
      environmentId: resolved.id("spec.environmentRef"),
      ...wantedVariables(resolvedVariables(spec.variables, resolved), true, resolved),
    }),
  }),
  operations: ({ runState, runSchedule }) => ({
    stop: ["stopApplication"],
    delete: ["deleteApplication"],
    isStopWanted: runState === "Stopped" || runSchedule !== undefined,
  }),
  listable: (isFull) => isSupported(NAMES.operations.list, isFull),
  remote: {
    operation: "getApplication",
    read: async ({ applications }, id) => ({ ...(await applications.get(id)), ...(await applications.status(id)) }),
    documented: ({ applications }, id) => applications.status(id),
  },
  fieldClaims: ({ id, memory, inputs }) => {
    if (id === undefined) return [];
    const names = inputs?.variables.map(({ name }) => name) ?? memory.owned?.variables?.map(({ key }) => key) ?? [];
    // A variable set that writes from now on writes later than this, though the platform's clock shows whole seconds.
    const writtenAt = latestOf([memory.owned?.writtenAt, memory.lastDeployment?.variablesAt]);
    return [{ id, writtenAt }, ...names.map((field) => ({ id, field }))];
  },
  observe,
  shows: ({ action: step }, _context, { status, lists }) =>
    "entryId" in step ? listsEntry(lists, step.entryId) : status !== undefined,
  plan,
  prepare: (step, context, observed) => noteImport(step.action, context, observed),
  act,
  trace,
  keep: keepNoted,
  // A status that was lost has no revision.
  adopted: (how) => (how === "Found" ? { written: { revision: 0 } } : undefined),
  report,
};
