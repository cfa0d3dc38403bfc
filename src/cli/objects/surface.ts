/** Which operations the platform offers. */
import { stringMember } from "../../kube/json.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Access } from "../access.ts";

export type Surface = "Documented" | "Full";

/**
 * What the connection says, else what the operator found out, else what one harmless read tells (design §4).
 * @throws ApiError
 */
export async function surfaceOf({ platform, connection, spec }: Access): Promise<Surface> {
  if (spec.surface !== "Auto") return spec.surface;
  const found = stringMember(connection.status, "surface");
  if (found === "Documented" || found === "Full") return found;
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
