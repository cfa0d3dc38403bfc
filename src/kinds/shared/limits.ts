/**
 * Checks what a connection may work on: projects, objects in no project, and ids that users give (docs/project/architecture.md
 * §7).
 */
import type { Reference, Uuid, StatusReason } from "../../engine/contract/kind.ts";
import { isWhole } from "../../platform/codec/listing.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { unlessMissing } from "./answers.ts";
import { readOnFull, type WithSurface } from "./surface.ts";
import type { WithPolicies, WithRecords } from "./types.ts";

type Limits = WithPolicies<"allowedProjects" | "allowUnverifiedIds">;

/**
 * Returns why a connection with allowedProjects may not work on an object that is in no project.
 * @param because e.g. "a cluster belongs to none of them"
 */
export function beyondProjects(
  { policies: { allowedProjects, allowUnverifiedIds } }: Limits,
  because: string,
): StatusReason | undefined {
  if (allowedProjects === undefined || allowUnverifiedIds) return undefined;
  const message = `The connection is limited to some projects, and ${because}. Use another connection, or set allowUnverifiedIds on this one.`;
  return { reason: "NotObservable", message };
}

/**
 * Returns why an id that a user gave is not used: the platform does not show that it belongs to the organization, and
 * the connection does not accept such ids. An accepted id is no permission to delete anything.
 * @param what e.g. `cluster 6f1f…`
 */
export function unprovenId(context: WithPolicies<"allowUnverifiedIds">, what: string): StatusReason | undefined {
  return context.policies.allowUnverifiedIds ? undefined : unprovenReason(what);
}

/** Returns the reason of an id that the connection does not accept without a proof. */
export function unprovenReason(what: string): StatusReason {
  const message = `The platform's surface does not show where the ${what} belongs, so it is not touched. A person who may edit the connection can allow such ids with spec.allowUnverifiedIds.`;
  return { reason: "NotObservable", message };
}

interface Ref {
  readonly name?: string | undefined;
  readonly externalId?: Uuid | undefined;
}

/** Returns the reference of spec.projectRef. */
export function projectNeed({ name, externalId }: Ref): Reference {
  return { field: "spec.projectRef", kind: "PlatformProject", name, externalId };
}

/** Returns the reference of spec.environmentRef. */
export function environmentNeed({ name, externalId }: Ref): Reference {
  return { field: "spec.environmentRef", kind: "PlatformEnvironment", name, externalId };
}

/** Returns the reference of spec.clusterRef. Only the id is needed: the cluster may be stopped or upgrading. */
export function clusterNeed({ name, externalId }: Ref): Reference {
  return { field: "spec.clusterRef", kind: "PlatformCluster", name, externalId, idOnly: true };
}

/** Returns why a connection with allowedProjects may not work on clusters, which belong to no project. */
export function clusterNotAllowed(context: Limits): StatusReason | undefined {
  return beyondProjects(context, "a cluster belongs to none of them");
}

const MAX_AGE_MS = 30_000;

/** Reports whether the organization has this project. Every surface lists projects. @throws ApiError */
export async function isProjectOfOrganization(api: Platform, projectId: Uuid): Promise<boolean> {
  const projects = await api.projects.list({ maxAgeMs: MAX_AGE_MS });
  return projects.some(({ id }) => id === projectId);
}

/** Where an environment is, as far as the platform shows it. */
export type EnvironmentPlace =
  | { readonly is: "found"; readonly projectId: Uuid }
  /** Every project of the organization lists its environments, and none has it. */
  | { readonly is: "absent" }
  /** Only statistics were read, which prove that an environment exists, and never that it does not. */
  | { readonly is: "unknown" };

/**
 * Finds the project of the organization that an environment is in. On Full the organization's list of services shows it
 * in one read, unless the environment is empty. Else the environments of each project are read: on Full their list,
 * where there is none the statistics. A project that the token may not read does not end the search.
 * @throws ApiError, "Forbidden" if no other project has it: it may be in the forbidden project
 */
export async function placeOfEnvironment(
  context: WithSurface & WithRecords<"unread">,
  api: Platform,
  environmentId: Uuid,
): Promise<EnvironmentPlace> {
  const shown = await projectOfServices(context, api, environmentId);
  if (shown !== undefined) return { is: "found", projectId: shown };
  let forbidden: ApiError | undefined;
  let isProven = true;
  for (const { id: projectId } of await api.projects.list({ maxAgeMs: MAX_AGE_MS })) {
    try {
      // One after the other: the first that has it ends the search, and the rate budget is shared.
      const { environments, isList } = await environmentsOf(context, api, projectId);
      if (environments?.some(({ id }) => id === environmentId)) return { is: "found", projectId };
      isProven &&= isList;
    } catch (error) {
      if (!(error instanceof ApiError) || error.failure.is !== "Forbidden") throw error;
      forbidden = error;
    }
  }
  if (forbidden !== undefined) throw forbidden;
  return { is: isProven ? "absent" : "unknown" };
}

/** Returns the project that the services of an environment show; undefined where it is empty. @throws ApiError */
async function projectOfServices(
  context: WithSurface & WithRecords<"unread">,
  api: Platform,
  environmentId: Uuid,
): Promise<Uuid | undefined> {
  const inEnvironment = () => api.services.inOrganization(environmentId, { maxAgeMs: MAX_AGE_MS });
  const services = await readOnFull(context, api, inEnvironment);
  return services?.find((service) => service.environmentId === environmentId)?.projectId;
}

/**
 * Reads the environments of a project; none where it is gone. `isList`: what they lack is not in the project.
 * @throws ApiError
 */
async function environmentsOf(context: WithSurface & WithRecords<"unread">, api: Platform, projectId: Uuid) {
  const list = () => unlessMissing(api.environments.list(projectId, { maxAgeMs: MAX_AGE_MS }));
  const listed = await readOnFull(context, api, async () => ({ environments: await list() }), ["Forbidden"]);
  if (listed !== undefined)
    return { ...listed, isList: listed.environments === undefined || isWhole(listed.environments) };
  const environments = await unlessMissing(api.projects.environmentStats(projectId, { maxAgeMs: MAX_AGE_MS }));
  return { environments, isList: environments === undefined };
}
