import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { startControlPlane } from "../control-plane/control-plane.ts";
import { buildBundle } from "../support/programs/build-bundle.ts";

/** Builds the bundle for all files, and starts a control plane for those that keep to namespaces of their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...facts } = await startControlPlane({ crdsDir: join(import.meta.dirname, "../../crds") });
  project.provide("controlPlane", facts);
  // Files copy all of this folder.
  const folder = join(facts.dir, "bundle");
  try {
    await mkdir(folder);
    project.provide("program", await buildBundle(folder));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
