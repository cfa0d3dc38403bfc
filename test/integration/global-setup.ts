import type { TestProject } from "vitest/node";

import { notesDir } from "../runner/run-notes.ts";
import { provideShared } from "../runner/shared.ts";

declare module "vitest" {
  interface ProvidedContext {
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
  const end = await provideShared(project);
  const run = project.vitest.getRootProject();
  const { auditLogPath, dir } = run.getProvidedContext().controlPlane;
  const { testFiles } = await project.globTestFiles();
  // Of the whole run: projects do not see what others provide.
  run.provide("integration", {
    auditLogPath,
    files: testFiles,
    notesDir: notesDir(dir),
    chosen: project.vitest.config.testNamePattern !== undefined,
  });
  return end;
}
