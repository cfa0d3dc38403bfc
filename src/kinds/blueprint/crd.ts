import { AGE, MESSAGE, READY, REASON, REMOTE_ID } from "../../api/columns.ts";
import type { Resource } from "../../api/resource.ts";
import { EXTERNAL_ID_STAYS, lockedOnceRecorded } from "../../api/rules.ts";
import { ENGINE_RULE, spec, type BlueprintSpec } from "./crd-spec.ts";
import { memory, status, type BlueprintMemory } from "./crd-status.ts";

export type { BlueprintSpec } from "./crd-spec.ts";
export type { BlueprintMemory } from "./crd-status.ts";

export const platformBlueprint: Resource<BlueprintSpec, BlueprintMemory> = {
  kind: "PlatformBlueprint",
  plural: "platformblueprints",
  singular: "platformblueprint",
  shortNames: ["pbp"],
  scope: "Namespaced",
  description: "A service that the platform makes of a blueprint of its catalogue.",
  spec,
  memory,
  status,
  rules: [
    EXTERNAL_ID_STAYS,
    lockedOnceRecorded("environmentRef"),
    {
      rule: "!has(self.spec.allowedEngineVersions) || (has(self.spec.engine) && self.spec.engine != 'Helm')",
      message: ENGINE_RULE,
    },
  ],
  columns: [
    READY,
    { name: "State", type: "string", jsonPath: ".status.state", description: "State on the platform, verbatim." },
    { name: "Tag", type: "string", jsonPath: ".spec.tag", description: "Tag of the blueprint." },
    { name: "Env", type: "string", jsonPath: ".spec.environmentRef.name", description: "The environment it is in." },
    {
      name: "Catalog-URL",
      type: "string",
      jsonPath: ".status.catalogUrl",
      description: "Where the catalogue describes the blueprint.",
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
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name"],
};
