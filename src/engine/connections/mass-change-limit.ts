/** The limit of mass changes that no new generation caused (docs/architecture.md §7). */
import type { Clock } from "../../kube/api/types.ts";

const WINDOW_MS = 600_000;

export interface MassChangeLimit {
  /**
   * Asks for one more write. @param objects how many objects the connection has
   * @returns false when max(10, 5 % of the objects) such writes were made in the last 10 minutes: then the limit holds
   * until it is released
   */
  take(objects: number): boolean;
  held(): boolean;
  /** Holds from now on: the limit held before the process started. */
  hold(): void;
  release(): void;
}

export function createMassChangeLimit(clock: Clock): MassChangeLimit {
  let taken: number[] = [];
  let holds = false;
  return {
    take: (objects) => {
      if (holds) return false;
      const now = clock.monotonic();
      taken = taken.filter((at) => now - at < WINDOW_MS);
      if (taken.length >= Math.max(10, Math.ceil(objects * 0.05))) {
        holds = true;
        return false;
      }
      taken.push(now);
      return true;
    },
    held: () => holds,
    hold: () => {
      holds = true;
    },
    release: () => {
      holds = false;
      taken = [];
    },
  };
}
