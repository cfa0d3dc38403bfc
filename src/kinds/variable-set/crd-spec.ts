import { z } from "zod";

import {
  connectionRef,
  environmentVariableName,
  exactlyOne,
  objectName,
  platformValue,
  reference,
  variableOf,
} from "../../api/fields.ts";
import { lifecycleOf } from "../../api/lifecycle.ts";
import { ATOMIC } from "../../api/status.ts";

const scope = platformValue.optional();

const variable = variableOf(environmentVariableName, "An environment variable", {
  scope: scope.describe("Scope of this variable in the platform's spelling. Defaults to spec.scope."),
});

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
    prefix: z
      .string()
      .max(128)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the beginning of a variable's name")
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

export const spec = z.object({
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
  overwrite: z
    .boolean()
    .default(false)
    .describe(
      "Whether variables of the same name that this set did not create are replaced. Some platforms replace no secret by " +
        "an import: where the platform has an update of secrets, that is used. Defaults to false.",
    ),
  scope: scope.describe(
    "Scope that the variables are imported in, in the platform's spelling, e.g. APPLICATION. When absent, APPLICATION is " +
      "sent on the full surface, which requires one, and none on the documented.",
  ),
  variables: z
    .array(variable)
    .max(256)
    .default([])
    .describe("Variables, each name once. One that is taken out is removed again where this set created it.")
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
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
