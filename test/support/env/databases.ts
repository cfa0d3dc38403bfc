import { defaults, environment, project } from "../kube/manifests.ts";
import type { Stage } from "./env.ts";

/** Connection, project and environment "staging" for databases, Ready. */
export async function ground(stage: Stage): Promise<void> {
  const surface = stage.platform.sim.settings.surface === "full" ? "Full" : "Documented";
  const connection = { surface, allowUnverifiedIds: true };
  await stage.apply(...defaults(stage, connection), project("shop"), environment(stage, "staging", "shop"));
  await stage.waitFor("PlatformEnvironment", "staging", { status: "True" });
  await stage.settled();
}
