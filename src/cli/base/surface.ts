/** Which operations the platform of a connection offers. */
import { platformConnection } from "../../kinds/connection/crd.ts";
import { isDocumented } from "../../platform/codec/operations.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Access } from "./access.ts";

export type EffectiveSurface = "Documented" | "Full";

/** Reports whether the platform offers an operation. @throws ApiError */
export async function offers(access: Access, name: string): Promise<boolean> {
  return isDocumented(name) || (await surfaceOf(access)) === "Full";
}

/**
 * Returns the surface that the connection declares, else the surface that the operator found, else the surface that a
 * read of a project shows.
 * @throws ApiError
 */
export async function surfaceOf({ platform, connection, spec }: Access): Promise<EffectiveSurface> {
  if (spec.surface !== "Auto") return spec.surface;
  const { surface } = platformConnection.memory.parse(connection.status ?? {});
  if (surface !== undefined) return surface.name;
  const [project] = await platform.projects.list();
  if (project === undefined) return "Documented";
  try {
    await platform.projects.get(project.id);
    return "Full";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return "Documented";
  }
}
