import type { TestProject } from "vitest/node";

import { provideShared } from "../support/programs/shared.ts";

/** A control plane with its controllers for all chaos tests; the taps record every request of the operator. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return (await provideShared(project, { controllers: true, auditLog: false })).end;
}
