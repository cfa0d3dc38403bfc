import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";
import { z } from "zod";

import type { Structural } from "../../../scripts/schema.ts";
import type { CelRule } from "../../../src/api/resource.ts";

const CRDS = join(import.meta.dirname, "../../../crds");

const Crd = z.object({
  spec: z.object({
    names: z.object({ kind: z.string(), plural: z.string() }),
    scope: z.enum(["Namespaced", "Cluster"]),
    versions: z.tuple([
      z.object({
        schema: z.object({
          openAPIV3Schema: z.object({
            properties: z.object({ spec: z.custom<Structural>(isSchema), status: z.custom<Structural>(isSchema) }),
            "x-kubernetes-validations": z.array(z.object({ rule: z.string(), message: z.string() })).default([]),
          }),
        }),
      }),
    ]),
  }),
});

/** A kind according to its CRD in crds/. */
export interface KindSchema {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly spec: Structural;
  readonly status: Structural;
  /** The rules of the whole object. */
  readonly rules: readonly CelRule[];
}

/** @returns the schemas of all kinds, as users install them. @throws ZodError for a file that is not such a CRD */
export function readSchemas(): readonly KindSchema[] {
  return readdirSync(CRDS).map((file) => {
    const { spec } = Crd.parse(parse(readFileSync(join(CRDS, file), "utf8")));
    const [{ schema }] = spec.versions;
    const { properties, "x-kubernetes-validations": rules } = schema.openAPIV3Schema;
    return { ...spec.names, namespaced: spec.scope === "Namespaced", ...properties, rules };
  });
}

function isSchema(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
