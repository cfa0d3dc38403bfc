import type { Ms } from "./types.ts";

/** The engine's times, in milliseconds. Tests scale them down. */
export interface Windows {
  /** From the acknowledgement of an intent to the start of its request, at most (docs/architecture.md §6: 5 s). */
  readonly sendMs: Ms;
  /** After which an intent whose effect is absent may be tried again (docs/architecture.md §6: 60 s). */
  readonly landingMs: Ms;
  /** How long an intermediate state has to last before it is written (docs/architecture.md §5: 10 s). */
  readonly deferMs: Ms;
  /** How long a waiting object may stay without a first status, so that YAML applied in one go writes none. */
  readonly graceMs: Ms;
  /** After which a settled object whose connection is in trouble says so (docs/architecture.md §5: 30 min). */
  readonly staleMs: Ms;
  /** How long Ready stays as it was while nobody can tell whether the object works (10 min). */
  readonly unknownMs: Ms;
  /** After which a connection whose probes keep failing is no longer Ready (2 min). */
  readonly outageMs: Ms;
  /** After which something that is referred to and does not exist stalls the object (10 min). */
  readonly missingMs: Ms;
  /** How far two lists that lack an object have to be apart, at least, for it to count as gone (60 s). */
  readonly absenceMs: Ms;
  /** When an object that has just become settled is looked at once more, before the poll interval begins (1 min). */
  readonly firstLookMs: Ms;
  /** The poll interval of what is settled (10 min) and the bounds of the follow interval (2 s to 30 s). */
  readonly pollMs: Ms;
  readonly followMinMs: Ms;
  readonly followMaxMs: Ms;
  /** The bounds of the backoff after failures (1 s to 5 min). */
  readonly backoffMinMs: Ms;
  readonly backoffMaxMs: Ms;
  /**
   * How long passes between two looks at one object that deliveries ask for, at least (docs/reliability.md E12: 5 s).
   */
  readonly hintMs: Ms;
  /**
   * How long a deletion waits for a connection or a token that is gone before it lets go (docs/architecture.md §7:
   * nothing hangs).
   */
  readonly releaseMs: Ms;
}

export const DEFAULT_WINDOWS: Windows = {
  sendMs: 5_000,
  landingMs: 60_000,
  deferMs: 10_000,
  graceMs: 2_000,
  staleMs: 1_800_000,
  unknownMs: 600_000,
  outageMs: 120_000,
  missingMs: 600_000,
  absenceMs: 60_000,
  firstLookMs: 60_000,
  pollMs: 600_000,
  followMinMs: 2_000,
  followMaxMs: 30_000,
  backoffMinMs: 1_000,
  backoffMaxMs: 300_000,
  hintMs: 5_000,
  releaseMs: 300_000,
};
