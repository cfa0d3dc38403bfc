/** Reads that not every platform offers. */
import type { Supports } from "../../engine/contract/kind.ts";
import type { OperationName } from "../../platform/codec/operations.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";

/** Answers that may mean that the operation does not exist. All others concern the connection, or were none. */
const NO_PROOF: ReadonlySet<ApiFailure["is"]> = new Set([
  "NotFound",
  "Unauthorized",
  "NotSupported",
  "Forbidden",
  "Invalid",
  "Conflict",
  "Server",
  "BadResponse",
]);

/**
 * A read beyond the specification. It is tried where nothing is known of it; once it has worked, its failures are its
 * own.
 * @param isShown whether the platform shows, in this reconcile, what is read: then 404 means that the operation is
 * missing
 * @returns undefined where the platform does not offer it, or may not
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
    if (capabilities.supports(operation) === "Supported" || !NO_PROOF.has(error.failure.is)) throw error;
    if (error.failure.is === "NotFound" && (await isShown())) capabilities.missing(operation);
    return undefined;
  }
}

/** What was read in this reconcile exists. */
export const SHOWN = (): Promise<boolean> => Promise.resolve(true);

export interface SurfaceFacts {
  readonly supports: Supports;
}

/** Reads beyond the specification, one of which precedes each such request. */
const READS = ["getProject", "listEnvironments", "listApplications", "listDatabases", "listServices"];

/** Reports whether the platform takes what deployed services do: it shows what the specification does not have. */
export function takesMore({ supports }: SurfaceFacts): boolean {
  return READS.some((operation) => supports(operation) === "Supported");
}
