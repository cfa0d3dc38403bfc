import type { TestProject } from "vitest/node";

import { provideShared } from "../runner/shared.ts";

/** The bundle for all files, and a control plane for those that keep to namespaces of their own. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideShared(project);
}
