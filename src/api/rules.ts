import type { CelRule } from "./resource.ts";

/**
 * A field of the spec that cannot change once the object is recorded; a wrong reference can be fixed before that
 * (docs/architecture.md §4). Rules run on writes of the status as well; there the spec is unchanged, so they hold.
 * @param field a required member of the spec, e.g. "environmentRef"
 */
export function lockedOnceRecorded(field: string): CelRule {
  return {
    rule: `!has(oldSelf.status) || !has(oldSelf.status.externalId) || self.spec.${field} == oldSelf.spec.${field}`,
    message: `spec.${field} cannot be changed once status.externalId is set`,
  };
}

/** The shorter `self.externalId == oldSelf.externalId` fails with "no such key" when the field is cleared. */
export const EXTERNAL_ID_STAYS: CelRule = {
  rule: "!has(oldSelf.spec.externalId) || (has(self.spec.externalId) && self.spec.externalId == oldSelf.spec.externalId)",
  message: "spec.externalId cannot be changed or removed once it is set",
};
