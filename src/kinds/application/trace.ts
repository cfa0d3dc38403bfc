/** Did an old request land? Reads only. */
import type { OpenIntent, Trace } from "../../engine/kind.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Platform } from "../../platform/index.ts";
import type { ServiceStatus } from "../../platform/service-status.ts";
import { servicePhase } from "../../platform/states.ts";
import { platformApplication, type ApplicationMemory, type LastDeployment } from "../../resources/application.ts";
import { baseline, landed } from "../names.ts";
import { movedPast } from "./deployment.ts";
import { NOTHING_SEEN, type ApplicationPass, type Seen } from "./model.ts";
import { shownState } from "./words.ts";

/** @throws ApiError */
export async function trace(
  intent: OpenIntent,
  pass: ApplicationPass,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  if (intent.creates) return await traceCreate(intent, pass, api);
  const status = await statusOrGone(intent.id ?? pass.id ?? "", api);
  if (status === undefined) return { is: "absent" };
  const seen = { ...NOTHING_SEEN, status };
  if (intent.op === "stopApplication") {
    const stopping = /^STOP|STOPPING$/.test(status.state);
    return stopping
      ? { is: "landed", known: [{ seen, memory: { ...pass.memory, runState: "Stopped" } }] }
      : { is: "absent" };
  }
  const before = baseline(intent.mark, "baseline");
  const { deploymentRequestId: requestId } = status;
  const moved =
    movedPast(typeof before === "string" ? before : undefined, status) ||
    (requestId !== undefined && requestId !== baseline(intent.mark, "requestId"));
  if (!moved && servicePhase(status.state) !== "busy") return { is: "absent" };
  return {
    is: "landed",
    known: [{ seen, memory: { ...pass.memory, runState: "Running", lastDeployment: traced(intent, pass, status) } }],
  };
}

async function traceCreate(
  intent: OpenIntent,
  pass: ApplicationPass,
  api: Platform,
): Promise<Trace<Seen, ApplicationMemory>> {
  if (pass.surface === "Documented") {
    const message = `The platform did not confirm the creation of "${intent.name ?? ""}", and its surface has no list to look it up in. Look on the platform: if it exists, set spec.externalId (the connection must allow it by spec.allowUnverifiedIds); if not, annotate this resource with platform-operator.io/resolve=recreate.`;
    return { is: "unknowable", why: { reason: "CreateResultUnknown", message } };
  }
  const found = landed(
    intent,
    await api.applications.list(intent.parentId ?? pass.inputs.environmentId),
    pass.holderOf,
  );
  if (found.length === 0) return { is: "absent" };
  return { is: "landed", known: found.map(({ id }) => ({ seen: NOTHING_SEEN, memory: pass.memory, id })) };
}

async function statusOrGone(id: string, api: Platform): Promise<ServiceStatus | undefined> {
  try {
    return await api.applications.status(id);
  } catch (error) {
    if (error instanceof ApiError && error.failure.is === "NotFound") return undefined;
    throw error;
  }
}

/** What the intent of a deployment says about it, with the request id that the service shows. */
function traced(intent: OpenIntent, pass: ApplicationPass, status: ServiceStatus): LastDeployment {
  const mark = platformApplication.memory.parse({
    lastDeployment: {
      gitCommitId: intent.commit ?? "",
      settings: baseline(intent.mark, "settings"),
      variables: baseline(intent.mark, "variables"),
      retry: baseline(intent.mark, "retry"),
    },
  }).lastDeployment;
  const known = mark ?? { gitCommitId: intent.commit ?? "" };
  const { deploymentRequestId: requestId } = status;
  const fresh = requestId !== undefined && requestId !== baseline(intent.mark, "requestId");
  const before = baseline(intent.mark, "baseline");
  return {
    ...known,
    ...(fresh ? { requestId } : {}),
    ...(typeof before === "string" ? { baseline: before } : {}),
    state: shownState(status.state),
    startedAt: pass.now.toISOString(),
  };
}
