import { AGE, MESSAGE, READY, REASON, REMOTE_ID } from "../../api/columns.ts";
import type { Resource } from "../../api/resource.ts";
import { EXTERNAL_ID_STAYS, lockedOnceRecorded } from "../../api/rules.ts";
import { spec } from "./crd-spec.ts";
import type { DatabaseSpec } from "./crd-spec.ts";
import { memory, status } from "./crd-status.ts";
import type { DatabaseMemory } from "./crd-status.ts";

export type { DatabaseSpec } from "./crd-spec.ts";
export type { DatabaseDeployment, DatabaseMemory } from "./crd-status.ts";

export const platformDatabase: Resource<DatabaseSpec, DatabaseMemory> = {
  kind: "PlatformDatabase",
  plural: "platformdatabases",
  singular: "platformdatabase",
  shortNames: ["pdbase"],
  scope: "Namespaced",
  description: "A database that the platform runs in an environment.",
  spec,
  memory,
  status,
  rules: [
    EXTERNAL_ID_STAYS,
    lockedOnceRecorded("environmentRef"),
    lockedOnceRecorded("type"),
    lockedOnceRecorded("mode"),
  ],
  columns: [
    READY,
    { name: "State", type: "string", jsonPath: ".status.state", description: "State on the platform, verbatim." },
    { name: "Type", type: "string", jsonPath: ".spec.type", description: "Type in the platform's spelling." },
    { name: "Version", type: "string", jsonPath: ".spec.version", description: "Version that is wanted." },
    {
      name: "Since",
      type: "date",
      jsonPath: ".status.lastDeployment.startedAt",
      description: "Time since the last deployment was asked for.",
    },
    {
      name: "Mode",
      type: "string",
      jsonPath: ".spec.mode",
      description: "Mode in the platform's spelling.",
      priority: 1,
    },
    {
      name: "Env",
      type: "string",
      jsonPath: ".spec.environmentRef.name",
      description: "The environment it is in.",
      priority: 1,
    },
    REMOTE_ID,
    { ...REASON, priority: 1 },
    MESSAGE,
    AGE,
  ],
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name", ".spec.runState"],
};
