import { z } from "zod";

import { displayName, externalId, jsonLength, mapOf, variablesOf, matches } from "../../api/fields.ts";
import { DEPLOYED, lifecycleOf } from "../../api/lifecycle.ts";
import { column, managedColumns, lockedOnceRecorded, defineResource, wide, SETTINGS } from "../../api/resource.ts";
import { atomicList, digestField, id, lastHandledRedeployAt, managedStatus, text, time } from "../../api/status.ts";
import {
  deploymentFields,
  ingressField,
  lastDeploymentOf,
  lastFailureOf,
  recordedFields,
  runStateFields,
  STATE_SINCE,
  stateFields,
  writtenFields,
  writtenOf,
  placeFields,
} from "../service/crd-status.ts";

const OVERRIDES_LENGTH = 8192;

const CHANGED = "Once the service exists, it can only be changed on a platform with its whole API.";

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
      `backend. ${CHANGED} A member that leaves them is removed there. kubectl apply drops a null, which means the same to the platform; with --server-side it is sent.`,
    "x-kubernetes-preserve-unknown-fields": true,
  });

const OBJECTS_LENGTH = 8192;

/** The specification shows no member of a variable, so any object is allowed. */
const variableObjects = z
  .array(
    mapOf(z.unknown(), 64)
      .meta({ "x-kubernetes-preserve-unknown-fields": true })
      .describe("A variable, sent unchanged."),
  )
  .max(64)
  .refine((objects) => jsonLength(objects) <= OBJECTS_LENGTH, `must be at most ${OBJECTS_LENGTH} characters of JSON`)
  .optional()
  .describe(
    `Variables of the blueprint as objects of any shape, sent unchanged after those of spec.variables, for members that spec.variables does not have. Their values are readable in this object; take secrets from a Secret with spec.variables. ${CHANGED} An update is only possible if each object has a name.`,
  )
  .meta({ "x-kubernetes-list-type": "atomic" });

export const ENGINE_RULE = "spec.allowedEngineVersions needs spec.engine Terraform or OpenTofu";

export const spec = z
  .object({
    ...placeFields("service"),
    name: displayName.describe(`Name of the service; unique in the environment, case-insensitive. ${CHANGED}`),
    tag: displayName.describe(
      `Tag of the catalog, which names the blueprint and its version, e.g. redis/3.0.0. ${CHANGED}`,
    ),
    icon: matches(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/, 2048, "must be a URI").describe(
      `URI of the service's icon. ${CHANGED}`,
    ),
    variables: variablesOf(
      displayName.min(1),
      "A variable of the blueprint",
      `Values for variables of the blueprint, each name once, sent as {name, value, is_secret}. The platform does not show them. ${CHANGED} A variable that leaves them is removed there.`,
      {},
    ),
    variableObjects,
    specOverrides,
    engine: z
      .enum(["Helm", "Terraform", "OpenTofu"])
      .optional()
      .describe(
        "Engine of the blueprint: no operation of the platform that the operator uses shows its manifest. If it is set, the operator validates specOverrides before it sends them, and the condition ConfigValid shows which of them the engine ignores. When absent, only the platform validates them; where it lists the service, its type says whether it is a Helm chart, for that condition.",
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
        "Whether the service is deployed right after its creation. Needs a token with the scopes Write and Deploy, or Admin. Some platforms respond to such a creation without an id; if they do not list services either, it ends in CreateResultUnknown. Defaults to " +
          "false, as in the platform's own API. A later change of it neither deploys nor stops the service. If it is false, the operator no longer reports that others stopped or uninstalled the service; for an adopted service, true has this reported. On a platform with its whole API, changes of a service that runs are deployed whatever this says, and the annotation platform-operator.io/redeploy-requested-at deploys it at any time.",
      ),
    externalId: externalId.optional(),
    lifecycle: lifecycleOf(DEPLOYED, ["Retain", "Delete", "Stop"]),
  })
  .refine(
    ({ engine, allowedEngineVersions }) =>
      allowedEngineVersions === undefined || (engine !== undefined && engine !== "Helm"),
    ENGINE_RULE,
  );

export type BlueprintSpec = z.output<typeof spec>;

const { state: shownState, stateSince, ...shown } = stateFields("service");

const ids = {
  serviceId: id.describe("Id of the service created from the blueprint; the id of the blueprint itself is externalId."),
};
const facts = {
  catalogUrl: text.describe("URL of the blueprint in the catalog, as returned by the platform."),
  createdAt: time.describe("Time when the operator created it; absent if it was adopted."),
  lastDeployment: lastDeploymentOf(deploymentFields),
  lastFailure: lastFailureOf({}),
  lastHandledRedeployAt,
  runState: runStateFields.runState,
  ingress: ingressField("service"),
};
const recorded = {
  written: writtenOf({
    settings: writtenFields.settings,
    revision: writtenFields.revision,
    variables: digestField("the variables as sent").optional(),
    variableNames: atomicList(text.describe("A name."), 320, "Names of the variables that were sent."),
  }),
  stopping: recordedFields.stopping,
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
