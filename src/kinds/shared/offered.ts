/** Makes reads that the platform may not offer, and reports what is known of them (docs/architecture.md §9). */
import type { ReconcileContext, Why } from "../../engine/contract/kind.ts";
import { INCONCLUSIVE } from "../../platform/client/capabilities.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { failedRead } from "./answers.ts";

/**
 * Makes a read with an operation that the specification does not have. The operation is tried while nothing is known of
 * it; once it has worked, its failures are thrown.
 * @param isShown reports whether the platform shows, in this reconcile, what is read: a 404 then means that the
 * operation is missing
 * @returns undefined where the platform does not offer the read, or may not offer it
 * @throws ApiError
 */
export async function offered<T>(
  api: Platform,
  operation: OperationName,
  read: () => Promise<T>,
  isShown: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<T | undefined> {
  const { capabilities } = api;
  if (!capabilities.isWorthTrying(operation)) return undefined;
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.operation !== operation) throw error;
    const { is } = error.failure;
    // All other failures concern the connection, or are no answer.
    const mayBeMissing = is === "NotSupported" || INCONCLUSIVE.has(is);
    if (capabilities.supports(operation) === "Supported" || !mayBeMissing) throw error;
    if (is !== "NotFound") return undefined;
    try {
      if (await isShown()) capabilities.missing(operation);
    } catch (unread) {
      capabilities.unproven(operation);
      throw unread;
    }
    return undefined;
  }
}

/**
 * Makes the read of `offered` that lists the siblings of what may have to be created. A single answer that says nothing
 * of the operation is thrown, since there may be an object to adopt.
 * @throws ApiError
 */
export async function offeredList<T>(
  { id, goal }: Pick<ReconcileContext, "id" | "goal">,
  api: Platform,
  operation: OperationName,
  read: () => Promise<T>,
  isShown: () => Promise<boolean>,
): Promise<T | undefined> {
  const list = await offered(api, operation, read, isShown);
  const { capabilities } = api;
  if (list !== undefined || id !== undefined || goal !== "present" || !capabilities.isDoubtful(operation)) return list;
  const status = capabilities.inconclusive(operation) ?? 0;
  const message = failedRead(operation, status, "whether the object exists already");
  throw new ApiError(operation, { is: status >= 500 ? "Server" : "BadResponse" }, status, message);
}

/** The `isShown` of `offered` where the platform showed in this reconcile what is read. */
export const SHOWN = (): Promise<boolean> => Promise.resolve(true);

/** Reads that the specification does not have. One of them precedes each request beyond the specification. */
const READS = ["getProject", "listEnvironments", "listApplications", "listDatabases", "listServices"];

/** Reports whether the platform accepts what deployed services accept: one of READS has worked. */
export function takesMore({ supports }: Pick<ReconcileContext, "supports">): boolean {
  return READS.some((operation) => supports(operation) === "Supported");
}

/**
 * Returns why a read by `offered` shows nothing although the platform may offer it.
 * @param what as for `sideRead`
 * @returns undefined where the platform does not offer it
 */
export function unclearRead(
  { capabilities }: Pick<Platform, "capabilities">,
  operation: OperationName,
  what: string,
): Why | undefined {
  if (capabilities.supports(operation) === "Unsupported") return undefined;
  const status = capabilities.inconclusive(operation) ?? 0;
  const message = failedRead(operation, status, what);
  if (status === 403) return { reason: "PermissionDenied", message };
  return { reason: status >= 500 ? "PlatformUnavailable" : "UnexpectedResponse", message };
}
