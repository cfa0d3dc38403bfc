import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Stage } from "../env/env.ts";
import { calm } from "../env/settling.ts";
import { defaults, environment, project } from "../kube/manifests.ts";

/** Applies what a blueprint of the environment "shop" stands on; all is Ready then. @param connection its spec */
export async function blueprintGround(stage: Stage, connection: JsonObject = {}): Promise<void> {
  await stage.apply(...defaults(stage, connection), project("shop"), environment(stage, "shop", "shop"));
  await stage.waitFor("PlatformEnvironment", "shop", { status: "True" });
  await calm(stage);
}

/** The ids of the platform's blueprints of that name. */
export function blueprintsOf(stage: Stage, name: string): readonly string[] {
  return [...stage.platform.world().blueprints.values()].filter((one) => one.name === name).map(({ id }) => id);
}
