/** Reads that only the surface Full has (docs/project/architecture.md §9). */
import type { ReconcileContext } from "../../engine/contract/kind.ts";
import { isSupported, type OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import type { WithRecords } from "./types.ts";

/** What is known of the surface. */
export type WithSurface = Pick<ReconcileContext, "isFull">;

/** Reports whether the platform has an operation. */
export function hasOperation({ isFull }: WithSurface, operation: OperationName): boolean {
  return isSupported(operation, isFull);
}

/** Failures that leave unknown what a read would show. All others concern the connection. */
const UNREAD: ReadonlySet<ApiFailure["is"]> = new Set([
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "NotSupported",
  "Intercepted",
  "Invalid",
  "Rejected",
  "Conflict",
  "Server",
  "BadResponse",
]);

/** How old a list may be that shows whether a token is accepted. In milliseconds. */
const TOKEN_CHECK_MAX_AGE_MS = 10_000;

/**
 * Makes a read beyond the specification. Its failure never fails a reconcile: what it would show stays unknown, and the
 * condition Capabilities names the operation.
 * @param ordinary failures that say something about what is read, and are thrown, e.g. a 404 of one object
 * @returns undefined where the platform does not show it
 * @throws ApiError for a rejected token, and where the platform cannot be reached or limits requests
 */
export async function readOnFull<T>(
  { isFull, records }: WithSurface & WithRecords<"unread">,
  api: Platform,
  read: () => Promise<T>,
  ordinary: readonly ApiFailure["is"][] = [],
): Promise<T | undefined> {
  if (!isFull) return undefined;
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { failure, operation, status } = error;
    if (!UNREAD.has(failure.is) || ordinary.includes(failure.is) || status === 0) throw error;
    // A read of the specification shows whether the token is the cause.
    if (failure.is === "Unauthorized") await api.projects.list({ maxAgeMs: TOKEN_CHECK_MAX_AGE_MS });
    records.unread(operation, status);
    return undefined;
  }
}

/**
 * Makes the read of `readOnFull` that lists the siblings of what may have to be created. While the platform's server
 * fails, there may be an object to adopt, so nothing is created.
 * @throws ApiError as `readOnFull`, and for an error of the server
 */
export async function listOnFull<T>(
  context: Pick<ReconcileContext, "id" | "goal"> & WithSurface & WithRecords<"unread">,
  api: Platform,
  list: () => Promise<T>,
): Promise<T | undefined> {
  const creates = context.id === undefined && context.goal === "present";
  return await readOnFull(context, api, list, creates ? ["Server", "BadResponse"] : []);
}
