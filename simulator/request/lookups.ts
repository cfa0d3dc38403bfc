import { Problem } from "../base/problems.ts";
import type { ServiceKind } from "../model/actions.ts";
import type { Cluster, Environment, Project, Service, Webhook } from "../model/world.ts";
import type { Call } from "./route.ts";

/**
 * This and the next functions find a record by id and check that the caller's organization owns it.
 * @throws Problem 404 when it does not exist, 403 when it belongs to another organization, or was deleted and the
 * platform answers 403 for that
 */
export function findProject(call: Call, id: string): Project {
  const project = call.sim.world.projects.get(id) ?? missing(call, "project", id);
  checkOrganization(call, project.organizationId);
  return project;
}

export function findEnvironment(call: Call, id: string): Environment {
  const environment = call.sim.world.environments.get(id) ?? missing(call, "environment", id);
  findProject(call, environment.projectId);
  return environment;
}

export function findService(call: Call, id: string, kind: ServiceKind): Service {
  const service = call.sim.world.services.get(id);
  if (service?.kind !== kind) return missing(call, kind, id);
  findEnvironment(call, service.environmentId);
  return service;
}

export function findCluster(call: Call, id: string): Cluster {
  const cluster = call.sim.world.clusters.get(id) ?? missing(call, "cluster", id);
  checkOrganization(call, cluster.organizationId);
  return cluster;
}

/** Finds a cluster in the path of an organization. */
export function findClusterOf(call: Call, organizationId: string, id: string): Cluster {
  checkOrganization(call, organizationId);
  return findCluster(call, id);
}

/** Finds a webhook in the path of an organization. */
export function findWebhook(call: Call, organizationId: string, id: string): Webhook {
  checkOrganization(call, organizationId);
  const webhook = call.sim.world.webhooks.get(id) ?? missing(call, "webhook", id);
  checkOrganization(call, webhook.organizationId);
  return webhook;
}

/** @throws Problem 403 unless the caller belongs to the organization, 404 when there is no such organization. */
export function checkOrganization(call: Call, organizationId: string): void {
  if (call.principal.organizationId === organizationId) return;
  if (!call.sim.world.organizations.has(organizationId)) throw new Problem(404, "No such organization");
  throw new Problem(403, "The token does not belong to this organization");
}

/** Throws the error for a missing object: deployed services answer 403 for a deleted project or parent. */
function missing(call: Call, what: string, id: string): never {
  const { settings, world } = call.sim;
  const parent = world.deletedIds.get(id);
  const parentGone = parent === null || (parent !== undefined && world.deletedIds.has(parent));
  if (settings.goneAs === 403 && parentGone) throw new Problem(403, `Access to this ${what} is forbidden`);
  throw new Problem(404, `No ${what} with id ${id}`);
}

/**
 * @throws Problem 409 when another sibling has that name (ignoring case), unless names need not be unique
 */
export function checkNameFree(
  { sim }: Call,
  what: string,
  name: string,
  siblings: Iterable<{ readonly id: string; readonly name: string }>,
  self?: string,
): void {
  if (!sim.settings.uniqueNames) return;
  const taken = [...siblings].some((each) => each.id !== self && each.name.toLowerCase() === name.toLowerCase());
  if (taken) throw new Problem(409, `The ${what} name ${name} is already taken`);
}

/** @returns the records that a list shows: with a lag, without new ones; with pages, those of the first page */
export function listed<T extends { readonly createdAtMs: number }>(call: Call, records: Iterable<T>): T[] {
  const { listLagSeconds, pageLength } = call.sim.settings;
  const now = call.sim.time.real();
  const shown = [...records].filter((record) => now - record.createdAtMs >= listLagSeconds * 1000);
  return pageLength === null ? shown : shown.slice(0, pageLength);
}
