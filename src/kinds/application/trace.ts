/** Traces unconfirmed requests. Reads only. */
import type { OpenIntent, Trace } from "../../engine/contract/kind.ts";
import type { ServiceStatus } from "../../platform/areas/service-status.ts";
import type { Platform } from "../../platform/index.ts";
import { untraceable } from "../service/identity.ts";
import { orMissing } from "../service/observe.ts";
import { deployLanded, landedDeployment, stopLanded } from "../service/trace.ts";
import { offered } from "../shared/answers.ts";
import { baseline, traceIn } from "../shared/create-trace.ts";
import { platformApplication, type ApplicationMemory, type LastDeployment } from "./crd.ts";
import { NOTHING_SEEN, type ApplicationContext, type Seen } from "./model.ts";

/** @throws ApiError */
export async function trace(
  intent: OpenIntent,
  context: ApplicationContext,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  if (intent.creates) return await traceCreate(intent, context, api);
  const status = await orMissing(api.applications.status(intent.id ?? context.id ?? ""), ["NotFound"]);
  if (status === undefined) return { is: "absent" };
  const seen = { ...NOTHING_SEEN, status };
  if (intent.op === "stopApplication") {
    return stopLanded(status)
      ? { is: "landed", known: [{ seen, memory: { ...context.memory, runState: "Stopped" } }] }
      : { is: "absent" };
  }
  if (!deployLanded(intent, status)) return { is: "absent" };
  return {
    is: "landed",
    known: [
      { seen, memory: { ...context.memory, runState: "Running", lastDeployment: traced(intent, context, status) } },
    ],
  };
}

async function traceCreate(
  intent: OpenIntent,
  context: ApplicationContext,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  const environmentId = intent.parentId ?? context.inputs.environmentId;
  const list = await offered(api, "listApplications", () => api.applications.list(environmentId));
  if (list === undefined) return { is: "unknowable", why: untraceable(intent.name) };
  return traceIn(intent, context, list, list, ({ id }) => ({ seen: NOTHING_SEEN, memory: context.memory, id }));
}

/** Returns the deployment of an intent, with the request id that the service shows. */
function traced(intent: OpenIntent, context: ApplicationContext, status: ServiceStatus): LastDeployment {
  const mark = platformApplication.memory.parse({
    lastDeployment: {
      gitCommitId: intent.commit ?? "",
      settings: baseline(intent.mark, "settings"),
      variables: baseline(intent.mark, "variables"),
      variablesAt: baseline(intent.mark, "variablesAt"),
      retry: baseline(intent.mark, "retry"),
      attempts: baseline(intent.mark, "attempts"),
    },
  }).lastDeployment;
  return { ...(mark ?? { gitCommitId: intent.commit ?? "" }), ...landedDeployment(intent, status, context.now) };
}
