import { existsSync } from "node:fs";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { type ControlPlaneFacts, startControlPlane } from "../control-plane/control-plane.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The control plane that all integration tests share: keep to a namespace of your own. */
    readonly controlPlane: ControlPlaneFacts;
  }
}

/** One control plane for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const crdsDir = join(import.meta.dirname, "../../crds");
  const { stop, ...facts } = await startControlPlane(existsSync(crdsDir) ? { crdsDir } : {});
  project.provide("controlPlane", facts);
  return stop;
}
