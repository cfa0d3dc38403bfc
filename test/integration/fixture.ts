import type { JsonObject } from "../../src/kube/api/types.ts";
import type { Env } from "../support/env/env.ts";
import { defaults, environment, project } from "../support/kube/manifests.ts";

/**
 * Applies the default connection, the project "shop" and an environment of it, and waits until it is Ready and the
 * operator rests.
 * @param connection its spec; by default it knows the surface, and trusts ids
 */
export async function fixture(env: Env, name = "staging", connection?: JsonObject): Promise<void> {
  const usual = { surface: surfaceOf(env), allowUnverifiedIds: true };
  await env.apply(...defaults(env, connection ?? usual), project("shop"), environment(env, name, "shop"));
  await env.waitFor("PlatformEnvironment", name, { status: "True" });
  await env.settled();
}

/** The surface of the environment's platform, as a connection names it. */
export function surfaceOf({ platform }: Env): "Full" | "Documented" {
  return platform.sim.settings.surface === "full" ? "Full" : "Documented";
}
