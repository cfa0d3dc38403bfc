import { z } from "zod";

import {
  connectionRef,
  environmentVariableName,
  exactlyOne,
  flag,
  objectName,
  platformValue,
  reference,
  variablesOf,
  matches,
} from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { column, columnsOf, defineResource, DRIFTED } from "../../api/resource.ts";
import { ATOMIC, count, id, managedStatus, text, atomicList } from "../../api/status.ts";
import { owned } from "../variables/owned.ts";

const scope = platformValue.optional();

const nameOf = (source: string) =>
  z
    .object({ name: objectName.describe(`Name of the ${source} in the same namespace.`) })
    .optional()
    .describe(`Takes every key of a ${source}.`);

const source = exactlyOne(
  ["secretRef", "configMapRef"],
  {
    secretRef: nameOf("Secret"),
    configMapRef: nameOf("ConfigMap"),
    prefix: matches(/^[A-Za-z_][A-Za-z0-9_]*$/, 128, "must be the beginning of a variable's name")
      .optional()
      .describe("Prefix of the variables' names."),
    secret: z
      .boolean()
      .optional()
      .describe("Whether the platform keeps the values as secrets. Defaults to true for a Secret, else to false."),
    scope: scope.describe("Scope of these variables in the platform's spelling. Defaults to spec.scope."),
  },
  "A whole Secret or ConfigMap: exactly one of secretRef and configMapRef. The Secrets that a single value may not come from are refused here as well.",
);

const target = z
  .object({ applicationRef: reference("PlatformApplication", "An application.") })
  .describe("An application that gets the variables.");

type Target = z.output<typeof target>;

const isTwice = (targets: readonly Target[]): boolean =>
  new Set(targets.map(({ applicationRef: { name, externalId } }) => JSON.stringify([name, externalId]))).size <
  targets.length;

const spec = z.object({
  connectionRef: connectionRef
    .optional()
    .describe(
      "Connection to the platform. Defaults to that of the first target's resource, else to the PlatformConnection " +
        "named default in this namespace, else to the ClusterPlatformConnection named default. All targets must use it.",
    ),
  targets: z
    .array(target)
    .min(1)
    .max(32)
    .refine((targets) => !isTwice(targets), "must not name an application twice")
    .describe(
      "Applications, without duplicates. An application that does not exist yet does not delay the others. A set has at " +
        "most 256 variables, those of whole Secrets and ConfigMaps included, and variables times applications is at most 1024.",
    )
    .meta(ATOMIC),
  overwrite: flag(
    false,
    "Whether to replace variables of the same name that this set did not write; they are then the set's own. Some platforms cannot replace a secret by an import; the operator then uses the update of secrets if the platform has it.",
  ),
  scope: scope.describe(
    "Scope that the variables are imported in, in the platform's spelling, e.g. APPLICATION. When absent, APPLICATION is " +
      "sent on the full surface, which requires one, and none on the documented.",
  ),
  variables: variablesOf(
    environmentVariableName,
    "An environment variable",
    "Variables, with unique names. A variable that is removed here is also removed from the applications if this set wrote it and the platform can remove variables.",
    {
      scope: scope.describe("Scope of this variable in the platform's spelling. Defaults to spec.scope."),
    },
  ),
  variablesFrom: z
    .array(source)
    .max(16)
    .default([])
    .describe(
      "Whole Secrets and ConfigMaps. If two contain the same key, the later one wins; spec.variables overrides both. Keys that cannot be names of variables are skipped and listed in the status.",
    )
    .meta(ATOMIC),
  lifecycle: lifecycleOf(["managementPolicy", "driftPolicy", "applyPolicy"], ["Retain", "Delete"]).describe(
    "What the operator may do in the applications, and when. Delete only removes the variables that this set wrote. A connection can set defaults.",
  ),
});

export type VariableSetSpec = z.output<typeof spec>;

/** The largest number of names in a list of a status. */
export const MAX_NAMES = 256;
/** The targets of the spec, and as many that were removed from it but still hold something of the set. */
export const MAX_TARGETS = 64;

const key = z.string().max(255);
const names = (description: string) => atomicList(key.describe("Name of a variable."), MAX_NAMES, description);

const knownTarget = z
  .object({
    applicationId: id.describe("Id of the application on the platform."),
    name: text.optional().describe("Name of its PlatformApplication."),
    total: count.optional().describe("Number of variables of the set for it."),
    imported: count.optional().describe("Number of variables in place."),
    failed: names(
      "Variables that are not in place: the platform did not accept them, or has one of the same name that may not or cannot be replaced.",
    ),
    left: names("Variables that are no longer in the set and that the platform's surface cannot remove."),
  })
  .describe("An application, and the set's variables in it.");

const ownedIn = owned
  .extend({ applicationId: id.describe("Id of the application on the platform.") })
  .describe("What the set wrote into an application.");

const recorded = {
  owned: atomicList(ownedIn, MAX_TARGETS, "Variables that the set wrote, by application, without their values."),
};

export type VariableSetMemory = z.output<typeof platformVariableSet.memory>;
export type KnownTarget = z.output<typeof knownTarget>;

const status = managedStatus(
  {
    targets: atomicList(
      knownTarget,
      MAX_TARGETS,
      "Applications of the spec, and those removed from the spec that still have variables of the set.",
    ),
    targetsSynced: text.optional().describe("Number of applications that have all variables, e.g. 2/3."),
    skippedKeys: atomicList(
      text.describe("Source and key."),
      MAX_NAMES,
      "Keys of whole Secrets and ConfigMaps that cannot be names of variables.",
    ),
  },
  recorded,
);

export const platformVariableSet = defineResource({
  kind: "PlatformVariableSet",
  lifecycle: "Fields",
  shortNames: ["pvars"],
  description: "Environment variables and secrets that are imported into one or several applications.",
  spec,
  memory: { targets: z.array(knownTarget).max(MAX_TARGETS) },
  recorded,
  status,
  columns: columnsOf([
    column("Targets", ".status.targetsSynced", "How many applications have all variables."),
    DRIFTED,
  ]),
});
