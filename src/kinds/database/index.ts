/** PlatformDatabase: exists, settings, deployed and running, or stopped. */
import type { Kind } from "../../engine/contract/kind.ts";
import { environmentNeed } from "../shared/limits.ts";
import { act } from "./act.ts";
import { recordAction } from "./actions.ts";
import { platformDatabase } from "./crd.ts";
import { recordOf, type DatabaseTypes } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { notObservableAfterwards } from "./told.ts";
import { trace } from "./trace.ts";

export const database: Kind<DatabaseTypes> = {
  resource: platformDatabase,
  externalLifecycle: true,
  notObservableAfterwards,
  claim: (spec) => spec.externalId,
  operations: ({ runState }) => ({
    update: ["listDatabases", "updateDatabase"],
    stop: ["stopDatabase"],
    delete: ["listDatabases", "deleteDatabase"],
    isStopWanted: runState === "Stopped",
  }),
  listable: (supports) => supports("listDatabases") !== "Unsupported",
  needs: (spec) => ({
    references: [environmentNeed(spec.environmentRef)],
    values: [],
    inputs: (resolved) => ({ environmentId: resolved.id("spec.environmentRef") }),
  }),
  recordAction,
  observe,
  shows: (_step, context, seen) => recordOf(context, seen) !== undefined,
  plan,
  act: (step, context, seen, api) => act(step.do, context, seen, api),
  trace,
  report,
};
