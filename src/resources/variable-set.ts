import { AGE, MESSAGE, READY, REASON } from "./base/columns.ts";
import type { Resource } from "./base/resource.ts";
import { spec } from "./variable-set/spec.ts";
import type { VariableSetSpec } from "./variable-set/spec.ts";
import { memory, status } from "./variable-set/status.ts";
import type { VariableSetMemory } from "./variable-set/status.ts";

export type { VariableSetSpec } from "./variable-set/spec.ts";
export { MAX_NAMES, MAX_NAMESAKES } from "./variable-set/status.ts";
export type { KnownTarget, KnownVariable, VariableSetMemory } from "./variable-set/status.ts";

export const platformVariableSet: Resource<VariableSetSpec, VariableSetMemory> = {
  kind: "PlatformVariableSet",
  plural: "platformvariablesets",
  singular: "platformvariableset",
  shortNames: ["pvars"],
  scope: "Namespaced",
  description: "Environment variables and secrets that are imported into one or several applications.",
  spec,
  memory,
  status,
  rules: [],
  columns: [
    READY,
    {
      name: "Targets",
      type: "string",
      jsonPath: ".status.targetsSynced",
      description: "How many applications have all variables.",
    },
    REASON,
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name"],
};
