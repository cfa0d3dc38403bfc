import type { Ms } from "./types.ts";

/** The engine's times, in milliseconds. */
export const DEFAULT_WINDOWS = {
  /** From the acknowledgement of an intent to the start of its request, at most (docs/architecture.md §6). */
  sendMs: 5_000,
  /** After which an intent whose effect is absent may be tried again (docs/architecture.md §6). */
  landingMs: 60_000,
  /** How long an intermediate state has to last before it is written (docs/architecture.md §5). */
  deferMs: 10_000,
  /** How long a waiting object may stay without a first status, so that YAML applied in one go writes none. */
  graceMs: 2_000,
  /** After which a settled object whose connection is in trouble says so (docs/architecture.md §5). */
  staleMs: 1_800_000,
  /** How long Ready stays as it was while whether the object works cannot be observed. */
  unknownMs: 600_000,
  /** After which a connection whose probes keep failing is no longer Ready. */
  outageMs: 120_000,
  /** After which something that is referred to and does not exist stalls the object. */
  missingMs: 600_000,
  /** How far two lists that lack an object have to be apart, at least, for it to count as gone. */
  absenceMs: 60_000,
  /** When an object that has just become settled is looked at once more, before the poll interval begins. */
  firstLookMs: 60_000,
  /** The poll interval of what is settled, and the bounds of the follow interval. */
  pollMs: 600_000,
  followMinMs: 2_000,
  followMaxMs: 30_000,
  /** The bounds of the backoff after failures. */
  backoffMinMs: 1_000,
  backoffMaxMs: 300_000,
  /** How long passes between two reconciles of one object that deliveries ask for, at least (docs/reliability.md E12). */
  hintMs: 5_000,
  /**
   * How long a deletion waits for a connection or a token that is gone before it lets go (docs/architecture.md §7:
   * nothing hangs).
   */
  releaseMs: 300_000,
};

/** Tests scale them down. */
export type Windows = Readonly<Record<keyof typeof DEFAULT_WINDOWS, Ms>>;
