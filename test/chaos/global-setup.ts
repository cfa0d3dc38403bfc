import type { TestProject } from "vitest/node";

import { effort } from "../support/env/effort.ts";
import { provideShared } from "../support/programs/shared.ts";

/**
 * A control plane for all chaos tests; the taps record every request of the operator. Only `make chaos` runs tests that
 * need its controllers: `make test` uses the control plane of the integration tests.
 */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideShared(project, { controllers: effort.all, auditLog: false });
}
