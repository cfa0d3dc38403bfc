import { z } from "zod";

import { parseJson } from "../base/json.ts";
import type { World } from "../model/world.ts";

/** The replacement of a secret value. */
const masked = "***";

const Variables = z.array(z.looseObject({ is_secret: z.boolean().optional() }));
const VariableMap = z.record(z.string(), z.looseObject({ is_secret: z.boolean().optional() }).nullable());
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Returns the part of a member that the journal may keep. */
type Mask = (value: unknown, world: World) => unknown;

/** The masks of the members of a body that have no secrets, or whose mask hides them. */
export type Masks = Readonly<Record<string, Mask>>;

/** Declares members that never hold a secret. */
export const safe = (...members: readonly string[]): Masks =>
  Object.fromEntries(members.map((member) => [member, (value: unknown) => value]));

/**
 * Masks a body for the journal. Only declared members are kept, so that no unforeseen secret gets into the journal.
 * @param keeps the masks of the route
 * @returns the parsed body with secret values masked; undefined without a body
 */
export function maskBody(raw: Buffer, keeps: Masks | undefined, world: World): unknown {
  if (raw.length === 0) return undefined;
  const body = parse(raw);
  if (keeps === undefined || typeof body !== "object" || body === null || Array.isArray(body)) return masked;
  return mapValues({ ...body }, (value, member) =>
    Object.hasOwn(keeps, member) ? keeps[member]?.(value, world) : masked,
  );
}

function parse(raw: Buffer): unknown {
  try {
    return printable(parseJson(raw.toString()));
  } catch {
    return undefined;
  }
}

/** Turns integers beyond 2^53 into texts, because the journal is read as JSON. */
function printable(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, printable(member)]));
}

/** Hides the values of secret variables. */
export function maskVariables(value: unknown): unknown {
  const variables = Variables.safeParse(value);
  if (!variables.success) return masked;
  return variables.data.map((item) => (item.is_secret === true ? { ...item, value: masked } : item));
}

/** Hides the values of secret variables in a body that has variables by name. */
export function maskVariableMap(value: unknown): unknown {
  const variables = VariableMap.safeParse(value);
  if (!variables.success) return masked;
  return mapValues(variables.data, (item) => (item?.is_secret === true ? { ...item, value: masked } : item));
}

/** Hides the fields that a template marks as sensitive. */
export function maskConfig(value: unknown, world: World): unknown {
  const config = Config.safeParse(value);
  if (!config.success) return masked;
  const sensitive = sensitiveFields(world);
  return mapValues(config.data, (fields, component) =>
    mapValues(fields, (field, key) => (sensitive.has(`${component}.${key}`) ? masked : field)),
  );
}

/** @returns `component.field` of every field that any template version marks as sensitive */
function sensitiveFields(world: World): ReadonlySet<string> {
  const components = world.templates.flatMap((template) => template.layers).flatMap((layer) => layer.components);
  return new Set(
    components.flatMap(({ key, fields }) =>
      fields.filter((field) => field.sensitive).map((field) => `${key}.${field.key}`),
    ),
  );
}

function mapValues<T, To>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
