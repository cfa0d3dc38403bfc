/** One gate for each token at each host, shared by all its users: a platform counts the requests of a token. */
import type { Clock } from "../transport/clock.ts";
import { createGate, type RateGate } from "./gate.ts";
import type { Ceiling } from "./pacer.ts";

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
