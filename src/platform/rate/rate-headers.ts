/** Reads the platform's rate limit from the headers of an answer. Pure. */
const DEFAULT_MS = 60_000; // the spec's guide: "falls back to 60 seconds when the header is absent"
const MIN_MS = 500; // for a reset of 0, or one in the past
const MAX_MS = 3_600_000;
/** A larger number is a point in time, in seconds since 1970; any other is a duration. */
const EPOCH_ABOVE = 1_000_000_000;

/** Returns a header of an answer by its lower-case name. */
type HeaderOf = (name: string) => string | undefined;

/** The rest of a window in which the platform accepts a number of requests. */
export interface Quota {
  /** `X-RateLimit-Limit`, ≥ 1. */
  readonly limit: number;
  /** `X-RateLimit-Remaining`, 0 to limit. */
  readonly remaining: number;
  /** Until the window ends, 0 to 3,600,000: whole seconds, rounded up by the platform. */
  readonly resetMs: number;
}

/**
 * Reads `X-RateLimit-Reset`, in seconds (spec) or seconds since 1970, else `Retry-After`, in seconds or as an HTTP date
 * (RFC 9110 §10.2.3).
 * @returns the pause that a 429 asks for, in milliseconds, 500 to 3,600,000; 60,000 without usable headers
 */
export function pauseMs(header: HeaderOf, now: Date): number {
  const nowMs = clockOf(header, now);
  const until = parseDate(header("retry-after"));
  const asked =
    fromNumber(header("x-ratelimit-reset"), nowMs) ??
    fromNumber(header("retry-after"), nowMs) ??
    (until === undefined ? undefined : until.getTime() - nowMs);
  return asked === undefined ? DEFAULT_MS : Math.min(Math.max(asked, MIN_MS), MAX_MS);
}

/** @returns the rate limit in an answer's headers; undefined when they are incomplete or contradict each other */
export function quotaOf(header: HeaderOf, now: Date): Quota | undefined {
  const limit = numberIn(header("x-ratelimit-limit"));
  const remaining = numberIn(header("x-ratelimit-remaining"));
  const resetMs = fromNumber(header("x-ratelimit-reset"), clockOf(header, now));
  if (limit === undefined || remaining === undefined || resetMs === undefined) return undefined;
  const isSane = Number.isFinite(limit) && limit >= 1 && remaining <= limit && resetMs >= 0 && resetMs <= MAX_MS;
  return isSane ? { limit, remaining, resetMs } : undefined;
}

/** Returns the platform's clock if the answer has it, else `now`, in milliseconds since 1970. */
function clockOf(header: HeaderOf, now: Date): number {
  return (parseDate(header("date")) ?? now).getTime();
}

/** Reads an HTTP date; undefined when there is none or it cannot be read. */
export function parseDate(raw: string | undefined): Date | undefined {
  // Date.parse also takes bare numbers, as years.
  if (raw === undefined || !/[a-z]/i.test(raw)) return undefined;
  const date = new Date(raw);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function numberIn(raw: string | undefined): number | undefined {
  const digits = raw?.trim() ?? "";
  return /^\d+(?:\.\d+)?$/.test(digits) ? Number(digits) : undefined;
}

function fromNumber(raw: string | undefined, nowMs: number): number | undefined {
  const seconds = numberIn(raw);
  if (seconds === undefined) return undefined;
  return seconds > EPOCH_ABOVE ? seconds * 1000 - nowMs : seconds * 1000;
}
