import type { TestProject } from "vitest/node";

import { provideShared } from "../runner/shared.ts";
import { effort } from "../support/env/effort.ts";

/**
 * A control plane for all chaos tests. In `make test` they share that of the integration tests, which read its audit
 * log; in `make chaos` they need controllers, and the taps record every request of the operator.
 */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideShared(project, { controllers: effort.all, auditLog: !effort.all });
}
