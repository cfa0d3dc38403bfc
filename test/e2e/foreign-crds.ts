import { kubectl } from "../control-plane/access.ts";
import type { ControlPlaneFacts } from "../control-plane/control-plane.ts";
import { comes } from "../support/env/cluster.ts";

/**
 * Installs CRDs of other projects, and waits until the API server serves them.
 * @param path a file or a folder. @throws Error after a minute
 */
export async function installCrds(at: ControlPlaneFacts, path: string): Promise<void> {
  // A client-side apply would exceed the limit of its annotation.
  await kubectl(at, ["apply", "--server-side", "-f", path]);
  // kubectl cannot wait for a condition while the object has no conditions yet.
  const established = (): Promise<string | undefined> =>
    kubectl(at, ["wait", "--for=condition=Established", "--timeout=60s", "-f", path]).catch(() => undefined);
  if ((await comes(established, 60_000)) === undefined) throw new Error(`the CRDs of ${path} are not established`);
}
