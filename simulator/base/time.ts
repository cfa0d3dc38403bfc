import type { Clock } from "./clock.ts";

/** The speed of work on the platform: a factor, or "instant" for no duration. */
export type Speed = number | "instant";

/**
 * The platform's time. Durations of its work are counted in virtual milliseconds, which run `speed` times as fast as
 * real ones; dates in answers are real wall-clock time, as is the `Date` header, so that clients can compare the two.
 */
export interface Time {
  /** Virtual milliseconds since the start. */
  virtual(): number;
  /** The wall-clock time at which the virtual time was `virtualMs`. */
  wall(virtualMs?: number): Date;
  /** Real milliseconds on a clock that never jumps, for lags, latencies and rate windows. */
  real(): number;
  /** The duration of work of `seconds`, in virtual milliseconds. */
  work(seconds: number): number;
  /** `seconds` of real time in virtual milliseconds. */
  lapse(seconds: number): number;
  speed(): Speed;
  setSpeed(speed: Speed): void;
  /** Advances the virtual time by `seconds`. */
  advance(seconds: number): void;
  /** Sets by how many seconds the wall clock, and with it dates and the `Date` header, differs from the real time. */
  shiftWall(seconds: number): void;
}

/** @returns a time that starts now. */
export function createTime(clock: Clock, initial: Speed): Time {
  let speed = initial;
  let anchor = { real: clock.monotonic(), virtual: 0 };
  let shiftMs = 0;

  const factor = (): number => (speed === "instant" ? 1 : speed);
  const virtual = (): number => anchor.virtual + (clock.monotonic() - anchor.real) * factor();

  return {
    virtual,
    wall(virtualMs) {
      const ago = virtualMs === undefined ? 0 : Math.max(0, virtual() - virtualMs) / factor();
      return new Date(clock.now().getTime() + shiftMs - ago);
    },
    real: () => clock.monotonic(),
    work: (seconds) => (speed === "instant" ? 0 : seconds * 1000),
    lapse: (seconds) => seconds * 1000 * factor(),
    speed: () => speed,
    setSpeed(next) {
      anchor = { real: clock.monotonic(), virtual: virtual() };
      speed = next;
    },
    advance(seconds) {
      anchor = { ...anchor, virtual: anchor.virtual + seconds * 1000 };
    },
    shiftWall(seconds) {
      shiftMs = seconds * 1000;
    },
  };
}
