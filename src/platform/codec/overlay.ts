/**
 * A PUT replaces what it does not name by defaults (docs/architecture.md §9), so it starts from what the platform has.
 */

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
 * The platform's record, as it is, and as the changes want it; members of `changes` that are undefined change nothing.
 */
export function overlay(
  record: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const writable = Object.entries(record).filter(([name]) => !READ_ONLY.has(name));
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...writable, ...changed]);
}
