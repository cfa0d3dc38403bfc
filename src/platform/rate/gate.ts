/**
 * The rate gate of one token: the queue of the requests that wait, the gate, and the gates of all tokens. A gate admits
 * requests at the rate that the pacer allows, by priority and then lane by lane. A 429 closes it for as long as the
 * platform asks, and headers that report a used-up window close it until the window ends. Then a single request tests
 * whether the platform accepts requests again.
 */
import type { Clock } from "../transport/clock.ts";
import { createPacer, PRIORITIES, type Ceiling, type Quota, type RequestPriority } from "./pacer.ts";

/** The priority and the lane of a request. */
export interface Turn {
  /** May rise while the request waits, e.g. when a user changes the object. */
  readonly priority: RequestPriority;
  readonly lane: string;
}

export interface Waiter {
  readonly turn: Turn;
  /** @param isAdmitted false when it is turned away */
  readonly go: (isAdmitted: boolean) => void;
}

/** Every fifth request taken is the one that waited longest, whatever its priority, so that nothing starves. */
const FAIR_EVERY = 5;
/** The number of lanes whose last turn is remembered. */
const MAX_LANES = 5_000;

/**
 * The queue of requests that wait for the gate. Requests of a higher priority come first. Among those of the same
 * priority, lanes take turns, e.g. one lane for each namespace.
 */
export function createLine() {
  let waiters: readonly Waiter[] = [];
  /** Lane → the number of its last turn, the oldest first. */
  const turns = new Map<string, number>();
  let turn = 0;

  const leave = (one: Waiter): void => {
    waiters = waiters.filter((waiter) => waiter !== one);
  };

  const choose = (open: readonly Waiter[]): Waiter | undefined => {
    const [oldest] = open;
    if (oldest === undefined || (turn + 1) % FAIR_EVERY === 0) return oldest;
    const highest = PRIORITIES.find((priority) => open.some((waiter) => waiter.turn.priority === priority));
    const rivals = open.filter(({ turn: { priority } }) => priority === highest);
    const lastTurn = ({ turn: { lane } }: Waiter): number => turns.get(lane) ?? 0;
    return rivals.reduce((best, next) => (lastTurn(next) < lastTurn(best) ? next : best));
  };

  return {
    get size() {
      return waiters.length;
    },
    /** Adds a request. @returns a function that removes it */
    join: (waiter: Waiter): (() => void) => {
      waiters = [...waiters, waiter];
      return () => {
        leave(waiter);
      };
    },
    /** Removes and returns the next request; undefined if there is none. @param isHeld priorities that are skipped */
    next: (isHeld: (priority: RequestPriority) => boolean): Waiter | undefined => {
      const chosen = choose(waiters.filter(({ turn: { priority } }) => !isHeld(priority)));
      if (chosen === undefined) return undefined;
      turn += 1;
      leave(chosen);
      turns.delete(chosen.turn.lane);
      turns.set(chosen.turn.lane, turn);
      const [oldest] = turns.keys();
      if (turns.size > MAX_LANES && oldest !== undefined) turns.delete(oldest);
      return chosen;
    },
    /** Returns the priorities of the waiting requests. */
    priorities: (): readonly RequestPriority[] =>
      PRIORITIES.filter((priority) => waiters.some((waiter) => waiter.turn.priority === priority)),
    /** Removes all requests and admits none of them. */
    turnAway: (): void => {
      const all = waiters;
      waiters = [];
      for (const { go } of all) go(false);
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

/** A user of a token, which may be rotated. */
export interface Member {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly token: () => string;
  readonly ceiling: Ceiling;
  /** See `GateOptions.limited`. */
  readonly limited?: (isLimited: boolean, sinceMs: number) => void;
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
  /** Called when gates may have room again. */
  readonly changed?: () => void;
}

/** One gate for each token at each host, shared by all its users: a platform counts the requests of a token. */
export function createGates({ clock, random, changed }: GatesOptions) {
  const open = new Map<string, Shared>();
  let made = 0;

  const create = (first: Member): Shared => {
    made += 1;
    const members = new Set([first]);
    const limited = (isLimited: boolean, sinceMs: number): void => {
      for (const member of members) member.limited?.(isLimited, sinceMs);
    };
    const gate = createGate({ clock, random, ceiling: () => lowest(members), limited, ...(changed && { changed }) });
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
        /** Returns the id of the gate, the same for all who send through it. */
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
function lowest(members: ReadonlySet<Member>): Ceiling {
  const least = (limit: keyof Ceiling): number | undefined => {
    const limits = [...members].flatMap(({ ceiling }) => ceiling[limit] ?? []);
    return limits.length === 0 ? undefined : Math.min(...limits);
  };
  return { requestsPerSecond: least("requestsPerSecond"), burst: least("burst") };
}
