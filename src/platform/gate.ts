/**
 * The rate gate of one connection (design §7): a fixed budget of requests, and a pause for everybody after a 429.
 * Connections that share a token have a gate each: they learn of each other's requests from a 429 alone.
 * Nobody begins to wait here for more than two seconds: a longer wait is told, and the caller's queue does the waiting.
 * Those who wait go on lane by lane.
 */
import type { Clock } from "./clock.ts";
import { createLine } from "./line.ts";

/** What a request is for: writes come first, then deployments that are followed, then idle sweeps. */
export type Priority = "write" | "follow" | "sweep";

export interface Rate {
  /** Sustained requests per second, > 0. */
  readonly requestsPerSecond: number;
  /** Requests that may go out at once after a quiet time, ≥ 1. */
  readonly burst: number;
}

export interface Budget {
  /** Requests that may be sent right now, 0 to burst. */
  readonly tokens: number;
  /** Milliseconds until a pause ends, 0 when there is none. */
  readonly pausedMs: number;
}

export interface Gate {
  /**
   * Takes a token.
   * @param lane of those who wait, the lanes take turns.
   * @returns 0 when the request may be sent now, else the milliseconds after which to come back.
   */
  admit(priority: Priority, lane?: string): Promise<number>;
  /** Takes a token for a write that is about to come. Unused, it lapses after ten seconds. @returns as admit. */
  reserve(priority: Priority, lane?: string): Promise<number>;
  /** As `admit("write")`, but uses up a reservation where there is one. */
  admitReserved(lane?: string): Promise<number>;
  /** Lets nobody through for `ms` milliseconds, and up to half a second more, so that not all come back at once. */
  pause(ms: number): void;
  budget(): Budget;
}

const MAX_WAIT_MS = 2000;
const RESERVATION_MS = 10_000;
const MAX_JITTER_MS = 500;
/** The part of the burst that idle sweeps leave to the others. */
const SWEEP_HEADROOM = 0.25;

/** @param random returns a number in [0, 1). */
export function createGate(rate: Rate, clock: Clock, random: () => number): Gate {
  const perMs = rate.requestsPerSecond / 1000;
  const line = createLine();
  let untime = (): void => {};
  let tokens = rate.burst;
  let filledAt = clock.monotonic();
  let pausedUntil = -Infinity;
  let reservations: readonly number[] = []; // when each one lapses

  const pausedMs = () => Math.max(0, Math.ceil(pausedUntil - clock.monotonic()));

  const refill = () => {
    const now = clock.monotonic();
    tokens = Math.min(rate.burst, tokens + (now - filledAt) * perMs);
    filledAt = now;
  };

  const untilTokens = (wanted: number): number => Math.ceil(Math.max(0, wanted - tokens) / perMs);

  /** Lets on whom there are tokens for, and comes back for the others. */
  const serve = (): void => {
    untime();
    refill();
    for (let waiter = line.next(tokens); waiter !== undefined; waiter = line.next(tokens)) {
      tokens -= 1;
      waiter.go();
    }
    if (line.size > 0) untime = clock.after(Math.max(1, untilTokens(line.least())), serve);
  };

  const admit = async (priority: Priority, lane = ""): Promise<number> => {
    if (pausedMs() > 0) return pausedMs();
    refill();
    const needs = 1 + (priority === "sweep" ? Math.floor(rate.burst * SWEEP_HEADROOM) : 0);
    const waitMs = untilTokens(needs + line.ahead(lane));
    if (waitMs > MAX_WAIT_MS) return waitMs;
    if (waitMs === 0 && line.size === 0) {
      tokens -= 1;
      return 0;
    }
    await new Promise<void>((go) => {
      line.join(lane, { needs, go });
      serve();
    });
    return pausedMs(); // a 429 may have come meanwhile
  };

  const live = () => reservations.filter((lapsesAt) => lapsesAt > clock.monotonic());

  return {
    admit,
    reserve: async (priority, lane) => {
      const waitMs = await admit(priority, lane);
      if (waitMs === 0) reservations = [...live(), clock.monotonic() + RESERVATION_MS];
      return waitMs;
    },
    admitReserved: async (lane) => {
      if (pausedMs() > 0) return pausedMs();
      const [first, ...rest] = live();
      reservations = rest;
      return first === undefined ? admit("write", lane) : 0;
    },
    pause: (ms) => {
      pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms + Math.floor(random() * MAX_JITTER_MS));
    },
    budget: () => {
      refill();
      return { tokens: Math.max(0, Math.floor(tokens - line.size)), pausedMs: pausedMs() };
    },
  };
}
