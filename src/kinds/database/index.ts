/** PlatformDatabase: exists, settings, deployed and running, or stopped. */
import { RECONCILE_REQUESTED_AT, REDEPLOY_REQUESTED_AT } from "../../api/names.ts";
import type { Database } from "../../platform/areas/databases.ts";
import { defineService } from "../service/define.ts";
import { serviceRecord } from "../service/model.ts";
import { isStoppedAlready } from "../shared/answers.ts";
import { baseline } from "../shared/create-trace.ts";
import { readOnFull } from "../shared/surface.ts";
import { platformDatabase } from "./crd.ts";
import { DATABASE_SETTINGS, type DatabaseTypes, NAMES, NOTHING_OBSERVED, typeCheckOf } from "./model.ts";
import { observe } from "./observe.ts";
import { checks, followedDatabase } from "./plan.ts";
import { drift, ready, report, reportAlways, shownRecord } from "./report.ts";
import { NEVER_DEPLOYED, NO_REQUEST } from "./reported.ts";

export const database = defineService<DatabaseTypes, Database>({
  ...NAMES,
  resource: platformDatabase,
  settings: DATABASE_SETTINGS,
  nothingObserved: NOTHING_OBSERVED,
  area: (api) => api.databases,
  remote: { operation: "getDatabase", read: (api, id) => api.databases.get(id) },
  followed: followedDatabase,
  created: ({ memory }, _observed, made) => ({ ...memory, ...shownRecord(made), state: NEVER_DEPLOYED }),
  // After a crash before the first status, it distinguishes a new database from an adopted one.
  notObservableAfterwards: true,
  keep: ({ state }) => (state === undefined ? undefined : { state }),
  adopted: (how) => (how === "Confirmed" ? { state: NEVER_DEPLOYED } : undefined),
  // Without a request id the documented surface shows nothing of a request afterwards.
  ordered: ({ id = "", isFull }, what, answer) => {
    const requestId = answer?.deploymentRequestId;
    const isLost = !isFull && requestId === undefined;
    return {
      observed: { ordered: true, unseen: undefined, ...(isLost && { status: { id, state: "" }, unseen: NO_REQUEST }) },
      memory: { stopRequestId: what === "stop" ? requestId : undefined },
    };
  },
  needed: { update: ["listDatabases", "updateDatabase"], delete: ["listDatabases", "deleteDatabase"] },
  inputs: (_spec, resolved) => ({ environmentId: resolved.id("spec.environmentRef") }),

  observe,
  shows: (_step, context, observed) => serviceRecord(context, observed) !== undefined,
  checks,
  act: async (step, before, observed, _api, shared) => {
    // The type check is stored with the request: while the request is followed, nothing else is looked up.
    const memory = { ...before.memory, typeCheck: typeCheckOf(before, observed) };
    try {
      return await shared({ ...before, memory });
    } catch (error) {
      // Where nothing shows the state, the answer to a stop may show that the database is stopped already.
      if (step.what !== "stop" || before.isFull || !isStoppedAlready(error)) throw error;
      const status = { id: before.id ?? "", state: "STOPPED" };
      const order = { runState: "Stopped" as const, stopping: undefined, stopRequestId: undefined };
      return {
        observed: { ...observed, status, request: undefined, unseen: undefined, ordered: true },
        memory: { ...memory, ...order, state: status.state },
      };
    }
  },
  statusOf: async (intent, context, api) => {
    const environmentId = intent.parentId ?? context.inputs.environmentId;
    const statuses = await readOnFull(context, api, () => api.services.statuses(environmentId));
    return statuses === undefined ? "unshown" : statuses.find(({ id }) => id === (intent.id ?? context.id));
  },
  /**
   * Nothing shows whether the request was executed. A second stop changes nothing, nor does a second deployment of the
   * same settings: other settings come with another generation. A deployment that the user requested once more is not
   * repeated. The user's request permits a new attempt, unless the open one was made for that very request.
   */
  unconfirmed: ({ op, mark, repetition }, { requested, policies: { redeploy } }) => {
    if (requested !== undefined && requested !== baseline(mark, "retry")) return { is: "absent" };
    const redeployed = baseline(mark, "redeploy");
    if (redeploy !== undefined && redeploy !== redeployed) return { is: "absent" };
    const what = op === "stopDatabase" ? "stop" : "deploy";
    const isRedeployed = typeof redeployed === "string";
    const request = isRedeployed ? REDEPLOY_REQUESTED_AT : RECONCILE_REQUESTED_AT;
    const message = `The platform did not confirm the order to ${what} the database${repetition ? ", nor its repetition" : ""}, and its surface does not show the state of databases. Look on the platform. To request it again, use the annotation ${request}.`;
    return { is: "unknowable", why: { reason: "NotObservable", message }, repeatable: !isRedeployed };
  },

  ready,
  reportAlways,
  report,
  drift,
});
