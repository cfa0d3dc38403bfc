/**
 * The rate gate of one token. It admits requests at the rate that the pacer allows, by priority and then lane by lane.
 * A 429 closes the gate for as long as the platform asks, and headers that report a used-up window close it until the
 * window ends. Then a single request tests whether the platform accepts requests again.
 */
import type { Clock } from "../transport/clock.ts";
import { createLine, type RequestPriority, type Turn } from "./line.ts";
import { createPacer, type Ceiling } from "./pacer.ts";
import type { Quota } from "./rate-headers.ts";

export interface Budget {
  /** The current rate, in requests per second. */
  readonly requestsPerSecond: number;
  /** The number of requests that wait to be admitted. */
  readonly waiting: number;
  /** Milliseconds until the gate opens, 0 while it is open. */
  readonly pausedMs: number;
  /** Milliseconds since the gate closed; 0 once the platform has accepted a request again. */
  readonly refusedMs: number;
}

/** The end of one request, as far as the rate is concerned. */
export interface RequestEnd {
  /** When it was sent, on the monotonic clock. */
  readonly sentAt: number;
  readonly isAnswered: boolean;
  /** How long a 429 asks to wait; undefined for every other end. */
  readonly pauseMs?: number | undefined;
  /** The limit in the answer's headers. */
  readonly quota?: Quota | undefined;
}

export type RateGate = ReturnType<typeof createGate>;

export interface GateOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly ceiling: () => Ceiling;
  /** Called when `hasRoom` may return something else. */
  readonly changed?: () => void;
  /**
   * Called when the platform starts to limit requests (the gate closes), and when it accepts one again, with the
   * milliseconds in between.
   */
  readonly limited?: (isLimited: boolean, sinceMs: number) => void;
}

/** The longest pause that `admit` waits out. For a longer one it returns the time, and the caller requeues its key. */
const SHORT_MS = 2_000;
const RESERVATION_MS = 10_000;
/** How long the gate waits for the answer to the first request after a pause before it admits others. */
const TRIAL_MS = 10_000;
/** How long started work may take until it sends its first request. */
const EXPECTED_MS = 1_000;
const MAX_JITTER_MS = 500;
const JITTER = 0.1;
/** Work is started while fewer requests wait than this part of a second's requests. */
const WAITING_PART = 0.25;
/** The longest time until the line is served again: the priority of a waiter may have risen. */
const MAX_WAIT_MS = 1_000;
/** How long a caller that is turned away without a 429 waits before it tries again. */
const LATER_MS = 1_000;

export function createGate(options: GateOptions) {
  const { clock, random, ceiling, changed, limited = () => {} } = options;
  const now = (): number => clock.monotonic();
  const pacer = createPacer(now, ceiling);
  const line = createLine();
  let untime = (): void => {};
  let isOver = false;
  let reservations: readonly number[] = []; // when each one lapses
  let opensAt = -Infinity;
  let closedAt = -Infinity;
  /** Since when no request has been accepted; undefined while requests are accepted. */
  let refusedAt: number | undefined;
  /** "due": the next request is the first after a pause. A number: the time until which its answer is awaited. */
  let trial: "none" | "due" | number = "none";
  let expectedUntil = -Infinity;

  const timers = new Set<() => void>();
  /** Calls `changed` after `ms`. */
  const notifyAfter = (ms: number): void => {
    if (changed === undefined) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      changed();
    });
    timers.add(cancel);
  };

  const pausedMs = (): number => Math.max(0, Math.ceil(opensAt - now()));

  /** Returns the milliseconds until a request of this priority may be sent. */
  const untilNext = (priority: RequestPriority): number => {
    if (pausedMs() > 0) return pausedMs();
    if (trial === "due") return 0;
    if (trial !== "none" && trial > now()) return Math.ceil(trial - now());
    return pacer.untilNext(priority);
  };

  /** Ends a pause: the request that is sent now is the first one after it. */
  const begin = (): void => {
    if (trial !== "due") return;
    pacer.resume();
    trial = now() + TRIAL_MS;
    notifyAfter(TRIAL_MS);
  };

  const take = (): void => {
    begin();
    pacer.take();
  };

  /** Admits every waiting request that may be sent now, and schedules itself for the others. */
  const serve = (): void => {
    untime();
    const isHeld = (priority: RequestPriority): boolean => untilNext(priority) > 0;
    for (let waiter = line.next(isHeld); waiter !== undefined; waiter = line.next(isHeld)) {
      take();
      waiter.go(true);
    }
    const soonest = Math.min(MAX_WAIT_MS, ...line.priorities().map(untilNext));
    if (line.size > 0) untime = clock.after(Math.max(1, soonest), serve);
    changed?.();
  };

  const admit = async (turn: Turn, mostMs = Number.POSITIVE_INFINITY): Promise<number> => {
    if (isOver) return LATER_MS;
    if (pausedMs() > SHORT_MS) return pausedMs();
    if (line.size === 0 && untilNext(turn.priority) === 0) {
      take();
      return 0;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const leave = line.join({ turn, go: resolve });
    const giveUp = (): void => {
      leave();
      resolve(false);
    };
    const cancel = mostMs === Number.POSITIVE_INFINITY ? undefined : clock.after(mostMs, giveUp);
    serve();
    const isAdmitted = await promise;
    cancel?.();
    return isAdmitted ? 0 : Math.max(LATER_MS, pausedMs());
  };

  const pause = (ms: number): void => {
    const jitter = Math.floor(random() * Math.min(MAX_JITTER_MS, ms * JITTER));
    opensAt = Math.max(opensAt, now() + ms + jitter);
    closedAt = now();
    if (refusedAt === undefined) limited(true, 0);
    refusedAt ??= closedAt;
    trial = "due";
    reservations = [];
    if (pausedMs() > SHORT_MS) line.turnAway();
    notifyAfter(pausedMs());
    serve();
  };

  const answered = ({ sentAt, pauseMs, quota }: RequestEnd): void => {
    const isNews = sentAt >= closedAt;
    if (pauseMs !== undefined) {
      // Requests that were in flight when the gate closed are no new evidence.
      if (isNews) pacer.refused(pauseMs);
      pause(pauseMs);
      return;
    }
    const emptyMs = pacer.passed(quota);
    if (isNews) {
      trial = "none";
      const since = refusedAt;
      refusedAt = undefined;
      if (since !== undefined) limited(false, now() - since);
    }
    if (emptyMs > 0) pause(emptyMs);
    else serve();
  };

  const live = () => reservations.filter((lapsesAt) => lapsesAt > now());

  return {
    /** Waits for a place. @returns 0 if the request may be sent now, else the milliseconds after which to try again */
    admit: (turn: Turn): Promise<number> => admit(turn),
    /** Reserves a place for a write. An unused reservation lapses after ten seconds. @returns as `admit` */
    reserve: async (turn: Turn): Promise<number> => {
      const waitMs = await admit(turn);
      if (waitMs > 0) return waitMs;
      reservations = [...live(), now() + RESERVATION_MS];
      // Nothing is sent yet, and a read may come before the write.
      if (trial !== "none") trial = "due";
      return 0;
    },
    /**
     * Same as `admit`, but uses up a reservation if there is one; without a reservation it waits for at most two
     * seconds.
     */
    admitReserved: async (turn: Turn): Promise<number> => {
      if (pausedMs() > 0) return pausedMs();
      const [first, ...rest] = live();
      reservations = rest;
      if (first === undefined) return admit(turn, SHORT_MS);
      begin();
      return 0;
    },
    /** Receives the end of every admitted request. */
    ended: (answer: RequestEnd): void => {
      if (answer.isAnswered) answered(answer);
      else if (answer.sentAt >= closedAt && trial !== "none") {
        trial = "due";
        serve();
      }
    },
    /**
     * Reports whether work of this priority could soon send a request. If not, `changed` is called when that may have
     * changed.
     */
    hasRoom: (priority: RequestPriority): boolean => {
      if (isOver) return true;
      if (pausedMs() > 0) return false;
      if (trial !== "none") return trial === "due" ? now() >= expectedUntil : now() >= trial;
      return priority === "urgent" || line.size < Math.max(1, pacer.rate() * WAITING_PART);
    },
    /** Records that work was started because there is room; after a pause there is room for one at first. */
    expect: (): void => {
      if (trial === "none") return;
      expectedUntil = now() + EXPECTED_MS;
      notifyAfter(EXPECTED_MS);
    },
    budget: (): Budget => ({
      requestsPerSecond: pacer.rate(),
      waiting: line.size,
      pausedMs: pausedMs(),
      refusedMs: refusedAt === undefined ? 0 : now() - refusedAt,
    }),
    /** Turns away all waiting requests, and every later one without a reservation. */
    close: (): void => {
      isOver = true;
      for (const cancel of [untime, ...timers]) cancel();
      line.turnAway();
    },
  };
}
