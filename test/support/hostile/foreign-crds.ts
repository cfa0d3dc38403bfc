import { kubectl } from "../../control-plane/access.ts";
import type { ControlPlaneFacts } from "../../control-plane/control-plane.ts";
import { comes } from "../env/cluster.ts";

/**
 * Installs CRDs of others, and waits until the API server serves them.
 * @param path a file or a folder. @throws Error when it does not within a minute
 */
export async function installCrds(at: ControlPlaneFacts, path: string): Promise<void> {
  // Larger than the annotation of a client-side apply may be.
  await kubectl(at, ["apply", "--server-side", "-f", path]);
  // kubectl refuses to wait for conditions of an object that has none yet.
  const established = (): Promise<string | undefined> =>
    kubectl(at, ["wait", "--for=condition=Established", "--timeout=60s", "-f", path]).catch(() => undefined);
  if ((await comes(established, 60_000)) === undefined) throw new Error(`the CRDs of ${path} are not established`);
}
