/** The clock, injected. src/kube declares the same interface, because neither layer may import the other. */
export interface Clock {
  /** Wall-clock time, for what is compared with the platform's dates. */
  now(): Date;
  /** Milliseconds on a clock that never jumps, for every duration. */
  monotonic(): number;
  /** Calls `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Resolves after `ms` milliseconds of `clock`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
