/**
 * Schemas that several specs share. Defaults apply when parsing only: the generator leaves them out of the CRDs, so
 * that the stored object stays as its owner wrote it, and adds them to the description.
 */
import { z } from "zod";

/** A UUID in its lower-case form (RFC 9562 §4). */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reports whether the text is a UUID in its lower-case form, as the CRDs' pattern requires. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The member of a schema's metadata that holds the CEL rules of the CRD. */
const VALIDATIONS = "x-kubernetes-validations";

/**
 * A text of at most `max` characters that matches a pattern.
 * @param message the error message of the parser, and of the CEL rule that the CRD has for the pattern
 */
export function matches(pattern: RegExp, max: number, message: string): z.ZodString {
  return z
    .string()
    .max(max)
    .regex(pattern, message)
    .meta({ [VALIDATIONS]: [{ rule: matching(pattern), message }] });
}

function matching({ source }: RegExp): string {
  return `self.matches(r'${source}')`;
}

/** An id of the platform. The pattern is stricter than Kubernetes' `uuid` format, which allows upper case. */
export const uuid = matches(UUID, 36, "must be a lower-case UUID");

/** The name of an object of Kubernetes (DNS-1123 subdomain). */
export const objectName = matches(/^[a-z0-9]+((-+|\.)[a-z0-9]+)*$/, 253, "must be the name of a Kubernetes object");

/** A key of a Secret or a ConfigMap. */
const dataKey = matches(/^[-._a-zA-Z0-9]+$/, 253, "must be a key of a Secret or ConfigMap").min(1);

/** A display name on the platform: no line breaks, no blanks at the ends. */
export const displayName = matches(
  /^\S(.*\S)?$/,
  255,
  "must not be empty, contain line breaks, or begin or end with a blank",
);

/** A value in the platform's own spelling; not an enum, because the platform's specification shows only examples. */
export const platformValue = matches(
  /^[A-Z][A-Z0-9_]*$/,
  64,
  "must be in the platform's spelling, in capitals, e.g. PRODUCTION",
);

/** A value in the platform's own spelling that is not in capitals. */
export const platformText = matches(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 64, "must be letters, digits, dots, _ and -");

const COMMIT = /^[0-9a-f]{7,64}$/;
const HEX = "must be 7 to 64 hex digits in lower case";

/**
 * A git commit. YAML reads 1234567 without quotes as a number. The CRD therefore accepts numbers by their type and
 * rejects them by a rule, whose message asks for the quotes.
 */
export const commitField = matches(COMMIT, 64, HEX).meta({
  "x-kubernetes-int-or-string": true,
  [VALIDATIONS]: [
    {
      rule: "type(self) == string",
      message: 'must be in quotes, as YAML reads digits as a number: quote it, e.g. "1234567"',
    },
    { rule: `type(self) != string || ${matching(COMMIT)}`, message: HEX },
  ],
});

/** A boolean member. @param usual its default */
export function flag(usual: boolean, description: string) {
  return z.boolean().default(usual).describe(`${description} Defaults to ${usual}.`);
}

/** An enum member. @param usual its default */
export function choice<const Value extends string>(values: readonly Value[], usual: Value, description: string) {
  return z
    .enum(values)
    .default(() => usual)
    .describe(`${description} Defaults to ${usual}.`);
}

/** A whole number within bounds. */
export function integer(min: number, max: number): z.ZodInt {
  return z.int().min(min).max(max);
}

/** A map with at most `max` entries. @param value the schema of the values. */
export function mapOf<Value extends z.ZodType>(value: Value, max: number): z.ZodRecord<z.ZodString, Value> {
  return z
    .record(z.string(), value)
    .refine((entries) => Object.keys(entries).length <= max, `must have at most ${max} entries`)
    .meta({ maxProperties: max });
}

export const labelValue = matches(/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/, 63, "must be the value of a label");

/** Returns the labels and annotations of an output. @param kind of the output */
export function outputMetadata(kind: "Secret" | "ConfigMap") {
  const annotation = z.string().max(4_096).describe("Value of the annotation.");
  return z
    .object({
      labels: mapOf(labelValue.describe("Value of the label."), 16).optional().describe(`Labels of the ${kind}.`),
      annotations: mapOf(annotation, 16).optional().describe(`Annotations of the ${kind}.`),
    })
    .optional()
    .describe(
      `Labels and annotations that the operator sets on the ${kind}, and removes again once they leave the spec. Those of others stay.`,
    );
}

/**
 * Returns the length of a value as JSON, in characters, to bound a pass-through field that the API server cannot bound.
 * @returns infinity where the value is nested more deeply than the stack allows
 */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Returns the schema of an object in which exactly one of two members must be set. The API server and the parser check
 * it.
 * @param shape its members
 */
export function exactlyOne<Shape extends z.ZodRawShape>(
  [left, right]: readonly [keyof Shape & string, keyof Shape & string],
  shape: Shape,
  description: string,
) {
  const message = `exactly one of ${left} and ${right} must be set`;
  const has = (object: object, name: string) => Reflect.get(object, name) !== undefined;
  return z
    .object(shape)
    .refine((object) => has(object, left) !== has(object, right), message)
    .meta({ description, [VALIDATIONS]: [{ rule: `has(self.${left}) != has(self.${right})`, message }] });
}

/**
 * Returns the schema of a reference to another custom resource in the same namespace, or to an object of the platform.
 */
export function reference(kind: string, description: string) {
  return exactlyOne(
    ["name", "externalId"],
    {
      name: objectName.optional().describe(`Name of a ${kind} in the same namespace.`),
      externalId: uuid.optional().describe("Id on the platform, for an object that no custom resource describes."),
    },
    `${description} Exactly one of name and externalId.`,
  );
}

export const connectionRef = z
  .object({
    kind: choice(["PlatformConnection", "ClusterPlatformConnection"], "PlatformConnection", "Kind of the connection."),
    name: objectName.describe("Name of the connection; a PlatformConnection is in the same namespace."),
  })
  .describe(
    "Connection to the platform. Defaults to the parent's, then to the PlatformConnection named default in this namespace, then to the ClusterPlatformConnection named default. It must not differ from the parent's.",
  );

export const externalId = uuid.describe(
  "Id of an existing object on the platform to adopt. Cannot be changed or removed once set.",
);

const keyOf = (source: string) =>
  z
    .object({
      name: objectName.describe(`Name of the ${source} in the same namespace.`),
      key: dataKey.describe(`Key in the ${source}.`),
    })
    .describe(`A key of a ${source}.`);

/** Returns the schema of a reference to one key of a Secret; the key defaults to "token". */
export function secretRef(description: string) {
  return keyRef("Secret", "token", description);
}

/** Returns the schema of a reference to one key of a Secret or ConfigMap. @param usual the default of the key */
export function keyRef(source: "Secret" | "ConfigMap", usual: string, description: string) {
  return z
    .object({
      name: objectName.describe(`Name of the ${source}.`),
      key: dataKey.default(usual).describe(`Key in the ${source}. Defaults to ${usual}.`),
    })
    .describe(description);
}

/** The source of a value: a key of a Secret or of a ConfigMap. */
export const valueFrom = exactlyOne(
  ["secretKeyRef", "configMapKeyRef"],
  { secretKeyRef: keyOf("Secret").optional(), configMapKeyRef: keyOf("ConfigMap").optional() },
  "Takes the value, which must be UTF-8 text, from a Secret or a ConfigMap of the same namespace. A Secret that a connection uses, one of the types kubernetes.io/service-account-token, bootstrap.kubernetes.io/token and helm.sh/release.v1, and one outside of the connection's allowedSecrets are refused.",
);

export type ValueFrom = z.output<typeof valueFrom>;

/** A text, or the source of one. */
export const valueOrSource = {
  value: z.string().max(32768).optional().describe("The value. It is not protected here: use valueFrom for a secret."),
  valueFrom: valueFrom.optional(),
};

/** The name of an environment variable. */
export const environmentVariableName = matches(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  255,
  "must be the name of an environment variable",
);

/**
 * Returns the schema of a list of variables, each with a value or the source of a value.
 * @param what the noun for one of them in descriptions, e.g. "An environment variable"
 * @param more further members of each variable, if any
 */
export function variablesOf<More extends z.ZodRawShape>(
  name: z.ZodString,
  what: string,
  description: string,
  more: More,
) {
  const shape = {
    name: name.describe("Name of the variable."),
    ...valueOrSource,
    secret: z
      .boolean()
      .optional()
      .describe(
        "Whether the platform keeps the value as a secret. Defaults to true for a value from a Secret, else to false.",
      ),
    ...more,
  };
  return z
    .array(exactlyOne(["value", "valueFrom"], shape, `${what}: exactly one of value and valueFrom.`))
    .max(256)
    .default([])
    .describe(description)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] });
}

/** The parameters that narrow a catalog to a cluster; the platform's list operation takes both or none. */
export const clusterContext = z
  .object({
    mode: platformValue.describe("Cluster mode in the platform's spelling, e.g. CUSTOMER_MANAGED."),
    provider: platformValue.describe("Cloud provider in the platform's spelling, e.g. AWS."),
  })
  .describe(
    "Mode and provider of the cluster, both or none, which restrict what a template allows. Without restriction when absent.",
  );
