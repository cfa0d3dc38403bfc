import { z } from "zod";

import type { World } from "../model/world.ts";

/** What a secret value is shown as. */
export const masked = "***";

const Variables = z.array(z.looseObject({ is_secret: z.boolean().optional() }));
const Config = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What the journal may keep of a member. */
type Mask = (value: unknown, world: World) => unknown;

/** The masks of the members of a body that hold no secret, or of which a mask hides what is one. */
export type Masks = Readonly<Record<string, Mask>>;

/** Declares members that never hold a secret. */
export const safe = (...members: readonly string[]): Masks =>
  Object.fromEntries(members.map((member) => [member, (value: unknown) => value]));

/** Hides the values of the variables that are secret. */
export function maskVariables(value: unknown): unknown {
  const variables = Variables.safeParse(value);
  if (!variables.success) return masked;
  return variables.data.map((item) => (item.is_secret === true ? { ...item, value: masked } : item));
}

/** Hides the fields that a template says are sensitive. */
export function maskConfig(value: unknown, world: World): unknown {
  const config = Config.safeParse(value);
  if (!config.success) return masked;
  const sensitive = sensitiveFields(world);
  return mapValues(config.data, (fields, component) =>
    mapValues(fields, (field, key) => (sensitive.has(`${component}.${key}`) ? masked : field)),
  );
}

/** @returns `component.field` of every field that any template version says is sensitive. */
function sensitiveFields(world: World): ReadonlySet<string> {
  const components = world.templates.flatMap((template) => template.layers).flatMap((layer) => layer.components);
  return new Set(
    components.flatMap(({ key, fields }) =>
      fields.filter((field) => field.sensitive).map((field) => `${key}.${field.key}`),
    ),
  );
}

export function mapValues<T, To>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
