/** Parses specs, once for each stored object (docs/project/architecture.md §4). */
import type { z } from "zod";

import type { KubeObject } from "../../kube/api/types.ts";

/** What parses specs: a zod schema. */
export interface SpecSchema<Spec> {
  safeParse(spec: unknown): z.ZodSafeParseResult<Spec>;
}

/**
 * The results by spec, each with the schema that it comes from. The store replaces a changed spec and never alters one.
 */
const results = new WeakMap<object, { readonly schema: object; readonly result: unknown }>();

const NO_SPEC = {};

/** Returns the schema's result for an object's spec; an object without a spec counts as one with an empty spec. */
export function parseSpec<Spec>(
  schema: SpecSchema<Spec>,
  object: Pick<KubeObject, "spec">,
): z.ZodSafeParseResult<Spec> {
  const spec = object.spec ?? NO_SPEC;
  if (typeof spec !== "object") return schema.safeParse(spec);
  const known = results.get(spec);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a result is kept with the schema that gave it
  if (known?.schema === schema) return known.result as z.ZodSafeParseResult<Spec>;
  const result = schema.safeParse(spec);
  results.set(spec, { schema, result });
  return result;
}
