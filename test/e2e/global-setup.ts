import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TestProject } from "vitest/node";

import { buildBundle } from "../support/programs/build-bundle.ts";

/** Builds the bundle for all files; each file starts its own cluster. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), "e2e-"));
  project.provide("program", await buildBundle(dir));
  return () => rm(dir, { recursive: true });
}
