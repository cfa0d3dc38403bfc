/** What the test files share: a control plane and the bundle as it is shipped. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import type { TestProject } from "vitest/node";

import { type ControlPlaneFacts, type ControlPlaneOptions, startControlPlane } from "../control-plane/control-plane.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The control plane that all files share: keep to a namespace of your own. */
    readonly controlPlane: ControlPlaneFacts;
    /** The operator's bundle as it is shipped; that of the plugin is in plugin/ beside it. */
    readonly program: string;
  }
}

const root = join(import.meta.dirname, "../..");

/**
 * Starts the control plane while the bundle is built, and provides both to the whole run: a project whose turn comes
 * later in the same run takes them as they are.
 * @returns what ends it all
 */
export async function provideShared(project: TestProject, options: ControlPlaneOptions = {}) {
  const run = project.vitest.getRootProject();
  if ("controlPlane" in run.getProvidedContext()) return async (): Promise<void> => {};
  const folder = await mkdtemp(join(tmpdir(), "bundle-"));
  const starting = startControlPlane({ crdsDir: join(root, "crds"), ...options });
  // When the bundle cannot be built, the control plane ends with this process.
  const [{ stop, ...facts }, program] = await Promise.all([starting, buildBundle(folder)]);
  run.provide("controlPlane", facts);
  run.provide("program", program);
  return async (): Promise<void> => {
    await stop();
    await rm(folder, { recursive: true });
  };
}

async function buildBundle(folder: string): Promise<string> {
  const file = join(folder, "operator.js");
  const rolldown = join(dirname(createRequire(import.meta.url).resolve("rolldown/package.json")), "bin/cli.mjs");
  const config = join(root, "rolldown.config.ts");
  const env = { ...process.env, DIST: folder };
  await promisify(execFile)(process.execPath, [rolldown, "--config", config], { cwd: root, env });
  for (const program of [file, join(folder, "plugin/kubectl-platform.cjs")]) await chmod(program, 0o755);
  return file;
}
