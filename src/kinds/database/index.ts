/** PlatformDatabase: exists, settings, deployed and running, or stopped. */
import type { Kind } from "../../engine/contract/kind.ts";
import { isSupported } from "../../platform/codec/operations.ts";
import { serviceRecord } from "../service/model.ts";
import { environmentNeed } from "../shared/limits.ts";
import { platformDatabase } from "./crd.ts";
import { type DatabaseTypes, NAMES } from "./model.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { NEVER_DEPLOYED } from "./reported.ts";
import { act, trace } from "./requests.ts";

export const database: Kind<DatabaseTypes> = {
  resource: platformDatabase,
  claim: ({ externalId }) => externalId,
  needs: ({ environmentRef }) => ({
    references: [environmentNeed(environmentRef)],
    values: [],
    inputs: (resolved) => ({ environmentId: resolved.id("spec.environmentRef") }),
  }),
  operations: ({ runState, runSchedule }) => ({
    stop: ["stopDatabase"],
    delete: ["listDatabases", "deleteDatabase"],
    isStopWanted: runState === "Stopped" || runSchedule !== undefined,
  }),
  listable: (isFull) => isSupported(NAMES.operations.list, isFull),
  remote: { operation: "getDatabase", read: (api, id) => api.databases.get(id) },
  writtenSecret: ({ connectionSecret: written }) => written && { name: written.secretName, ...written },
  observe,
  shows: (_step, context, observed) => serviceRecord(context, observed) !== undefined,
  plan,
  act,
  trace,
  // After a crash before the first status, it distinguishes a new database from an adopted one.
  keep: ({ state }) => (state === undefined ? undefined : { state }),
  adopted: (how) => (how === "Confirmed" ? { state: NEVER_DEPLOYED } : undefined),
  report,
};
