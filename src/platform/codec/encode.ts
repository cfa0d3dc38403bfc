/**
 * How bodies and queries are made, the counterpart of the tolerant readers in schema.ts: one schema describes a
 * request, from the caller's input (its input type) to what is sent. It refuses what no platform could understand; the
 * platform itself validates the values.
 */
import { z } from "zod";

import { parseAs } from "./schema.ts";

/** Returns what is sent, as JSON without its undefined members. @throws ShapeError */
export type Encode<T extends object = object> = () => T;

/** Returns the encoder of `input` by the schema. */
export function encodeWith<Schema extends z.ZodType<object>>(
  schema: Schema,
  input: z.input<Schema>,
): Encode<z.output<Schema>> {
  return () => parseAs(schema, input, "the request cannot be sent");
}

/** Members that are set at creation: a PUT cannot change them. */
const READ_ONLY = new Set([
  "id",
  "created_at",
  "updated_at",
  "organization",
  "organization_id",
  "project",
  "project_id",
  "environment",
  "environment_id",
]);

/**
 * Returns the body of a PUT: the platform's current record with the changes, because a PUT resets absent members to
 * defaults. Undefined members of `changes` are ignored.
 */
export function overlay(
  record: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const writable = Object.entries(record).filter(([name]) => !READ_ONLY.has(name));
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...writable, ...changed]);
}

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** The record as the platform spells it. */
type SnakeCase<T> = { readonly [Key in keyof T as Snake<Key & string>]: T[Key] };

/**
 * A record for the platform: only these members are sent, under their names in snake_case. Where the platform's names
 * are camelCase, `z.object` is used instead.
 */
export function request<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z
    .object(shape)
    .readonly()
    .transform((value) => toSnakeCase(value));
}

/** Returns the record with its members under their names in snake_case. */
export function toSnakeCase<T extends object>(value: T): SnakeCase<T> {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => [
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    member,
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- SnakeCase says in types what the lines above do.
  return Object.fromEntries(members) as SnakeCase<T>;
}

/** Any text, also an empty one, without lone surrogates: JSON can carry them, but no server can decode them. */
export const wellFormed = z.string().refine((value) => value.isWellFormed(), "not well-formed Unicode");

/** A name or another required text. */
export const nonBlank = wellFormed.refine((value) => value.trim() !== "", "blank");

/** An absolute URI, e.g. an icon's or a receiver's (spec). */
export const uri = nonBlank.refine((value) => URL.canParse(value), "not a URI");

/** A git commit, possibly abbreviated. */
export const commitText = z.string().regex(/^[0-9a-f]{7,64}$/i, "not 7 to 64 hex digits");

/** An object with keys that the user chose. Unlike `z.record`, it keeps a key `__proto__`. */
export function keyed<Schema extends z.ZodType>(member: Schema) {
  return z
    .custom<Readonly<Record<string, z.input<Schema>>>>(isObject, "not an object")
    .superRefine((value, context) => {
      for (const [key, given] of Object.entries<unknown>(value)) {
        if (!key.isWellFormed()) context.addIssue({ code: "custom", path: [key], message: "not well-formed Unicode" });
        if (given === undefined) continue;
        for (const issue of member.safeParse(given).error?.issues ?? []) {
          context.addIssue({ code: "custom", path: [key, ...issue.path], message: issue.message });
        }
      }
    });
}

/** Any JSON value, with integers of any size. */
const jsonValue: z.ZodType = z.lazy(() =>
  z.union(
    [wellFormed, z.number(), z.bigint(), z.boolean(), z.null(), z.array(jsonValue), jsonObject],
    "not a value of JSON",
  ),
);

/** An object that is sent unchanged, e.g. in a format that the spec does not show. */
export const jsonObject = keyed(jsonValue);

function isObject(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]";
}
