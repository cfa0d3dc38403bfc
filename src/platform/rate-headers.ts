/** How long a 429 asks us to stay away. A pure file: headers in, milliseconds out. */
const DEFAULT_MS = 60_000; // the spec's guide: "falls back to 60 seconds when the header is absent"
const MIN_MS = 500; // a reset of 0, or of a moment that has passed
const MAX_MS = 15 * 60_000;
/** Above it a number is a point in time, in seconds since 1970: deployed services send such (api-behaviour §1). */
const EPOCH_ABOVE = 1_000_000_000;

export interface RateHeaders {
  /** `X-RateLimit-Reset`: seconds to wait (spec), or seconds since 1970. */
  readonly reset: string | undefined;
  /** `Retry-After`: seconds or an HTTP date (RFC 9110 §10.2.3). Read when `reset` is absent or unreadable. */
  readonly retryAfter: string | undefined;
  /** `Date` of the same answer: points in time are compared with the platform's clock where we know it. */
  readonly date: string | undefined;
}

/** @returns the pause in milliseconds, 500 to 900,000; 60,000 where the headers say nothing. */
export function pauseMs(headers: RateHeaders, now: Date): number {
  const nowMs = parseDate(headers.date)?.getTime() ?? now.getTime();
  const asked = fromNumber(headers.reset, nowMs) ?? fromNumber(headers.retryAfter, nowMs) ?? fromDate(headers, nowMs);
  return asked === undefined ? DEFAULT_MS : Math.min(Math.max(asked, MIN_MS), MAX_MS);
}

/** Reads an HTTP date; undefined when there is none or it cannot be read. */
export function parseDate(raw: string | undefined): Date | undefined {
  // Date.parse also takes bare numbers, as years.
  if (raw === undefined || !/[a-z]/i.test(raw)) return undefined;
  const date = new Date(raw);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function fromNumber(raw: string | undefined, nowMs: number): number | undefined {
  const digits = raw?.trim() ?? "";
  if (!/^\d+(?:\.\d+)?$/.test(digits)) return undefined;
  const seconds = Number(digits);
  return seconds > EPOCH_ABOVE ? seconds * 1000 - nowMs : seconds * 1000;
}

function fromDate(headers: RateHeaders, nowMs: number): number | undefined {
  const until = parseDate(headers.retryAfter);
  return until === undefined ? undefined : until.getTime() - nowMs;
}
