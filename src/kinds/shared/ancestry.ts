/** Checks that an id given by a user lies under the connection's organization (docs/architecture.md §7). */
import type { Uuid } from "../../engine/contract/kind.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";

const MAX_AGE_MS = 30_000;

/** Reports whether the organization has this project. Every surface lists projects. @throws ApiError */
export async function isProjectOfOrganization(api: Platform, projectId: Uuid): Promise<boolean> {
  const projects = await api.projects.list({ maxAgeMs: MAX_AGE_MS });
  return projects.some(({ id }) => id === projectId);
}

/**
 * Returns the project of the organization that an environment is in. Every surface lists the environments of a project
 * by id.
 * @returns undefined when no project has it
 * @throws ApiError
 */
export async function projectOfEnvironment(api: Platform, environmentId: Uuid): Promise<Uuid | undefined> {
  for (const project of await api.projects.list({ maxAgeMs: MAX_AGE_MS })) {
    // One after the other: the first that has it ends the search, and the rate budget is shared.
    const environments = await unlessMissing(api.projects.environmentStats(project.id, { maxAgeMs: MAX_AGE_MS }));
    if (environments?.some(({ id }) => id === environmentId)) return project.id;
  }
  return undefined;
}

/** Reads one object by its id. @returns undefined when there is none. @throws ApiError */
export async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  return await orGone(read, () => Promise.resolve(false));
}

/**
 * Reads under a parent that may be gone. Deployed services forbid what is under a deleted parent (docs/architecture.md
 * §9): a 403 counts as gone only if the lists of the organization confirm it.
 * @returns undefined when the parent is gone
 * @throws ApiError
 */
export async function orGone<T>(read: Promise<T>, isGone: () => Promise<boolean>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    const failure = error instanceof ApiError ? error.failure.is : undefined;
    if (failure === "NotFound" || (failure === "Forbidden" && (await isGone()))) return undefined;
    throw error;
  }
}
