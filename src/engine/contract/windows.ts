import type { Ms } from "./kind.ts";

/** The engine's times, in milliseconds. */
export const DEFAULT_WINDOWS = {
  /** The longest time from the start of an intent's write to the start of its request (docs/project/architecture.md §6). */
  sendMs: 5_000,
  /** The landing window: after it, a request without an effect may be sent again (docs/project/architecture.md §6). */
  landingMs: 60_000,
  /** How long an intermediate state has to last before it is written (docs/project/architecture.md §5). */
  deferMs: 10_000,
  /** How long a waiting object may stay without a first status: objects that are applied together wait only briefly. */
  graceMs: 2_000,
  /** After this time a settled object reports that its connection fails (docs/project/architecture.md §5). */
  staleMs: 1_800_000,
  /** How long Ready keeps its status while the operator cannot observe whether the object works. */
  unknownMs: 600_000,
  /**
   * After this time a connection whose probes keep failing is no longer Ready, and a connection whose platform limits
   * requests reports that.
   */
  outageMs: 120_000,
  /** After this time a reference to a missing object stalls the object that has it. */
  missingMs: 600_000,
  /** How far two lists that lack an object have to be apart, at least, for it to count as gone. */
  absenceMs: 60_000,
  /** How soon an object that has just become settled is reconciled once more, before the poll interval begins. */
  firstLookMs: 60_000,
  /** The poll interval of settled objects, and the bounds of the follow interval. */
  pollMs: 600_000,
  followMinMs: 2_000,
  followMaxMs: 30_000,
  /** The bounds of the backoff after failures. */
  backoffMinMs: 1_000,
  backoffMaxMs: 300_000,
  /** The shortest time between two reconciles of one object that webhook deliveries cause. */
  deliveryGapMs: 5_000,
  /**
   * How long a deletion waits for a missing connection or token before it ends without it, where somebody may create
   * them again (docs/project/architecture.md §7).
   */
  releaseMs: 3_600_000,
  /** The same in a namespace that terminates, where nobody can; also for an orphan ledger that cannot be written. */
  releaseSoonMs: 300_000,
};

/** The engine's times. Tests shorten them. */
export type Windows = Readonly<Record<keyof typeof DEFAULT_WINDOWS, Ms>>;
