/** How bodies and queries are made: of the operation's schema and what the caller gives. */
import type { z } from "zod";

import { shaped } from "./shape.ts";

/** Makes what goes over the wire; members that are undefined are left out there. @throws ShapeError */
export type Encode<T extends object = object> = () => T;

/** What the schema makes of `input`. */
export function sent<Schema extends z.ZodType<object>>(
  schema: Schema,
  input: z.input<Schema>,
): Encode<z.output<Schema>> {
  return () => shaped(schema, input, "the request cannot be sent");
}

/** What an object was created with or under; a PUT cannot change it. */
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
 * Returns the body of a PUT, which replaces what it does not name by defaults (docs/architecture.md §9): the platform's
 * record as it is, with the changes. Members of `changes` that are undefined change nothing.
 */
export function overlay(
  record: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const writable = Object.entries(record).filter(([name]) => !READ_ONLY.has(name));
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...writable, ...changed]);
}
