import type { KindEnv } from "../support/kinds/env.ts";
import type { PassChange, Ran, Runner } from "../support/kinds/kind-runner.ts";

/** Reconciles once, after this many seconds on the platform. */
export async function runAfter(
  seconds: number,
  { harness }: Pick<KindEnv, "harness">,
  runner: Runner,
  change?: PassChange,
): Promise<Ran> {
  harness.pass(seconds);
  return await runner.run(change);
}
