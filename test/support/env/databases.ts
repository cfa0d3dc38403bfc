import { defaults, environment, project } from "../kube/manifests.ts";
import type { Env } from "./env.ts";

/** Creates connection, project and environment "staging" for databases, and waits until they are Ready. */
export async function fixture(env: Env): Promise<void> {
  const surface = env.platform.sim.settings.surface === "full" ? "Full" : "Documented";
  const connection = { surface, allowUnverifiedIds: true };
  await env.apply(...defaults(env, connection), project("shop"), environment(env, "staging", "shop"));
  await env.waitFor("PlatformEnvironment", "staging", { status: "True" });
  await env.settled();
}
