import { z } from "zod";

import { connectionRef, displayName, externalId, jsonLength, mapOf, reference } from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { variableOf } from "../../api/variables.ts";

const OVERRIDES_LENGTH = 8192;

/** What stands in specOverrides is the blueprint's, so any JSON does. The API server keeps a null that is nullable. */
const specOverrides = mapOf(z.unknown(), 64)
  .refine(
    (overrides) => jsonLength(overrides) <= OVERRIDES_LENGTH,
    `must be at most ${OVERRIDES_LENGTH} characters of JSON`,
  )
  .nullable()
  .optional()
  .meta({
    description:
      "Overrides over the blueprint's manifest, sent as they are, null included, e.g. engine_version, credentials, " +
      "backend, timeout, cpu, ram, storage. The platform accepts fields only that the manifest marks as overridable. " +
      "Terraform and OpenTofu blueprints need engine_version; Helm blueprints ignore engine_version, credentials and " +
      "backend. Cannot be changed once the service exists. kubectl apply leaves a null out, which means the same to the " +
      "platform; with --server-side it is sent.",
    "x-kubernetes-preserve-unknown-fields": true,
  });

const variable = variableOf(
  z
    .string()
    .min(1)
    .max(255)
    .regex(/^\S(.*\S)?$/, "must not be empty, nor begin or end with a blank"),
  "A variable of the blueprint",
  {},
);

export const ENGINE_RULE = "spec.allowedEngineVersions needs spec.engine Terraform or OpenTofu";

export const spec = z
  .object({
    connectionRef: connectionRef.optional(),
    environmentRef: reference(
      "PlatformEnvironment",
      "Environment that the service is in. Cannot be changed once it exists.",
    ),
    name: displayName.describe("Name of the service; unique in the environment, whatever the case."),
    tag: displayName.describe(
      "Tag of the catalogue, which names the blueprint and its version, e.g. redis/3.0.0. Cannot be changed once the " +
        "service exists.",
    ),
    icon: z
      .string()
      .max(2048)
      .regex(/^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$/, "must be a URI")
      .describe("URI of the service's icon."),
    variables: z
      .array(variable)
      .max(256)
      .default([])
      .describe(
        "Values for variables of the blueprint, each name once. They are sent when the service is created; the platform " +
          "can neither show nor change them later.",
      )
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    specOverrides,
    engine: z
      .enum(["Helm", "Terraform", "OpenTofu"])
      .optional()
      .describe(
        "What runs the blueprint. The operator does not see its manifest: said here, specOverrides are checked before " +
          "anything is sent, and the condition ConfigValid tells what the engine ignores. When absent, the platform " +
          "alone judges them.",
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
        "Whether the service is deployed right after it was created. The operator has no other way to deploy it, so " +
          "this is the one time. Needs a token with the scopes Write and Deploy, or Admin. Some platforms answer such a " +
          "creation without an id; where they do not list services either, it ends in CreateResultUnknown. Defaults to " +
          "false, as in the platform's own API. A service that exists keeps the choice that it was created with; false " +
          "then leaves to others whether it runs.",
      ),
    externalId: externalId.optional(),
    // No surface deletes or stops what a blueprint became.
    lifecycle: lifecycleOf(
      ["managementPolicy", "adoptionPolicy", "onMissing", "applyPolicy", "syncWindows", "progressDeadline"],
      ["Retain"],
    ),
  })
  .refine(
    ({ engine, allowedEngineVersions }) =>
      allowedEngineVersions === undefined || (engine !== undefined && engine !== "Helm"),
    ENGINE_RULE,
  );

export type BlueprintSpec = z.output<typeof spec>;
