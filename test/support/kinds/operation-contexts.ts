/** Contexts of an operation, for its pure code. */
import { platformOperation } from "../../../src/kinds/operation/crd.ts";
import type { OperationContext } from "../../../src/kinds/operation/model.ts";
import { type ContextChange, contextWith } from "./contexts.ts";

export const TARGET = "00000000-0000-4000-8000-0000000000e1";

/** @param spec as a user writes it; the surface is the documented one by default */
export function operationContext(spec: unknown, change: ContextChange<OperationContext> = {}): OperationContext {
  const parsed = platformOperation.spec.parse(spec);
  return contextWith<OperationContext>({ spec: parsed, inputs: { targetId: TARGET }, adoption: "Never" }, change);
}
