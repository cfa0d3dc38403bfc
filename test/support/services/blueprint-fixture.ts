import type { JsonObject } from "../../../src/kube/api/types.ts";
import type { Env } from "../env/env.ts";
import { calm } from "../env/settling.ts";
import { defaults, environment, project } from "../kube/manifests.ts";

/** Applies the parents of a blueprint in the environment "shop", and waits for Ready. @param connection its spec */
export async function blueprintFixture(env: Env, connection: JsonObject = {}): Promise<void> {
  await env.apply(...defaults(env, connection), project("shop"), environment(env, "shop", "shop"));
  await env.waitFor("PlatformEnvironment", "shop", { status: "True" });
  await calm(env);
}

/** The ids of the platform's blueprints of that name. */
export function blueprintsOf(env: Env, name: string): readonly string[] {
  return [...env.platform.world().blueprints.values()].filter((one) => one.name === name).map(({ id }) => id);
}
