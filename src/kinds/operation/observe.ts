/** Reads the target of an operation, the state of its request, and the default values that it renders. */
import type { Uuid, Why } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { clusterStatus } from "../cluster/observe.ts";
import { RECORDS_MAX_AGE_MS } from "../service/observe.ts";
import { unlessMissing } from "../shared/answers.ts";
import { beyondProjects, clusterNotAllowed, projectOfEnvironment, unprovenId } from "../shared/limits.ts";
import { notThere, projectNotAllowed } from "../shared/names.ts";
import { offered, SHOWN } from "../shared/offered.ts";
import { sha256 } from "../shared/text.ts";
import { rejection } from "./act.ts";
import {
  actionOf,
  isLost,
  NOTHING_OBSERVED,
  type Observed,
  type OperationContext,
  type Rendered,
  sentTo,
  targetReference,
} from "./model.ts";

/** Reads whether the target may be touched, the state of the request, or the rendered values. @throws ApiError */
export async function observe(context: OperationContext, api: Platform): Promise<Observed> {
  const { request, outcome } = context.memory;
  if (outcome !== undefined || isLost(context)) return NOTHING_OBSERVED;
  const refusal = request === undefined ? await refusalOf(context, api) : undefined;
  if (refusal !== undefined) return { ...NOTHING_OBSERVED, refusal };
  if (actionOf(context) === undefined) return { ...NOTHING_OBSERVED, rendered: await render(context, api) };
  // The request is read first: a state that was read before the request ended would be reported as its end.
  const deployment =
    request?.requestId === undefined ? undefined : await unlessMissing(api.deployments.status(request.requestId));
  const id = request === undefined ? context.inputs.targetId : sentTo(context);
  return { ...NOTHING_OBSERVED, request: deployment, ...(await stateOf(context, id ?? "", api)) };
}

/**
 * Reads what the platform shows of the target. The documented surface shows neither databases nor clusters.
 * @throws ApiError
 */
export async function stateOf(
  context: OperationContext,
  id: Uuid,
  api: Platform,
): Promise<Partial<Pick<Observed, "status" | "cluster">>> {
  const target = actionOf(context)?.target;
  switch (target) {
    case "application":
      return { status: await unlessMissing(api.applications.status(id)) };
    case "database":
      return { status: await databaseStatus(id, api) };
    case "cluster":
      return { cluster: await clusterStatus(id, api) };
    case undefined:
      return {};
    default:
      return target satisfies never;
  }
}

async function databaseStatus(id: Uuid, api: Platform): Promise<Observed["status"]> {
  const read = offered(api, "getDatabase", () => api.databases.get(id, { maxAgeMs: RECORDS_MAX_AGE_MS }));
  const environment = (await unlessMissing(read))?.environment;
  if (environment === undefined) return undefined;
  const statuses = await offered(api, "listServiceStatuses", () => api.services.statuses(environment.id), SHOWN);
  return statuses?.find((status) => status.id === id);
}

/** Renders the default values, which changes nothing. @throws ApiError for failures that do not concern the source */
async function render({ spec, inputs }: OperationContext, api: Platform): Promise<Rendered> {
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

const MAX_AGE_MS = 60_000;

/**
 * Returns why the target must not be touched. A target that a custom resource of the namespace represents was verified
 * by its kind.
 * @returns undefined when it may
 * @throws ApiError
 */
async function refusalOf(context: OperationContext, api: Platform): Promise<Why | undefined> {
  const target = targetReference(context.spec);
  if (target === undefined) return beyondProjects(context, "invoices are of the whole organization");
  const { kind, externalId: id } = target;
  if (id === undefined) return undefined;
  switch (kind) {
    case "PlatformApplication":
    case "PlatformDatabase":
      return await serviceRefusal(context, kind, id, api);
    case "PlatformEnvironment":
      return await environmentRefusal(context, id, api);
    case "PlatformCluster":
      return await clusterRefusal(context, id, api);
    default:
      return kind satisfies never;
  }
}

/** The member of a service's record that names its environment. */
interface Placed {
  readonly environment?: { readonly id: Uuid } | undefined;
}

const SERVICES = {
  PlatformApplication: ["application", "getApplication", ({ applications }: Platform) => applications],
  PlatformDatabase: ["database", "getDatabase", ({ databases }: Platform) => databases],
} as const;

async function serviceRefusal(
  context: OperationContext,
  kind: keyof typeof SERVICES,
  id: Uuid,
  api: Platform,
): Promise<Why | undefined> {
  const [noun, operation, areaOf] = SERVICES[kind];
  const read = offered<Placed>(api, operation, () => areaOf(api).get(id));
  const record = await unlessMissing(read.then((shown) => shown ?? {}));
  if (record === undefined) return notThere(noun, id, "the organization");
  if (record.environment === undefined) return unprovenId(context, `${noun} ${id}`);
  const why = await environmentRefusal(context, record.environment.id, api);
  return why?.reason === "InvalidSpec" ? notThere(noun, id, "the organization") : why;
}

async function environmentRefusal(context: OperationContext, id: Uuid, api: Platform): Promise<Why | undefined> {
  const projectId = await projectOfEnvironment(api, id);
  if (projectId === undefined) return notThere("environment", id, "the organization");
  return projectNotAllowed(context, projectId);
}

async function clusterRefusal(context: OperationContext, id: Uuid, api: Platform): Promise<Why | undefined> {
  const notAllowed = clusterNotAllowed(context);
  if (notAllowed !== undefined) return notAllowed;
  const clusters = await offered(api, "listClusters", () => api.clusters.list({ maxAgeMs: MAX_AGE_MS }));
  if (clusters === undefined) return unprovenId(context, `cluster ${id}`);
  return clusters.some((cluster) => cluster.id === id) ? undefined : notThere("cluster", id, "the organization");
}
