/** Parses specs, once for each stored object (docs/architecture.md §4). */
import type { z } from "zod";

import type { KubeObject } from "../../kube/api/types.ts";

/** What parses specs: a zod schema. */
export interface SpecSchema<Spec> {
  safeParse(spec: unknown): z.ZodSafeParseResult<Spec>;
}

/** The results by schema and spec. The store replaces a spec that changed and never alters one. */
const results = new WeakMap<object, WeakMap<object, unknown>>();

const NO_SPEC = {};

/** Returns the result of the schema for the object's spec; an object without a spec counts as one with an empty spec. */
export function parseSpec<Spec>(
  schema: SpecSchema<Spec>,
  object: Pick<KubeObject, "spec">,
): z.ZodSafeParseResult<Spec> {
  const spec = object.spec ?? NO_SPEC;
  if (typeof spec !== "object") return schema.safeParse(spec);
  let known = results.get(schema) as WeakMap<object, z.ZodSafeParseResult<Spec>> | undefined;
  if (known === undefined) results.set(schema, (known = new WeakMap<object, z.ZodSafeParseResult<Spec>>()));
  let result = known.get(spec);
  if (result === undefined) known.set(spec, (result = schema.safeParse(spec)));
  return result;
}
