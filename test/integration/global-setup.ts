import { existsSync } from "node:fs";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { type ControlPlaneFacts, startControlPlane } from "../control-plane/control-plane.ts";
import { buildBundle } from "../support/programs/build-bundle.ts";
import { notesDir } from "../support/programs/run-notes.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The control plane that all integration tests share: keep to a namespace of your own. */
    readonly controlPlane: ControlPlaneFacts;
    /** The bundle as it is shipped: starts in half the time of the sources. */
    readonly program: string;
    /** To the tests of the project "afterwards"; undefined when no integration test ran. */
    readonly integration?: IntegrationRun;
  }
}

interface IntegrationRun {
  readonly auditLogPath: string;
  /** All files of the project, as `make test` runs them. */
  readonly files: readonly string[];
  /** The folder in which each file that ran is noted. */
  readonly notesDir: string;
  /** Whether tests were chosen by name: then a file that ran may have left some out. */
  readonly chosen: boolean;
}

/** One control plane and one bundle for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const crdsDir = join(import.meta.dirname, "../../crds");
  const { stop, ...facts } = await startControlPlane(existsSync(crdsDir) ? { crdsDir } : {});
  try {
    project.provide("program", await buildBundle(facts.dir));
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide("controlPlane", facts);
  const { testFiles } = await project.globTestFiles();
  // Of the whole run: projects do not see what others provide.
  project.vitest.getRootProject().provide("integration", {
    auditLogPath: facts.auditLogPath,
    files: testFiles,
    notesDir: notesDir(facts.dir),
    chosen: project.vitest.config.testNamePattern !== undefined,
  });
  return stop;
}
