import { AGE, column, MESSAGE, READY, REASON, type Resource } from "../../api/resource.ts";
import { spec } from "./crd-spec.ts";
import type { VariableSetSpec } from "./crd-spec.ts";
import { memory, status } from "./crd-status.ts";
import type { VariableSetMemory } from "./crd-status.ts";

export type { VariableSetSpec } from "./crd-spec.ts";
export { MAX_NAMES, MAX_NAMESAKES } from "./crd-status.ts";
export type { KnownTarget, KnownVariable, VariableSetMemory } from "./crd-status.ts";

export const platformVariableSet: Resource<VariableSetSpec, VariableSetMemory> = {
  kind: "PlatformVariableSet",
  plural: "platformvariablesets",
  shortNames: ["pvars"],
  scope: "Namespaced",
  description: "Environment variables and secrets that are imported into one or several applications.",
  spec,
  memory,
  status,
  rules: [],
  columns: [
    READY,
    column("Targets", ".status.targetsSynced", "How many applications have all variables."),
    REASON,
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name"],
};
