/**
 * Schemas that several specs share. Defaults apply when parsing only: the generator leaves them out of the CRDs, so
 * that the stored object stays as its owner wrote it, and adds them to the description.
 */
import { z } from "zod";

import { UUID } from "./ids.ts";

/** Kubernetes copies this member of the metadata into the CRD as CEL rules. */
const VALIDATIONS = "x-kubernetes-validations";

/** An id of the platform. The pattern is stricter than Kubernetes' `uuid` format, which allows upper case. */
export const uuid = z.string().max(36).regex(UUID, "must be a lower-case UUID");

/** The name of an object of Kubernetes (DNS-1123 subdomain). */
export const objectName = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    "must be the name of a Kubernetes object",
  );

/** A key of a Secret or a ConfigMap. */
export const dataKey = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[-._a-zA-Z0-9]+$/, "must be a key of a Secret or ConfigMap");

/** A display name on the platform: no line breaks, no blanks at the ends. */
export const displayName = z
  .string()
  .max(255)
  .regex(/^\S(.*\S)?$/, "must not be empty, nor begin or end with a blank");

/** A value in the platform's own spelling; open, because the spec shows only examples. */
export const platformValue = z
  .string()
  .max(64)
  .regex(/^[A-Z][A-Z0-9_]*$/, "must be in the platform's spelling, e.g. PRODUCTION");

/** A commit of git. */
export const commit = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{7,64}$/, "must be 7 to 64 hex digits in lower case");

/** A map with at most `max` entries. @param value the schema of the values. */
export function mapOf<Value extends z.ZodType>(value: Value, max: number): z.ZodRecord<z.ZodString, Value> {
  return z
    .record(z.string(), value)
    .refine((entries) => Object.keys(entries).length <= max, `must have at most ${max} entries`)
    .meta({ maxProperties: max });
}

/**
 * Returns the length of a value as JSON, in characters, to bound a pass-through field that the API server cannot bound.
 * @returns infinity where the value is nested more deeply than the stack allows (docs/reliability.md E5)
 */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** A reference to another custom resource of the same namespace, or to an object of the platform: exactly one. */
export function reference(kind: string, description: string) {
  return z
    .object({
      name: objectName.optional().describe(`Name of a ${kind} in the same namespace.`),
      externalId: uuid.optional().describe("Id on the platform, for an object that no custom resource describes."),
    })
    .refine((ref) => (ref.name === undefined) !== (ref.externalId === undefined), EXACTLY_ONE_REFERENCE)
    .meta({
      description: `${description} Exactly one of name and externalId.`,
      [VALIDATIONS]: [{ rule: "has(self.name) != has(self.externalId)", message: EXACTLY_ONE_REFERENCE }],
    });
}
const EXACTLY_ONE_REFERENCE = "exactly one of name and externalId must be set";

export const connectionRef = z
  .object({
    kind: z
      .enum(["PlatformConnection", "ClusterPlatformConnection"])
      .default("PlatformConnection")
      .describe("Kind of the connection. Defaults to PlatformConnection."),
    name: objectName.describe("Name of the connection; a PlatformConnection is in the same namespace."),
  })
  .describe(
    "Connection to the platform. Defaults to the parent's, else to the PlatformConnection named default in this " +
      "namespace, else to the ClusterPlatformConnection named default. It must not differ from the parent's.",
  );

export const externalId = uuid.describe(
  "Id of an existing object on the platform that this object takes over. Cannot be changed or removed once set.",
);

const keyOf = (source: string) =>
  z
    .object({
      name: objectName.describe(`Name of the ${source} in the same namespace.`),
      key: dataKey.describe(`Key in the ${source}.`),
    })
    .describe(`A key of a ${source}.`);

/** The key of the Secret that holds a token. */
export const tokenSecretRef = z
  .object({
    name: objectName.describe("Name of the Secret."),
    key: dataKey.default("token").describe("Key in the Secret. Defaults to token."),
  })
  .describe(
    "The Secret with the token: in the namespace of a PlatformConnection, in the operator's own for a ClusterPlatformConnection.",
  );

const EXACTLY_ONE_SOURCE = "exactly one of secretKeyRef and configMapKeyRef must be set";

/** The source of a value: a key of a Secret or of a ConfigMap. */
export const valueFrom = z
  .object({
    secretKeyRef: keyOf("Secret").optional(),
    configMapKeyRef: keyOf("ConfigMap").optional(),
  })
  .refine((from) => (from.secretKeyRef === undefined) !== (from.configMapKeyRef === undefined), EXACTLY_ONE_SOURCE)
  .meta({
    description: "Takes the value from a Secret or a ConfigMap of the same namespace.",
    [VALIDATIONS]: [{ rule: "has(self.secretKeyRef) != has(self.configMapKeyRef)", message: EXACTLY_ONE_SOURCE }],
  });

export type ValueFrom = z.output<typeof valueFrom>;

/** The message of the API server and of the parser where a value has to have one source. */
export const EXACTLY_ONE_VALUE = "exactly one of value and valueFrom must be set";

/** Checks EXACTLY_ONE_VALUE when parsing. */
export function hasOneValue(of: { readonly value?: unknown; readonly valueFrom?: unknown }): boolean {
  return (of.value === undefined) !== (of.valueFrom === undefined);
}

/** Checks EXACTLY_ONE_VALUE in the API server, for an object whose `value` has a type. */
export const ONE_VALUE = {
  [VALIDATIONS]: [{ rule: "has(self.value) != has(self.valueFrom)", message: EXACTLY_ONE_VALUE }],
};
