/**
 * Remembers values that the platform stored differently than they were sent: a text that it trims, a URL to which it
 * adds "/", an input that it masks. Such a difference is reported as drift and does not cause another write. Pure.
 */
import { digestField } from "../../api/status.ts";
import { type Fingerprint, type ReconcileContext, refreshed, sameContent } from "../../engine/contract/kind.ts";
import type { WithRecords } from "./types.ts";

/** The schema of the member `altered` of the write ledger. */
export const altered = digestField("the values that the platform stored differently than they were last sent");

/** The memory of the differences that the last write left. */
export interface AlteredMemory {
  readonly altered?: Fingerprint | undefined;
}

/**
 * A difference of the platform from the spec, with its whole values. `observed` is undefined where the platform shows
 * no value.
 */
export interface Difference {
  readonly path: string;
  readonly desired: string;
  readonly observed: string | undefined;
}

type Altered = Pick<ReconcileContext, "requested"> & WithRecords<"fingerprint"> & { readonly memory: AlteredMemory };

/** Returns the memory of the differences that a write left; undefined where it left none. */
export function alterationOf(
  { records }: WithRecords<"fingerprint">,
  left: readonly Difference[],
): Fingerprint | undefined {
  if (left.length === 0) return undefined;
  return records.fingerprint(left.map(({ path, desired, observed = null }) => [path, desired, observed]));
}

/**
 * Reports whether the last write left the same differences, so that another write would leave them too. Returns false
 * for a reconcile request, which repeats the write.
 */
export function isAltered(context: Altered, now: readonly Difference[]): boolean {
  const { memory, requested } = context;
  return (
    memory.altered !== undefined && requested === undefined && sameContent(memory.altered, alterationOf(context, now))
  );
}

/** Returns the memory after a read. Once nothing differs, a later difference was made by others. */
export function keptAlteration(context: Altered, now: readonly Difference[]): Fingerprint | undefined {
  const current = alterationOf(context, now);
  return current && refreshed(context.memory.altered, current);
}
