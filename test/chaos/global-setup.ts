import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { startControlPlane } from "../control-plane/control-plane.ts";
import { buildBundle } from "../support/programs/build-bundle.ts";

/** Starts a control plane with its controllers for all chaos tests, and builds the bundle as shipped. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...facts } = await startControlPlane({
    crdsDir: join(import.meta.dirname, "../../crds"),
    controllers: true,
    // The taps record every request of the operator.
    auditLog: false,
  });
  try {
    project.provide("program", await buildBundle(facts.dir));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("controlPlane", facts);
  return stop;
}
