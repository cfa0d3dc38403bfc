/** Whether a service that does not run is to be started by a deployment. Pure. */
import type { ServicePass } from "./model.ts";
import type { Progress } from "./progress.ts";

/**
 * What we stopped is started again, and what the user asks for; the latter brings back what was uninstalled, too. What
 * others stopped or uninstalled is started where everything is to be corrected.
 */
export function startDue(pass: ServicePass, progress: Progress): "wanted" | "corrects" | undefined {
  if (progress.phase !== "gone" && progress.phase !== "stopped") return undefined;
  const ours = progress.phase === "stopped" && pass.memory.runState === "Stopped";
  if (ours || pass.requested !== undefined) return "wanted";
  return pass.corrects === "Everything" ? "corrects" : undefined;
}
