/**
 * The rate gate of one token: the queue of the requests that wait, the gate, and the gates of all tokens. A gate admits
 * requests at the rate that the pacer allows, by priority and then lane by lane. A 429 closes it for as long as the
 * platform asks, and headers that report a used-up window close it until the window ends. Then a single request tests
 * whether the platform accepts requests again.
 */
import type { Clock } from "../transport/clock.ts";
import { createPacer, PRIORITIES, type Ceiling, type Quota, type RequestPriority } from "./pacer.ts";

/** What decides the order of a request in the queue. */
export interface Turn {
  /** May rise while the request waits, e.g. when a user changes the object. */
  readonly priority: RequestPriority;
  /** Lanes of the same priority take turns, e.g. one lane for each namespace. */
  readonly lane: string;
}

/** A request that waits for the gate. */
export interface Waiter {
  readonly turn: Turn;
  /** Called once, when the request leaves the queue. @param isAdmitted false when it is rejected */
  readonly settle: (isAdmitted: boolean) => void;
}

/** Every fifth request taken is the one that waited longest, whatever its priority, so that nothing starves. */
const FAIR_EVERY = 5;
/** The number of lanes whose last turn is remembered. */
const MAX_LANES = 5_000;

/**
 * The queue of requests that wait for the gate. Requests of a higher priority come first. Among those of the same
 * priority, lanes take turns, e.g. one lane for each namespace.
 */
export function createRequestQueue() {
  let waiters: readonly Waiter[] = [];
  /** Lane → the number of its last turn, the oldest first. */
  const lastTurns = new Map<string, number>();
  let turns = 0;

  const remove = (removed: Waiter): void => {
    waiters = waiters.filter((waiter) => waiter !== removed);
  };

  const choose = (eligible: readonly Waiter[]): Waiter | undefined => {
    const [oldest] = eligible;
    if (oldest === undefined || (turns + 1) % FAIR_EVERY === 0) return oldest;
    const highest = PRIORITIES.find((priority) => eligible.some((waiter) => waiter.turn.priority === priority));
    const rivals = eligible.filter(({ turn: { priority } }) => priority === highest);
    const lastTurn = ({ turn: { lane } }: Waiter): number => lastTurns.get(lane) ?? 0;
    return rivals.reduce((best, next) => (lastTurn(next) < lastTurn(best) ? next : best));
  };

  return {
    get size() {
      return waiters.length;
    },
    /** Adds a request. @returns a function that removes it without settling it */
    add: (waiter: Waiter): (() => void) => {
      waiters = [...waiters, waiter];
      return () => {
        remove(waiter);
      };
    },
    /** Removes and returns the next request; undefined if there is none. @param isHeld priorities that are skipped */
    next: (isHeld: (priority: RequestPriority) => boolean): Waiter | undefined => {
      const chosen = choose(waiters.filter(({ turn: { priority } }) => !isHeld(priority)));
      if (chosen === undefined) return undefined;
      turns += 1;
      remove(chosen);
      lastTurns.delete(chosen.turn.lane);
      lastTurns.set(chosen.turn.lane, turns);
      const [oldest] = lastTurns.keys();
      if (lastTurns.size > MAX_LANES && oldest !== undefined) lastTurns.delete(oldest);
      return chosen;
    },
    /** Returns the priorities of the waiting requests, the highest first. */
    priorities: (): readonly RequestPriority[] =>
      PRIORITIES.filter((priority) => waiters.some((waiter) => waiter.turn.priority === priority)),
    /** Removes all requests and admits none of them. */
    rejectAll: (): void => {
      const all = waiters;
      waiters = [];
      for (const { settle } of all) settle(false);
    },
  };
}

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
  /** Called when the result of `hasRoom` may have changed. */
  readonly onChange?: () => void;
  /**
   * Called when the platform starts to limit requests (the gate closes), and when it accepts one again, with the
   * milliseconds in between.
   */
  readonly onLimited?: (isLimited: boolean, sinceMs: number) => void;
}

/** The longest pause that `admit` waits out. For a longer one it returns the time, and the caller requeues its key. */
const SHORT_MS = 2_000;
const RESERVATION_MS = 10_000;
/** How long the gate waits for the answer to the first request after a pause before it admits a second request. */
const TRIAL_MS = 10_000;
/** How long started work may take until it sends its first request. */
const EXPECTED_MS = 1_000;
const MAX_JITTER_MS = 500;
const JITTER = 0.1;
/** Work is started while fewer requests wait than this part of a second's requests. */
const WAITING_PART = 0.25;
/** The longest time until the queue is served again: the priority of a waiter may have risen. */
const MAX_WAIT_MS = 1_000;
/** How long a caller that is rejected without a 429 waits before it tries again. */
const LATER_MS = 1_000;

/**
 * Creates the gate of one token, which is open.
 * @param options.ceiling returns the limits of the users, the lowest of each
 */
export function createGate(options: GateOptions) {
  const { clock, random, ceiling, onChange, onLimited = () => {} } = options;
  const now = (): number => clock.monotonic();
  const pacer = createPacer(now, ceiling);
  const queue = createRequestQueue();
  let cancelTimer = (): void => {};
  let isClosed = false;
  /** When each reservation lapses. */
  let reservations: readonly number[] = [];
  let opensAt = -Infinity;
  let closedAt = -Infinity;
  /** Since when no request has been accepted; undefined while requests are accepted. */
  let refusedAt: number | undefined;
  /** "due": the next request is the first after a pause. A number: the time until which its answer is awaited. */
  let trial: "none" | "due" | number = "none";
  let expectedUntil = -Infinity;

  const timers = new Set<() => void>();
  /** Calls `onChange` after `ms`. */
  const notifyAfter = (ms: number): void => {
    if (onChange === undefined) return;
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      onChange();
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
  const startTrial = (): void => {
    if (trial !== "due") return;
    pacer.resume();
    trial = now() + TRIAL_MS;
    notifyAfter(TRIAL_MS);
  };

  const take = (): void => {
    startTrial();
    pacer.take();
  };

  /** Admits every waiting request that may be sent now, and schedules itself for the requests that still wait. */
  const serve = (): void => {
    cancelTimer();
    const isHeld = (priority: RequestPriority): boolean => untilNext(priority) > 0;
    for (let waiter = queue.next(isHeld); waiter !== undefined; waiter = queue.next(isHeld)) {
      take();
      waiter.settle(true);
    }
    const soonest = Math.min(MAX_WAIT_MS, ...queue.priorities().map(untilNext));
    if (queue.size > 0) cancelTimer = clock.after(Math.max(1, soonest), serve);
    onChange?.();
  };

  const admit = async (turn: Turn, maxWaitMs = Number.POSITIVE_INFINITY): Promise<number> => {
    if (isClosed) return LATER_MS;
    if (pausedMs() > SHORT_MS) return pausedMs();
    if (queue.size === 0 && untilNext(turn.priority) === 0) {
      take();
      return 0;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const remove = queue.add({ turn, settle: resolve });
    const reject = (): void => {
      remove();
      resolve(false);
    };
    const cancel = maxWaitMs === Number.POSITIVE_INFINITY ? undefined : clock.after(maxWaitMs, reject);
    serve();
    const isAdmitted = await promise;
    cancel?.();
    return isAdmitted ? 0 : Math.max(LATER_MS, pausedMs());
  };

  const pause = (ms: number): void => {
    const jitter = Math.floor(random() * Math.min(MAX_JITTER_MS, ms * JITTER));
    opensAt = Math.max(opensAt, now() + ms + jitter);
    closedAt = now();
    if (refusedAt === undefined) onLimited(true, 0);
    refusedAt ??= closedAt;
    trial = "due";
    reservations = [];
    if (pausedMs() > SHORT_MS) queue.rejectAll();
    notifyAfter(pausedMs());
    serve();
  };

  const recordAnswer = ({ sentAt, pauseMs, quota }: RequestEnd): void => {
    const isCurrent = sentAt >= closedAt;
    if (pauseMs !== undefined) {
      // Requests that were in flight when the gate closed are no new evidence.
      if (isCurrent) pacer.recordRefused(pauseMs);
      pause(pauseMs);
      return;
    }
    const usedUpMs = pacer.recordAccepted(quota);
    if (isCurrent) {
      trial = "none";
      const since = refusedAt;
      refusedAt = undefined;
      if (since !== undefined) onLimited(false, now() - since);
    }
    if (usedUpMs > 0) pause(usedUpMs);
    else serve();
  };

  const liveReservations = () => reservations.filter((lapsesAt) => lapsesAt > now());

  return {
    /** Waits for a place. @returns 0 if the request may be sent now, else the milliseconds after which to try again */
    admit: (turn: Turn): Promise<number> => admit(turn),
    /** Reserves a place for a write. An unused reservation lapses after ten seconds. @returns as `admit` */
    reserve: async (turn: Turn): Promise<number> => {
      const waitMs = await admit(turn);
      if (waitMs > 0) return waitMs;
      reservations = [...liveReservations(), now() + RESERVATION_MS];
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
      const [first, ...rest] = liveReservations();
      reservations = rest;
      if (first === undefined) return admit(turn, SHORT_MS);
      startTrial();
      return 0;
    },
    /** Receives the end of every admitted request. */
    recordEnd: (end: RequestEnd): void => {
      if (end.isAnswered) recordAnswer(end);
      else if (end.sentAt >= closedAt && trial !== "none") {
        trial = "due";
        serve();
      }
    },
    /**
     * Reports whether work of this priority could soon send a request. If not, `onChange` is called when that may have
     * changed.
     */
    hasRoom: (priority: RequestPriority): boolean => {
      if (isClosed) return true;
      if (pausedMs() > 0) return false;
      if (trial !== "none") return trial === "due" ? now() >= expectedUntil : now() >= trial;
      return priority === "urgent" || queue.size < Math.max(1, pacer.rate() * WAITING_PART);
    },
    /** Records that work was started because there is room; after a pause there is room for one at first. */
    expect: (): void => {
      if (trial === "none") return;
      expectedUntil = now() + EXPECTED_MS;
      notifyAfter(EXPECTED_MS);
    },
    budget: (): Budget => ({
      requestsPerSecond: pacer.rate(),
      waiting: queue.size,
      pausedMs: pausedMs(),
      refusedMs: refusedAt === undefined ? 0 : now() - refusedAt,
    }),
    /** Rejects all waiting requests, and every later request without a reservation. */
    close: (): void => {
      isClosed = true;
      for (const cancel of [cancelTimer, ...timers]) cancel();
      queue.rejectAll();
    },
  };
}

/** A user of a token, which may be rotated. */
export interface Member {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly token: () => string;
  readonly ceiling: Ceiling;
  /** See `GateOptions.onLimited`. */
  readonly onLimited?: (isLimited: boolean, sinceMs: number) => void;
}

export type Gates = ReturnType<typeof createGates>;

interface Shared {
  readonly id: string;
  readonly gate: RateGate;
  readonly members: Set<Member>;
}

export interface GatesOptions {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** Called when the result of `hasRoom` of a gate may have changed. */
  readonly onChange?: () => void;
}

/** One gate for each token at each host, shared by all its users: a platform counts the requests of a token. */
export function createGates({ clock, random, onChange }: GatesOptions) {
  const open = new Map<string, Shared>();
  let made = 0;

  const create = (first: Member): Shared => {
    made += 1;
    const members = new Set([first]);
    const onLimited = (isLimited: boolean, sinceMs: number): void => {
      for (const member of members) member.onLimited?.(isLimited, sinceMs);
    };
    const ceiling = (): Ceiling => lowestCeiling(members);
    const gate = createGate({ clock, random, ceiling, onLimited, ...(onChange && { onChange }) });
    return { id: String(made), members, gate };
  };

  return {
    /**
     * Adds a user of a token. Its gate is that of its current token: a rotated token has another gate.
     * @returns the membership; `leave` ends it, and closes the gate if nobody else uses it
     */
    join: (member: Member) => {
      let key: string | undefined;

      const leave = (): void => {
        if (key === undefined) return;
        const shared = open.get(key);
        shared?.members.delete(member);
        if (shared?.members.size === 0) {
          shared.gate.close();
          open.delete(key);
        }
        key = undefined;
      };

      const current = (): Shared => {
        const wanted = `${member.origin} ${member.token()}`;
        const known = open.get(wanted);
        if (key === wanted && known !== undefined) return known;
        leave();
        key = wanted;
        const shared = known ?? create(member);
        open.set(wanted, shared);
        shared.members.add(member);
        return shared;
      };

      return {
        /** Returns the gate of the current token. */
        gate: (): RateGate => current().gate,
        /** Returns the id of the gate, the same for all members that send through it. */
        id: (): string => current().id,
        leave,
      };
    },
    /** Returns the gate with an id that a membership returned; undefined if it is no longer in use. */
    byId: (id: string): RateGate | undefined => [...open.values()].find((shared) => shared.id === id)?.gate,
    /** Returns the gates that are in use. */
    all: (): readonly RateGate[] => [...open.values()].map(({ gate }) => gate),
  };
}

/** Returns the lowest of several limits for one token. */
function lowestCeiling(members: ReadonlySet<Member>): Ceiling {
  const least = (limit: keyof Ceiling): number | undefined => {
    const limits = [...members].flatMap(({ ceiling }) => ceiling[limit] ?? []);
    return limits.length === 0 ? undefined : Math.min(...limits);
  };
  return { requestsPerSecond: least("requestsPerSecond"), burst: least("burst") };
}
