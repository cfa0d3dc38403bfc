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
import { column, columnsOf, defineResource } from "../../api/resource.ts";
import { ATOMIC, count, fingerprint, id, livingStatus, text, atomicList } from "../../api/status.ts";

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
      .describe("Put before each key to make the name of its variable."),
    secret: z
      .boolean()
      .optional()
      .describe("Whether the platform keeps the values as secrets. Defaults to true for a Secret, else to false."),
    scope: scope.describe("Scope of these variables in the platform's spelling. Defaults to spec.scope."),
  },
  "A whole Secret or ConfigMap: exactly one of secretRef and configMapRef.",
);

const target = z
  .object({ applicationRef: reference("PlatformApplication", "An application.") })
  .describe("Where the variables go.");

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
    .describe("The applications, each once. One that does not exist yet does not hold up the others.")
    .meta(ATOMIC),
  overwrite: flag(
    false,
    "Whether variables of the same name that this set did not create are replaced. Some platforms replace no secret by " +
      "an import: where the platform has an update of secrets, that is used.",
  ),
  scope: scope.describe(
    "Scope that the variables are imported in, in the platform's spelling, e.g. APPLICATION. When absent, APPLICATION is " +
      "sent on the full surface, which requires one, and none on the documented.",
  ),
  variables: variablesOf(
    environmentVariableName,
    "An environment variable",
    "Variables, each name once. One that is taken out is removed again where this set created it.",
    {
      scope: scope.describe("Scope of this variable in the platform's spelling. Defaults to spec.scope."),
    },
  ),
  variablesFrom: z
    .array(source)
    .max(16)
    .default([])
    .describe(
      "Whole Secrets and ConfigMaps. Of two with the same key the later one counts, and spec.variables before both. " +
        "Keys that cannot be names of variables are left out and listed in the status.",
    )
    .meta(ATOMIC),
  lifecycle: lifecycleOf(
    ["managementPolicy", "driftPolicy", "applyPolicy", "syncWindows"],
    ["Retain", "Delete"],
  ).describe(
    "What the operator may do in the applications, and when. Delete removes the variables that this set created, by their " +
      "ids, and no others. A connection can set defaults.",
  ),
});

export type VariableSetSpec = z.output<typeof spec>;

/** The largest number of names in a list of a status. */
export const MAX_NAMES = 256;
/** The largest number of entries of these names: one in each of four scopes. */
export const MAX_NAMESAKES = 4 * MAX_NAMES;
/** The targets of the spec, and as many that were removed from it but still hold something of the set. */
export const MAX_TARGETS = 64;

const key = z.string().max(255);
const names = (description: string) => atomicList(key.describe("Name of a variable."), MAX_NAMES, description);

const knownVariable = z
  .object({
    key: key.describe("Name of the variable."),
    id: id.optional().describe("Id of the entry on the platform, once it was read back."),
    created: z
      .literal(true)
      .optional()
      .describe("Present where the operator created the entry: only such are removed."),
    digest: text.optional().describe("Stands for the value that was imported; absent while it is not in place."),
    sent: text.optional().describe("Stands for the value of an import whose result was not read back yet."),
    failed: z.literal(true).optional().describe("Present where it was sent and the platform did not take it over."),
    updatedAt: text.optional().describe("When the platform says that the entry was last changed by the operator."),
  })
  .describe("A variable of the set.");

const secretKey = z
  .object({
    key: key.describe("Name of the secret."),
    id: id.describe("Id of the secret on the platform."),
    updatedAt: text.optional().describe("When it was last changed, as the platform says."),
  })
  .describe("A secret of the set, without its value.");

const knownTarget = z
  .object({
    applicationId: id.describe("Id of the application on the platform."),
    name: text.optional().describe("Name of its PlatformApplication."),
    total: count.optional().describe("How many variables the set has for it."),
    imported: count.optional().describe("How many of them are in place."),
    failed: names("Those that the platform did not take over."),
    secretKeys: atomicList(secretKey, MAX_NAMES, "Those that are secrets."),
    unprunableKeys: names(
      "Variables that are not in the set any more and cannot be removed, as the platform's surface has no deletion.",
    ),
    variables: atomicList(knownVariable, 2 * MAX_NAMES, "What the operator knows of each variable."),
    before: atomicList(
      id.describe("Id of a variable."),
      MAX_NAMESAKES,
      "Entries of these names that were there before an import whose result was not read back yet.",
    ),
    sentAt: text.optional().describe("The platform's time of the last import."),
    writtenAt: text
      .optional()
      .describe("The platform's time of the last write; an application that is deployed automatically is, after it."),
    written: fingerprint.optional().describe("Stands for all variables as they were last sent."),
    attempts: count.optional().describe("How often they were sent like that."),
  })
  .describe("An application, and what the set has in it.");

export type VariableSetMemory = z.output<typeof platformVariableSet.memory>;
export type KnownTarget = z.output<typeof knownTarget>;
export type KnownVariable = z.output<typeof knownVariable>;

const status = livingStatus({
  targets: atomicList(
    knownTarget,
    MAX_TARGETS,
    "The applications, and those that were taken out of the spec but still hold variables of the set.",
  ),
  targetsSynced: text.optional().describe("How many applications have all variables, e.g. 2/3."),
  skippedKeys: atomicList(
    text.describe("Source and key."),
    MAX_NAMES,
    "Keys of whole Secrets and ConfigMaps that cannot be names of variables.",
  ),
});

export const platformVariableSet = defineResource({
  kind: "PlatformVariableSet",
  shortNames: ["pvars"],
  description: "Environment variables and secrets that are imported into one or several applications.",
  spec,
  memory: { targets: z.array(knownTarget).max(MAX_TARGETS) },
  status,
  columns: columnsOf([column("Targets", ".status.targetsSynced", "How many applications have all variables.")]),
});
