/** Who waits for the rate gate, in lanes that take turns, e.g. one for each namespace: none waits for all of another. */
export interface Waiter {
  /** How many tokens there have to be before it may take one. */
  readonly needs: number;
  readonly go: () => void;
}

export interface Line {
  readonly size: number;
  /** How many go before one that joins this lane now, as long as nobody else joins. */
  ahead(lane: string): number;
  join(lane: string, waiter: Waiter): void;
  /** Takes out the one whose turn it is, of those for whom there are tokens enough. */
  next(tokens: number): Waiter | undefined;
  /** The tokens that are needed for anybody to go on; Infinity while nobody waits. */
  least(): number;
}

/** Less than this is an error of rounding. */
const EPSILON = 1e-6;
/** @param most of so many lanes the place is kept while nobody is in them. @returns a line in which nobody waits. */
export function createLine(most = 5_000): Line {
  /** Those whose last turn is longest ago come first, before them those that had none. Empty ones keep their place. */
  let lanes: ReadonlyMap<string, readonly Waiter[]> = new Map();
  const heads = () =>
    [...lanes].flatMap(([lane, [head, ...rest]]) => (head === undefined ? [] : [{ lane, head, rest }]));

  const kept = () => (lanes.size < most ? lanes : [...lanes].filter(([, { length }]) => length > 0));

  return {
    get size() {
      return [...lanes.values()].reduce((sum, { length }) => sum + length, 0);
    },
    ahead: (lane) => {
      const turns = lanes.get(lane)?.length ?? 0;
      let sum = turns;
      let isBefore = lanes.has(lane);
      for (const [other, { length }] of lanes) {
        if (other === lane) isBefore = false;
        else sum += Math.min(length, isBefore ? turns + 1 : turns);
      }
      return sum;
    },
    join: (lane, waiter) => {
      const own = lanes.get(lane);
      lanes = own === undefined ? new Map([[lane, [waiter]], ...kept()]) : new Map(lanes).set(lane, [...own, waiter]);
    },
    next: (tokens) => {
      const found = heads().find(({ head }) => head.needs <= tokens + EPSILON);
      if (found === undefined) return undefined;
      const others = [...lanes].filter(([lane]) => lane !== found.lane);
      lanes = new Map([...others, [found.lane, found.rest]]);
      return found.head;
    },
    least: () => Math.min(...heads().map(({ head }) => head.needs)),
  };
}
