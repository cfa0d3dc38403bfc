import { AGE, MESSAGE, READY, REASON, REMOTE_ID } from "../../api/columns.ts";
import type { Resource } from "../../api/resource.ts";
import { EXTERNAL_ID_STAYS, lockedOnceRecorded } from "../../api/rules.ts";
import { spec } from "./crd-spec.ts";
import type { ApplicationSpec } from "./crd-spec.ts";
import { memory, status } from "./crd-status.ts";
import type { ApplicationMemory } from "./crd-status.ts";

export type { ApplicationSpec } from "./crd-spec.ts";
export type { ApplicationMemory, LastDeployment } from "./crd-status.ts";

export const platformApplication: Resource<ApplicationSpec, ApplicationMemory> = {
  kind: "PlatformApplication",
  plural: "platformapplications",
  singular: "platformapplication",
  shortNames: ["papp"],
  scope: "Namespaced",
  description: "An application that the platform builds from git and runs in an environment.",
  spec,
  memory,
  status,
  rules: [
    EXTERNAL_ID_STAYS,
    lockedOnceRecorded("environmentRef"),
    {
      rule:
        "!has(self.spec.minRunningInstances) || !has(self.spec.maxRunningInstances) || " +
        "self.spec.minRunningInstances <= self.spec.maxRunningInstances",
      message: "spec.minRunningInstances must not exceed spec.maxRunningInstances",
    },
  ],
  columns: [
    READY,
    { name: "State", type: "string", jsonPath: ".status.state", description: "State on the platform, verbatim." },
    { name: "Commit", type: "string", jsonPath: ".status.commit", description: "Commit of the last deployment." },
    {
      name: "Since",
      type: "date",
      jsonPath: ".status.lastDeployment.startedAt",
      description: "Time since the last deployment was asked for.",
    },
    { name: "Env", type: "string", jsonPath: ".spec.environmentRef.name", description: "The environment it is in." },
    {
      name: "Deployed-At",
      type: "string",
      jsonPath: ".status.lastDeployment.finishedAt",
      description: "When the last deployment ended.",
      priority: 1,
    },
    {
      name: "Ingress",
      type: "string",
      jsonPath: ".status.ingress.status",
      description: "State of the ingress, verbatim.",
      priority: 1,
    },
    REMOTE_ID,
    { ...REASON, priority: 1 },
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
};
