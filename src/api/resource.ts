import type { z } from "zod";

/** A column of `kubectl get`; priority 1 shows in `-o wide` only. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: 1;
}

/** A rule of `x-kubernetes-validations` on the root of the object. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
}

/**
 * The Kubernetes side of one kind: its names, its schemas, its columns. The CRD is generated from it. `Spec` is the
 * parsed spec; `Mem` are the status fields that are the operator's memory: what the platform cannot return. `memory`
 * parses them from a status and must accept `{}`.
 */
export interface Resource<Spec = unknown, Mem = unknown> {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly description: string;
  readonly spec: z.ZodType<Spec>;
  readonly memory: z.ZodType<Mem>;
  /** Every member of `.status`, the common ones and those of `memory` included. */
  readonly status: z.ZodObject;
  readonly rules: readonly CelRule[];
  readonly columns: readonly PrinterColumn[];
  /** Paths for field selectors, e.g. ".spec.environmentRef.name". */
  readonly selectableFields: readonly string[];
}
