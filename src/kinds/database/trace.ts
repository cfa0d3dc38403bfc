/** Traces unconfirmed requests. Reads only. */
import type { OpenIntent, Trace, Why } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { untraceable } from "../service/identity.ts";
import { deployLanded, landedDeployment, stopLanded } from "../service/trace.ts";
import { offered } from "../shared/answers.ts";
import { baseline, traceIn } from "../shared/create-trace.ts";
import { platformDatabase, type DatabaseMemory } from "./crd.ts";
import { NOTHING_SEEN, type DatabaseContext, type Seen } from "./model.ts";

type Traced = Trace<Seen, DatabaseMemory>;

/** @throws ApiError */
export async function trace(intent: OpenIntent, context: DatabaseContext, api: Platform): Promise<Traced> {
  if (intent.creates) return await traceCreate(intent, context, api);
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const statuses = await offered(api, "listServiceStatuses", () => api.services.statuses(environmentId));
  if (statuses === undefined) return unconfirmed(intent, context);
  const status = statuses.find(({ id }) => id === (intent.id ?? context.id));
  if (status === undefined) return { is: "absent" };
  const isStop = intent.op === "stopDatabase";
  if (!(isStop ? stopLanded(status) : deployLanded(intent, status))) return { is: "absent" };
  const order: DatabaseMemory = isStop
    ? { runState: "Stopped" }
    : {
        runState: "Running",
        lastDeployment: { ...markedIn(intent), ...landedDeployment(intent, status, context.now) },
      };
  return { is: "landed", known: [{ seen: { ...NOTHING_SEEN, status }, memory: { ...context.memory, ...order } }] };
}

async function traceCreate(intent: OpenIntent, context: DatabaseContext, api: Platform): Promise<Traced> {
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const list = await offered(api, "listDatabases", () => api.databases.list(environmentId));
  if (list === undefined) return { is: "unknowable", why: untraceable(intent.name) };
  return traceIn(intent, context, list, list, ({ id }) => ({ seen: NOTHING_SEEN, memory: context.memory, id }));
}

/**
 * Nothing shows whether the request was executed. A second stop changes nothing, nor does a second deployment of the
 * same settings: other settings come with another generation. The user's request to retry permits a new attempt, unless
 * the open one was made for that very request.
 */
function unconfirmed({ op, mark, repetition }: OpenIntent, { requested }: DatabaseContext): Traced {
  if (requested !== undefined && requested !== baseline(mark, "retry")) return { is: "absent" };
  const what = op === "stopDatabase" ? "stop" : "deploy";
  const why: Why = {
    reason: "NotObservable",
    message: `The platform did not confirm the order to ${what} the database${repetition ? ", nor its repetition" : ""}, and its surface does not show the state of databases. Look on the platform. To have the order given again, use the annotation platform-operator.io/reconcile-requested-at.`,
  };
  return { is: "unknowable", why, repeatable: true };
}

/** Returns the deployment of an intent. */
function markedIn({ mark }: OpenIntent): DatabaseMemory["lastDeployment"] {
  return platformDatabase.memory.parse({
    lastDeployment: {
      settings: baseline(mark, "settings"),
      retry: baseline(mark, "retry"),
      attempts: baseline(mark, "attempts"),
    },
  }).lastDeployment;
}
