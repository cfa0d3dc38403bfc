/** The operations that the platform offers. */
import { platformConnection } from "../../kinds/connection/crd.ts";
import { stringMember } from "../../kube/api/json.ts";
import type { KubeObject } from "../../kube/api/types.ts";
import { createCapabilities, type Support } from "../../platform/client/capabilities.ts";
import { isDocumented, operations } from "../../platform/codec/operations.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import type { Access } from "./access.ts";

export type EffectiveSurface = "Documented" | "Full";

/**
 * Reports whether one operation is offered; for one that was never tried, whether the platform has the full surface.
 * @throws ApiError
 */
export async function offers(access: Access, name: string): Promise<boolean> {
  const support = learnedOn(access.connection)(name);
  return support === "Unknown" ? (await surfaceOf(access)) === "Full" : support === "Supported";
}

/**
 * Returns the surface that the connection declares, else the one that the operator learned, else the one that a
 * harmless read shows. A platform with a part of the full surface counts as full: its answers show what is missing.
 * @throws ApiError
 */
export async function surfaceOf({ platform, connection, spec }: Access): Promise<EffectiveSurface> {
  if (spec.surface !== "Auto") return spec.surface;
  const { surface } = platformConnection.memory.parse(connection.status ?? {});
  if (surface !== undefined) return surface === "Documented" ? "Documented" : "Full";
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

/** Returns a function that reports the support of an operation, as the user declared or the operator learned it. */
function learnedOn(connection: KubeObject): (name: string) => Support {
  const said = stringMember(connection.spec, "surface");
  const capabilities = createCapabilities(said === "Documented" || said === "Full" ? said : "Auto", {
    monotonic: () => 0,
  });
  capabilities.restore(platformConnection.memory.parse(connection.status ?? {}).operations ?? {});
  return (name) => capabilities.learned(name);
}

const SUPPORTS = [
  ["supported", "Supported"],
  ["not supported", "Unsupported"],
  ["not tried", "Unknown"],
] as const;

const AREAS = { GET: "reads", PUT: "updates", DELETE: "deletions", POST: "actions" } as const;

/**
 * Lists the operations beyond the specification, grouped by their support. An area whose operations all have the same
 * support is one entry, e.g. "all 5 deletions".
 */
export function operationsOf(connection: KubeObject): readonly { readonly support: string; readonly names: string }[] {
  const learned = learnedOn(connection);
  const beyond = Object.entries(operations).filter(([name]) => !isDocumented(name));
  const areas = Map.groupBy(beyond, ([, { method }]) => AREAS[method]);
  return SUPPORTS.flatMap(([support, wanted]) => {
    const names = [...areas].flatMap(([area, all]) => {
      const some = all.flatMap(([name]) => (learned(name) === wanted ? [name] : []));
      return some.length === all.length ? [`all ${all.length} ${area}`] : some;
    });
    return names.length === 0 ? [] : [{ support, names: names.join(", ") }];
  });
}
