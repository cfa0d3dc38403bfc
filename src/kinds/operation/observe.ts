/** Reads where the target of an operation is, how its request goes, and what it renders. */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { clusterStatus } from "../cluster/observe.ts";
import { orMissing, RECORDS_MAX_AGE_MS } from "../service/observe.ts";
import { offered, SHOWN } from "../shared/offered.ts";
import { sha256 } from "../shared/text.ts";
import { actionOf } from "./actions.ts";
import { isLost, NOTHING_SEEN, sentTo, type OperationPass, type Rendered, type Seen } from "./model.ts";
import { refusalOf } from "./place.ts";
import { rejection } from "./refusal.ts";

/** @throws ApiError */
export async function observe(context: OperationPass, api: Platform): Promise<Seen> {
  const { request, outcome } = context.memory;
  if (outcome !== undefined || isLost(context)) return NOTHING_SEEN;
  const refusal = request === undefined ? await refusalOf(context, api) : undefined;
  if (refusal !== undefined) return { ...NOTHING_SEEN, refusal };
  if (actionOf(context) === undefined) return { ...NOTHING_SEEN, rendered: await render(context, api) };
  // The request first: a state that was read before the request ended would be reported as its end.
  const deployment =
    request?.requestId === undefined
      ? undefined
      : await orMissing(api.deployments.status(request.requestId), ["NotFound"]);
  const id = request === undefined ? context.inputs.targetId : sentTo(context);
  return { ...NOTHING_SEEN, request: deployment, ...(await stateOf(context, id ?? "", api)) };
}

/**
 * Reads what the platform shows of the target. The documented surface shows neither databases nor clusters. @throws
 * ApiError
 */
export async function stateOf(
  context: OperationPass,
  id: Uuid,
  api: Platform,
): Promise<Pick<Seen, "status" | "cluster">> {
  const target = actionOf(context)?.target;
  const seen = { status: undefined, cluster: undefined };
  if (target === "application") {
    return { ...seen, status: await orMissing(api.applications.status(id), ["NotFound"]) };
  }
  if (target === "cluster") return { ...seen, cluster: await clusterStatus(id, api) };
  if (target === undefined) return seen;
  const read = offered(api, "getDatabase", () => api.databases.get(id, { maxAgeMs: RECORDS_MAX_AGE_MS }));
  const environment = (await orMissing(read, ["NotFound"]))?.environment;
  if (environment === undefined) return seen;
  const statuses = await offered(api, "listServiceStatuses", () => api.services.statuses(environment.id), SHOWN);
  return { ...seen, status: statuses?.find((status) => status.id === id) };
}

/** Renders the default values, which changes nothing. @throws ApiError that says nothing about the source */
async function render({ spec, inputs }: OperationPass, api: Platform): Promise<Rendered> {
  try {
    const values = await api.environments.helmDefaultValues(inputs.targetId ?? "", spec.source ?? {});
    const text = values.toWellFormed();
    return { values: text, digest: await sha256(text) };
  } catch (error) {
    const rejected = error instanceof ApiError ? rejection(error, "environment") : undefined;
    if (rejected === undefined) throw error;
    return { why: rejected.why };
  }
}
