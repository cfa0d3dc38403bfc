import type { KindName } from "../../../../src/kinds/index.ts";
import { SAMPLES } from "../../../samples/index.ts";
import type { TestedKind } from "../outcomes.ts";
import { readSchemas } from "../schema.ts";

/** All kinds with their schemas and cases. */
export const KINDS: readonly TestedKind[] = readSchemas().map((schema) => ({
  ...schema,
  cases: SAMPLES[schema.kind as KindName].leaves,
}));
