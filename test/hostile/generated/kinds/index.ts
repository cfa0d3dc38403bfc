import { SAMPLES } from "../../../samples/index.ts";
import type { TestedKind } from "../outcomes.ts";
import { readSchemas } from "../schema.ts";

/** All kinds with their schemas, as users install them. @throws Error for a CRD without a sample */
export const KINDS: readonly TestedKind[] = readSchemas().map((schema) => {
  const [, sample] = Object.entries(SAMPLES).find(([kind]) => kind === schema.kind) ?? [];
  if (sample === undefined) throw new Error(`${schema.kind} has no sample`);
  return { ...schema, cases: sample.leaves };
});
