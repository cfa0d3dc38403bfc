import { z } from "zod";

import { displayName, externalId, jsonLength, mapOf, variablesOf, matches } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, lockedOnceRecorded, defineResource, wide, SETTINGS } from "../../api/resource.ts";
import { digestField, id, managedStatus, text, time } from "../../api/status.ts";
import {
  deploymentFields,
  ingressField,
  lastDeploymentOf,
  lastFailureOf,
  STATE_SINCE,
  stateFields,
  writtenFields,
  writtenOf,
  placeFields,
} from "../service/crd-status.ts";

const OVERRIDES_LENGTH = 8192;

/** specOverrides belong to the blueprint, so any JSON is allowed. The API server keeps a null, as it is nullable. */
const specOverrides = mapOf(z.unknown(), 64)
  .refine(
    (overrides) => jsonLength(overrides) <= OVERRIDES_LENGTH,
    `must be at most ${OVERRIDES_LENGTH} characters of JSON`,
  )
  .nullable()
  .optional()
  .meta({
    description:
      "Overrides of the blueprint's manifest, sent unchanged, null included, e.g. engine_version, credentials, " +
      "backend, timeout, cpu, ram, storage. The platform only accepts fields that the manifest marks as overridable. " +
      "Terraform and OpenTofu blueprints need engine_version; Helm blueprints ignore engine_version, credentials and " +
      "backend. Cannot be changed once the service exists. kubectl apply drops a null, which means the same to the platform; with --server-side it is sent.",
    "x-kubernetes-preserve-unknown-fields": true,
  });

export const ENGINE_RULE = "spec.allowedEngineVersions needs spec.engine Terraform or OpenTofu";

export const spec = z
  .object({
    ...placeFields("service"),
    name: displayName.describe(
      "Name of the service; unique in the environment, case-insensitive. Cannot be changed once the service exists.",
    ),
    tag: displayName.describe(
      "Tag of the catalog, which names the blueprint and its version, e.g. redis/3.0.0. Cannot be changed once the " +
        "service exists.",
    ),
    icon: matches(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/, 2048, "must be a URI").describe(
      "URI of the service's icon. Cannot be changed once the service exists.",
    ),
    variables: variablesOf(
      displayName.min(1),
      "A variable of the blueprint",
      "Values for variables of the blueprint, each name once. They are sent when the service is created; the platform " +
        "can neither show nor change them later.",
      {},
    ),
    specOverrides,
    engine: z
      .enum(["Helm", "Terraform", "OpenTofu"])
      .optional()
      .describe(
        "Engine of the blueprint, which the operator cannot read from its manifest. If it is set, the operator validates specOverrides before it sends them, and the condition ConfigValid shows which of them the engine ignores. When absent, only the platform validates them.",
      ),
    allowedEngineVersions: z
      .array(z.string().min(1).max(64).describe("A version, e.g. 1.9.8."))
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Versions of the engine that the blueprint's manifest allows; specOverrides.engine_version must be one of them. " +
          "Any is sent when absent. Needs engine Terraform or OpenTofu.",
      )
      .meta({ "x-kubernetes-list-type": "set" }),
    deployOnCreate: z
      .boolean()
      .optional()
      .describe(
        "Whether the service is deployed right after its creation. The operator has no other way to deploy it. Needs a token with the scopes Write and Deploy, or Admin. Some platforms respond to such a creation without an id; if they do not list services either, it ends in CreateResultUnknown. Defaults to " +
          "false, as in the platform's own API. A later change neither deploys nor stops the service. If it is false, the operator no longer reports that others stopped or uninstalled the service; for an adopted service, true has this reported.",
      ),
    externalId: externalId.optional(),
    // No surface deletes or stops the service of a blueprint.
    lifecycle: lifecycleOf(
      ["managementPolicy", "adoptionPolicy", "onMissing", "applyPolicy", "progressDeadline"],
      ["Retain"],
    ),
  })
  .refine(
    ({ engine, allowedEngineVersions }) =>
      allowedEngineVersions === undefined || (engine !== undefined && engine !== "Helm"),
    ENGINE_RULE,
  );

export type BlueprintSpec = z.output<typeof spec>;

const { settings: _settings, retry: _retry, attempts: _attempts, ...deployment } = deploymentFields;
const { state: shownState, stateSince, ...shown } = stateFields("service");

const ids = {
  serviceId: id.describe("Id of the service created from the blueprint; the id of the blueprint itself is externalId."),
};
const facts = {
  catalogUrl: text.describe("URL of the blueprint in the catalog, as returned by the platform."),
  createdAt: time.describe("Time when the operator created it; absent if it was adopted."),
  lastDeployment: lastDeploymentOf(deployment),
  lastFailure: lastFailureOf({}),
  ingress: ingressField("service"),
};
const recorded = {
  written: writtenOf({
    settings: writtenFields.settings,
    variables: digestField("the variables as sent").optional(),
  }),
};

export type BlueprintMemory = z.output<typeof platformBlueprint.memory>;

export const platformBlueprint = defineResource({
  kind: "PlatformBlueprint",
  shortNames: ["pbp"],
  description: "A service that the platform creates from a blueprint of its catalog.",
  spec,
  memory: { state: shownState, stateSince, ...ids, ...facts },
  recorded,
  status: managedStatus(
    {
      state: shownState,
      stateSince,
      ...shown,
      ...ids,
      serviceType: text.optional().describe("Type of the service, in the platform's spelling, e.g. HELM or TERRAFORM."),
      ...facts,
    },
    recorded,
  ),
  rules: [
    lockedOnceRecorded("environmentRef"),
    {
      rule: "!has(self.spec.allowedEngineVersions) || (has(self.spec.engine) && self.spec.engine != 'Helm')",
      message: ENGINE_RULE,
    },
  ],
  columns: managedColumns([
    column("State", ".status.state", "State on the platform, verbatim."),
    STATE_SINCE,
    column("Tag", ".spec.tag", "Tag of the blueprint."),
    wide("Env", ".spec.environmentRef.name", "The environment it is in."),
    wide("Catalog-URL", ".status.catalogUrl", "Where the catalog describes the blueprint."),
    wide("Ingress", ".status.ingress.status", "State of the ingress, verbatim."),
    SETTINGS,
  ]),
  selectableFields: [".spec.connectionRef.name", ".spec.environmentRef.name"],
});
