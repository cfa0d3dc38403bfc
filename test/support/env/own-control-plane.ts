import { join } from "node:path";

import { afterAll } from "vitest";

import {
  type ControlPlaneFacts,
  type ControlPlaneOptions,
  startControlPlane,
} from "../../control-plane/control-plane.ts";

/**
 * Starts a separate control plane for a test file that lists all objects of a cluster, or whose
 * ClusterPlatformConnections no other operator may write. Call it at the top of the file, before `createEnv`; it stops
 * after the environments.
 */
export async function ownControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlaneFacts> {
  const crdsDir = join(import.meta.dirname, "../../../crds");
  const { stop, ...facts } = await startControlPlane({ crdsDir, ...options });
  afterAll(stop);
  return facts;
}
