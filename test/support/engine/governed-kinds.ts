import { operationOf } from "../../../simulator/base/operations.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { SAMPLES } from "../../samples/index.ts";
import type { Manifest } from "../env/cluster.ts";
import type { Env } from "../env/env.ts";

/** A resource that makes the operator write to the platform, what it writes, and a change of its spec. */
export interface Governed {
  readonly kind: string;
  readonly name: string;
  readonly writes: readonly string[];
  readonly manifest: Manifest;
  readonly change: JsonObject;
}

/**
 * One of each kind that writes on this surface, all called `name`; PlatformCatalog and connections never do. They stand
 * on a project, environment and application of the name "ground", on the first cluster (the binding) and on the second
 * (to be stopped).
 */
export function governedKinds(env: Env, name: string, lifecycle: JsonObject): readonly Governed[] {
  const place = { env, name, ground: "ground", spec: { lifecycle } };
  const isOffered = (operation: Parameters<typeof operationOf>[0]): boolean =>
    env.platform.sim.settings.surface === "full" || operationOf(operation).surface === "documented";
  return Object.entries(SAMPLES)
    .filter(([, { writes }]) => writes.length > 0 && writes.every(isOffered))
    .map(([kind, sample]) => ({
      kind,
      name,
      writes: sample.writes,
      manifest: sample.good(place),
      change: sample.change?.(place) ?? {},
    }));
}
