/** Reads the platform's lists of the variables and secrets of an application, as rarely as possible. */
import type { ReconcileContext, Uuid } from "../../engine/contract/kind.ts";
import type { Variable } from "../../platform/areas/variables.ts";
import type { Platform } from "../../platform/index.ts";
import { fitOptional, ID } from "../shared/text.ts";
import type { ListedVariable, VariableLists } from "./compare.ts";
import { digestedContent } from "./declared.ts";

/** How often the lists are compared while nothing suggests a change. In milliseconds. */
const LOOK_MS = 3_600_000;

/** The last comparison that found all variables in place. */
interface Look {
  /** On the wall clock; -Infinity after a write. */
  readonly at: number;
  /** The platform said then that the application is not deployed as it is configured. */
  readonly isOutOfDate: boolean;
}

/** The last look at each application, of one process and client. */
const looks = new WeakMap<Platform, Map<Uuid, Look>>();

function looksOf(api: Platform): Map<Uuid, Look> {
  const known = looks.get(api) ?? new Map<Uuid, Look>();
  looks.set(api, known);
  return known;
}

/**
 * Reports whether the lists are to be compared although nothing has to be sent: after a write, on request, when the
 * platform begins to say OUT_OF_DATE, and once an hour. A new process spreads its first comparisons over an hour.
 */
export function isLookDue(
  { now, requested }: Pick<ReconcileContext, "now" | "requested">,
  api: Platform,
  id: Uuid,
  isOutOfDate: boolean,
): boolean {
  const known = looksOf(api);
  const last = known.get(id) ?? { at: now.getTime() - shareOf(id) * LOOK_MS, isOutOfDate: false };
  // A later OUT_OF_DATE is news.
  known.set(id, { ...last, isOutOfDate: last.isOutOfDate && isOutOfDate });
  return requested !== undefined || now.getTime() - last.at >= LOOK_MS || (isOutOfDate && !last.isOutOfDate);
}

/** Returns a number from 0 to 1 that differs from id to id. */
function shareOf(id: Uuid): number {
  return (Number.parseInt(id.replaceAll("-", "").slice(0, 6), 16) || 0) / 0xff_ff_ff;
}

/** Notes a comparison that found all variables in place. */
export function noteLook({ now }: Pick<ReconcileContext, "now">, api: Platform, id: Uuid, isOutOfDate: boolean): void {
  looksOf(api).set(id, { at: now.getTime(), isOutOfDate });
}

/** Notes a write: the next comparison is due once the application is at rest. */
export function noteWrite(api: Platform, id: Uuid): void {
  looksOf(api).set(id, { at: Number.NEGATIVE_INFINITY, isOutOfDate: true });
}

/** Forgets an application that is being deleted. */
export function forgetLooks(api: Platform, id: Uuid): void {
  looks.get(api)?.delete(id);
}

/** Reads both lists. Values become digests at once. @throws ApiError */
export async function readLists(
  { records }: Pick<ReconcileContext, "records">,
  id: Uuid,
  api: Platform,
): Promise<VariableLists> {
  const [plain, secrets] = await Promise.all([api.variables.list(id), api.secrets.list(id)]);
  return { plain: named(plain, false, records), secrets: named(secrets, true, records) };
}

/** Returns the entries of a list; undefined where an entry has no name: it is then unknown what is missing. */
function named(
  list: readonly Variable[],
  isSecret: boolean,
  { fingerprint }: Pick<ReconcileContext["records"], "fingerprint">,
): readonly ListedVariable[] | undefined {
  const entries = list.flatMap(({ id, key, value, scope, createdAt, updatedAt }): readonly ListedVariable[] => {
    if (key === undefined) return [];
    const digest =
      value === undefined || isSecret ? undefined : fingerprint(digestedContent({ name: key, value })).digest;
    // The platform's texts are cut as the status does it.
    const times = { createdAt: fitOptional(createdAt, ID), updatedAt: fitOptional(updatedAt, ID) };
    return [{ id, key, isSecret, digest, scope, ...times }];
  });
  return entries.length === list.length ? entries : undefined;
}
