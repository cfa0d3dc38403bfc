import { AGE, MESSAGE, READY, REASON } from "../../api/columns.ts";
import type { Resource } from "../../api/resource.ts";
import { FIELDS_OF_TYPES, spec, type OperationSpec } from "./crd-spec.ts";
import { memory, status, type OperationMemory } from "./crd-status.ts";

export type { OperationSpec, OperationType } from "./crd-spec.ts";
export type { OperationMemory, Outcome } from "./crd-status.ts";

export const platformOperation: Resource<OperationSpec, OperationMemory> = {
  kind: "PlatformOperation",
  plural: "platformoperations",
  singular: "platformoperation",
  shortNames: ["pop"],
  scope: "Namespaced",
  description: "One action on the platform that is carried out once, like a Job: it ends Complete, Failed or Unknown.",
  spec,
  memory,
  status,
  rules: [
    {
      rule: "self.spec == oldSelf.spec",
      message: "spec cannot be changed: it is one action. Create another PlatformOperation",
    },
    ...FIELDS_OF_TYPES,
  ],
  columns: [
    READY,
    { name: "Type", type: "string", jsonPath: ".spec.type", description: "What is done." },
    { name: "Result", type: "string", jsonPath: ".status.outcome.result", description: "How it ended." },
    REASON,
    { name: "Ended", type: "date", jsonPath: ".status.outcome.at", description: "Time since its end." },
    {
      name: "State",
      type: "string",
      jsonPath: ".status.request.state",
      description: "State on the platform, verbatim.",
      priority: 1,
    },
    {
      name: "Target-ID",
      type: "string",
      jsonPath: ".status.targetId",
      description: "Id on the platform of what is acted upon.",
      priority: 1,
    },
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name", ".spec.type"],
};
