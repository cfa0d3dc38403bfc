/**
 * Records, per operation, what a platform offers beyond the specification, as learned from its answers. Operations of
 * the specification are never recorded as missing.
 */
import { isDocumented, isRead, operationEntry, type OperationName } from "../codec/operations.ts";
import type { Clock } from "../transport/clock.ts";
import type { ApiError } from "../transport/errors.ts";

export type Support = "Supported" | "Unsupported" | "Unknown";

/** What is stored across restarts: names of operations, in alphabetical order. */
export interface KnownOperations {
  readonly supported: readonly string[];
  readonly unsupported: readonly string[];
}

/** A summary that no plan depends on; undefined while too little is known. */
export type SurfaceSummary = "Documented" | "Partial" | "Full" | undefined;

/** How long an operation counts as unsupported before it is tried again. */
const RETRY_MS = 3_600_000;
/** Half of the first pause after an inconclusive answer, e.g. a 500; each further pause is twice as long. */
const PAUSE_MS = 15_000;
/** Failures that leave open whether a read is supported; the others concern the connection, or are no answer. */
export const INCONCLUSIVE: ReadonlySet<ApiError["failure"]["is"]> = new Set([
  "NotFound",
  "Unauthorized",
  "Forbidden",
  "Invalid",
  "Conflict",
  "Server",
  "BadResponse",
]);

interface Learned {
  readonly support: Support;
  /** When it may be tried again, on the monotonic clock. */
  readonly restsUntil: number;
  readonly pauseMs: number;
  readonly status?: number;
}

const NOTHING: Learned = { support: "Unknown", restsUntil: Number.NEGATIVE_INFINITY, pauseMs: PAUSE_MS };

type Restored = { readonly [Key in keyof KnownOperations]?: KnownOperations[Key] | undefined };

/** What is known, with the functions by which the caller reports each answer. */
export type Learning = ReturnType<typeof createCapabilities>;

/** What is known, without the functions that change it. */
export type Capabilities = Omit<Learning, "succeeded" | "failed">;

/** @param surface the platform's surface as the user declares it; unless it is "Auto", nothing is learned */
export function createCapabilities(surface: "Auto" | "Documented" | "Full", clock: Pick<Clock, "monotonic">) {
  const learned = new Map<string, Learned>();
  const of = (name: string): Learned => learned.get(name) ?? NOTHING;
  const isOpen = (name: string): boolean =>
    surface === "Auto" && !isDocumented(name) && of(name).support !== "Supported";

  const note = (name: string, support: Support, pauseMs: number, status?: number): void => {
    if (!isOpen(name)) return;
    learned.set(name, {
      support,
      restsUntil: clock.monotonic() + pauseMs,
      pauseMs,
      ...(status !== undefined && { status }),
    });
  };
  const named = (support: Support): readonly string[] =>
    [...learned].flatMap(([name, one]) => (one.support === support ? [name] : [])).toSorted();

  const last = (name: string): Support => {
    if (isDocumented(name) || surface === "Full") return "Supported";
    return surface === "Documented" ? "Unsupported" : of(name).support;
  };
  const supports = (name: string): Support => {
    const isOver = isOpen(name) && clock.monotonic() >= of(name).restsUntil;
    return isOver && of(name).support === "Unsupported" ? "Unknown" : last(name);
  };
  const known = (): KnownOperations => ({ supported: named("Supported"), unsupported: named("Unsupported") });

  return {
    /** Returns what is known; an operation that was unsupported becomes Unknown again after an hour. */
    supports,
    /** Same as `supports`, but an operation stays Unsupported until another answer arrives. */
    learned: last,
    known,
    /**
     * Returns the HTTP status of the last answer to a read if it was inconclusive, 0 if the token could not be sent;
     * else undefined.
     */
    inconclusive: (name: OperationName): number | undefined => of(name).status,
    /**
     * Reports whether an optional read should be sent now: not while it is Unsupported, nor soon after an inconclusive
     * answer. So its cost does not grow with the number of objects.
     */
    isWorthTrying: (name: OperationName): boolean =>
      supports(name) === "Supported" || (supports(name) === "Unknown" && clock.monotonic() >= of(name).restsUntil),
    /**
     * Reports whether the only answer to a read so far says nothing of the operation: an error of the server, or no
     * JSON. After a second one in a row, at least 30 s later, the read counts as not offered.
     */
    isDoubtful: (name: OperationName): boolean => {
      const { support, status = 0, pauseMs } = of(name);
      const isAnswer = status >= 400 && status < 500;
      return support === "Unknown" && status > 0 && !isAnswer && pauseMs === 2 * PAUSE_MS;
    },
    /**
     * Records that the platform does not have the operation: it answered 404 for an object that it showed in the same
     * reconcile.
     */
    missing: (name: string): void => {
      note(name, "Unsupported", RETRY_MS);
    },
    /** Forgets an inconclusive 404 whose proof could not be read, so that it is tried again soon. */
    unproven: (name: string): void => {
      if (of(name).support === "Unknown") learned.delete(name);
    },
    /** Restores what an earlier process learned. An Unsupported does not replace what this process knows. */
    restore: ({ supported = [], unsupported = [] }: Restored): void => {
      for (const name of unsupported) if (!learned.has(name)) note(name, "Unsupported", RETRY_MS);
      for (const name of supported) note(name, "Supported", 0);
    },
    summary: (): SurfaceSummary => {
      if (surface !== "Auto") return surface;
      const { supported, unsupported } = known();
      // Only a missing getProject shows that nothing is offered: any other operation may be missing by itself.
      if (supported.length === 0) return unsupported.includes("getProject") ? "Documented" : undefined;
      return unsupported.length === 0 ? "Full" : "Partial";
    },
    succeeded: (name: OperationName): void => {
      note(name, "Supported", 0);
      // After the write there is something to read: an earlier 404 may have meant that the object did not exist.
      for (const read of operationEntry(name).stale ?? []) if (of(read).support === "Unknown") learned.delete(read);
    },
    failed: (name: OperationName, { failure, status }: ApiError): void => {
      if (status === 405 || status === 501) return note(name, "Unsupported", RETRY_MS);
      if (!isRead(name) || of(name).support === "Unsupported" || !INCONCLUSIVE.has(failure.is)) return;
      if (failure.is === "NotFound") return note(name, "Unknown", RETRY_MS, status);
      // Reads that were sent before the pause began do not make it longer.
      if (clock.monotonic() < of(name).restsUntil) return;
      note(name, "Unknown", Math.min(RETRY_MS, of(name).pauseMs * 2), status);
    },
  };
}
