import { join } from "node:path";

import { afterAll } from "vitest";

import { type ControlPlaneFacts, startControlPlane } from "../../control-plane/control-plane.ts";

/**
 * For a test file that others must not be seen in: those that tell all of a cluster's objects, and those whose
 * ClusterPlatformConnections no other operator may write to. Called at the top of the file, before its stages; stops
 * after them.
 */
export async function ownControlPlane(): Promise<ControlPlaneFacts> {
  const { stop, ...facts } = await startControlPlane({ crdsDir: join(import.meta.dirname, "../../../crds") });
  afterAll(stop);
  return facts;
}
