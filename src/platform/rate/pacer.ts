/**
 * The rate at which the platform accepts requests of one token: what the headers of its answers tell, and what the
 * pacer finds out. The rate doubles each second until the first 429. Then it stays a little below what was accepted and
 * rises slowly; each further 429 lowers it. It rises only while it is used. Where headers report how much of a window
 * is left, the pacer finds the limit without a 429.
 */

/** The pause of a 429 without headers. The guide of the API: "falls back to 60 seconds when the header is absent". */
const DEFAULT_PAUSE_MS = 60_000;
/** The pause for a reset of 0, or for one in the past. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 3_600_000;
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
  return asked === undefined ? DEFAULT_PAUSE_MS : Math.min(Math.max(asked, MIN_PAUSE_MS), MAX_PAUSE_MS);
}

/** @returns the rate limit in an answer's headers; undefined when they are incomplete or contradict each other */
export function quotaOf(header: HeaderOf, now: Date): Quota | undefined {
  const limit = numberIn(header("x-ratelimit-limit"));
  const remaining = numberIn(header("x-ratelimit-remaining"));
  const resetMs = fromNumber(header("x-ratelimit-reset"), clockOf(header, now));
  if (limit === undefined || remaining === undefined || resetMs === undefined) return undefined;
  const isPlausible =
    Number.isFinite(limit) && limit >= 1 && remaining <= limit && resetMs >= 0 && resetMs <= MAX_PAUSE_MS;
  return isPlausible ? { limit, remaining, resetMs } : undefined;
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

/** Returns the milliseconds in a number of seconds, or until a point in time; undefined when there is no number. */
function fromNumber(raw: string | undefined, nowMs: number): number | undefined {
  const seconds = numberIn(raw);
  if (seconds === undefined) return undefined;
  return seconds > EPOCH_ABOVE ? seconds * 1000 - nowMs : seconds * 1000;
}

/** Users' changes of existing objects, then new objects, then work in progress, then routine checks. */
export type RequestPriority = "urgent" | "high" | "normal" | "low";

export const PRIORITIES: readonly RequestPriority[] = ["urgent", "high", "normal", "low"];

/** A limit that the user set; each part may be absent. */
export interface Ceiling {
  /** Sustained requests per second, > 0. */
  readonly requestsPerSecond?: number | undefined;
  /** Requests that may go out at once after a quiet time, ≥ 1. */
  readonly burst?: number | undefined;
}

/** Requests per second before anything is known. */
const START = 10;
/** The lowest rate, in requests per second. */
const SLOWEST = 1 / 60;
/** The shortest time between two increases of the rate, in milliseconds and in requests. */
const STEP_MS = 1_000;
const STEP_REQUESTS = 4;
/** The part of a rate that has to be used for it to rise. */
const USED = 0.8;
/** The part of the accepted rate that is kept after a 429. */
const HELD = 0.9;
/** A 429 lowers the rate to no less than this part of it: the accepted rate may have been low for other reasons. */
const LOWEST_DROP = 0.45;
/**
 * The growth of the rate at each step: slow for the first SLOW_STEPS after a 429, less so where headers report the rest
 * of a window, then quick, as the limit may have changed.
 */
const SLOW_GROWTH = 1.003;
const REPORTED_GROWTH = 1.01;
const QUICK_GROWTH = 1.05;
const SLOW_STEPS = 60;
/** The part of the limit in the headers that is used: less at first, as a window may have started at a lower rate. */
const NEAR_FIRST = 0.95;
const NEAR = 0.97;
/** The burst beyond one request, as a part of a second's requests: it absorbs timers that fire late. */
const BURST_PART = 0.02;
/** Requests are not spread over shorter windows, because headers give the end of a window in whole seconds. */
const SHORT_MS = 2_000;
/** When less than this part of a long window's limit is left, requests of a priority are spread over its rest. */
const RESERVED: Readonly<Record<RequestPriority, number>> = { urgent: 0.05, high: 0.1, normal: 0.25, low: 0.5 };

/**
 * Creates the pacer of one token: a token bucket whose rate it learns.
 * @param monotonic returns milliseconds on a clock that never jumps
 * @param ceiling returns the current limit
 */
export function createPacer(monotonic: () => number, ceiling: () => Ceiling) {
  /** Requests per second. */
  let learned = ceiling().requestsPerSecond ?? START;
  /** Whether a 429 or a header has shown the platform's limit. */
  let isFound = false;
  let stepsSinceRefused = 0;
  let tokens = 0;
  let filledAt = monotonic();
  /** When the last request was sent. */
  let lastAt = -Infinity;
  /** When the last pause ended. */
  let openedAt = monotonic();
  let acceptedSinceOpened = 0;
  /** Counts the requests of about one second, and the smallest part of a window that headers report as left. */
  const newCount = () => ({ since: monotonic(), taken: 0, accepted: 0, left: 1 });
  let count = newCount();
  let previous = count;
  let window: { readonly quota: Quota; readonly endsAt: number; readonly isLong: boolean } | undefined;

  const rate = (): number => Math.min(learned, ceiling().requestsPerSecond ?? Number.POSITIVE_INFINITY);

  /** Returns the size of the token bucket. */
  const depth = (): number => {
    const { burst } = ceiling();
    return burst !== undefined && !isFound ? burst : Math.min(burst ?? Infinity, 1 + rate() * BURST_PART);
  };
  tokens = depth();

  /** Once a second: raises the rate if it was used. */
  const step = (): void => {
    const elapsed = monotonic() - count.since;
    const stepMs = Math.max(STEP_MS, STEP_REQUESTS * (1_000 / rate()));
    if (elapsed < stepMs) return;
    const used = (count.taken * 1_000) / elapsed;
    if (elapsed < 2 * stepMs && used >= USED * rate()) raise((count.accepted * 1_000) / elapsed);
    previous = elapsed < 2 * stepMs ? count : newCount();
    count = newCount();
  };

  /** @param accepted requests per second that were accepted recently */
  const raise = (accepted: number): void => {
    stepsSinceRefused += 1;
    // A window may end a little later than the second in its header.
    const left = Math.min(count.left, previous.left);
    const isReported = left < 1;
    const slow = isReported ? REPORTED_GROWTH : SLOW_GROWTH;
    const growth = stepsSinceRefused > SLOW_STEPS ? QUICK_GROWTH : slow;
    const raised = rate() * (isFound ? growth : 2);
    // The requests accepted so far have used `1 - left` of a window.
    const reported = isReported ? (accepted / (1 - left)) * (isFound ? NEAR : NEAR_FIRST) : Number.POSITIVE_INFINITY;
    if (reported < raised) isFound = true;
    learned = Math.max(rate(), Math.min(raised, reported));
  };

  const refill = (): void => {
    step();
    const now = monotonic();
    tokens = Math.min(depth(), tokens + ((now - filledAt) * rate()) / 1_000);
    filledAt = now;
  };

  /** Returns the milliseconds until the next request, if the rest of a long window has to be spread. */
  const spread = (priority: RequestPriority): number => {
    if (window?.isLong !== true) return 0;
    const left = window.endsAt - monotonic();
    const { limit, remaining } = window.quota;
    if (left <= 0 || remaining >= limit * RESERVED[priority]) return 0;
    return lastAt + left / Math.max(1, remaining) - monotonic();
  };

  return {
    /** Returns the current rate in requests per second. */
    rate,
    /** Milliseconds until a request of this priority may be sent; 0 is now. */
    untilNext: (priority: RequestPriority): number => {
      refill();
      // A smaller difference is a rounding error.
      const missing = 1 - tokens < 1e-6 ? 0 : 1 - tokens;
      return Math.ceil(Math.max(0, (missing * 1_000) / rate(), spread(priority)));
    },
    /** Records that a request is sent, or has a reservation. */
    take: (): void => {
      refill();
      tokens = Math.max(0, tokens - 1);
      count.taken += 1;
      lastAt = monotonic();
    },
    /**
     * Records an answer other than a 429.
     * @returns milliseconds during which nothing may be sent, because a long window was just used up; 0 otherwise
     */
    recordAccepted: (quota: Quota | undefined): number => {
      acceptedSinceOpened += 1;
      count.accepted += 1;
      const last = window;
      const now = monotonic();
      if (quota === undefined) {
        window = undefined;
        return 0;
      }
      const isLong = quota.resetMs > SHORT_MS || (last?.isLong === true && now < last.endsAt);
      window = { quota, endsAt: now + quota.resetMs, isLong };
      count.left = Math.min(count.left, quota.remaining / quota.limit);
      // Some platforms report 0 in every answer: only a change to 0 counts.
      const isUsedUp = quota.remaining === 0 && last !== undefined && last.quota.remaining > 0;
      return isUsedUp && quota.resetMs > SHORT_MS ? quota.resetMs : 0;
    },
    /** Records a 429 to a request that was sent since the last one, and how long it asks to wait. */
    recordRefused: (pauseMs: number): void => {
      const now = monotonic();
      const share = Math.min(1, (now - count.since) / STEP_MS);
      const lately = count.accepted + previous.accepted * (1 - share);
      const overall = (acceptedSinceOpened * 1_000) / Math.max(STEP_MS, now - openedAt + pauseMs);
      const accepted = pauseMs > SHORT_MS ? overall : lately;
      learned = Math.max(SLOWEST, Math.min(HELD * rate(), Math.max(HELD * accepted, LOWEST_DROP * rate())));
      isFound = true;
      stepsSinceRefused = 0;
      window = undefined;
    },
    /** Ends a pause. Requests that could have been sent during it are not made up for. */
    resume: (): void => {
      tokens = 0;
      filledAt = monotonic();
      openedAt = monotonic();
      acceptedSinceOpened = 0;
      count = newCount();
      previous = count;
    },
  };
}
