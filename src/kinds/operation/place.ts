/**
 * Checks whether the target may be touched: an id that a user gave is looked up before any write (docs/architecture.md
 * §7).
 */
import type { Uuid, Why } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { orMissing } from "../service/observe.ts";
import { projectOfEnvironment } from "../shared/ancestry.ts";
import { clusterNotAllowed } from "../shared/cluster-ref.ts";
import { beyondProjects, unprovenId } from "../shared/limits.ts";
import { notThere, projectNotAllowed } from "../shared/names.ts";
import { offered } from "../shared/offered.ts";
import type { OperationPass } from "./model.ts";

/** What the record of a service says of its place. */
interface Placed {
  readonly environment?: { readonly id: Uuid } | undefined;
}

const MAX_AGE_MS = 60_000;

/**
 * Returns why the target must not be touched. A target that a custom resource of the namespace represents was verified
 * by its kind.
 * @returns undefined when it may
 * @throws ApiError
 */
export async function refusalOf(context: OperationPass, api: Platform): Promise<Why | undefined> {
  const { applicationRef, databaseRef, clusterRef, environmentRef } = context.spec;
  if (applicationRef?.externalId !== undefined)
    return await serviceRefusal(context, "application", applicationRef, api);
  if (databaseRef?.externalId !== undefined) return await serviceRefusal(context, "database", databaseRef, api);
  if (environmentRef?.externalId !== undefined) {
    return await environmentRefusal(context, environmentRef.externalId, api);
  }
  if (clusterRef?.externalId !== undefined) return await clusterRefusal(context, clusterRef.externalId, api);
  return context.spec.type === "SendInvoices"
    ? beyondProjects(context, "invoices are of the whole organization")
    : undefined;
}

async function serviceRefusal(
  context: OperationPass,
  noun: "application" | "database",
  { externalId: id = "" }: { readonly externalId?: Uuid | undefined },
  api: Platform,
): Promise<Why | undefined> {
  const read =
    noun === "application"
      ? offered<Placed>(api, "getApplication", () => api.applications.get(id))
      : offered<Placed>(api, "getDatabase", () => api.databases.get(id));
  const record = await orMissing(
    read.then((shown) => shown ?? "unshown"),
    ["NotFound"],
  );
  if (record === "unshown") return unprovenId(context, `${noun} ${id}`);
  if (record === undefined) return notThere(noun, id, "the organization");
  if (record.environment === undefined) return unprovenId(context, `${noun} ${id}`);
  const why = await environmentRefusal(context, record.environment.id, api);
  return why?.reason === "InvalidSpec" ? notThere(noun, id, "the organization") : why;
}

async function environmentRefusal(context: OperationPass, id: Uuid, api: Platform): Promise<Why | undefined> {
  const projectId = await projectOfEnvironment(api, id);
  if (projectId === undefined) return notThere("environment", id, "the organization");
  return context.allowedProjects?.includes(projectId) === false ? projectNotAllowed(projectId) : undefined;
}

async function clusterRefusal(context: OperationPass, id: Uuid, api: Platform): Promise<Why | undefined> {
  const notAllowed = clusterNotAllowed(context);
  if (notAllowed !== undefined) return notAllowed;
  const clusters = await offered(api, "listClusters", () => api.clusters.list({ maxAgeMs: MAX_AGE_MS }));
  if (clusters === undefined) return unprovenId(context, `cluster ${id}`);
  return clusters.some((cluster) => cluster.id === id) ? undefined : notThere("cluster", id, "the organization");
}
