import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLanes, type Lanes } from "./lanes.ts";

const laneOf = (key: string): string => key.slice(0, 1);
const open = (): boolean => false;

function drain(lanes: Lanes, isFull: (lane: string) => boolean = open): readonly string[] {
  const taken: string[] = [];
  for (let head = lanes.head(isFull); head !== undefined; head = lanes.head(isFull)) {
    lanes.take(head[0]);
    taken.push(head[0]);
  }
  return taken;
}

function filled(...keys: readonly string[]): Lanes {
  const lanes = createLanes(laneOf);
  for (const [at, key] of keys.entries()) lanes.add(key, at);
  return lanes;
}

describe("the lanes of a queue", () => {
  it("that are full are passed over", () => {
    expect(drain(filled("a1", "b1", "a2"), (lane) => lane === "a")).toEqual(["b1"]);
  });

  it("do not serve a deleted key", () => {
    const lanes = filled("a1", "a2", "b1");
    lanes.delete("a1");
    lanes.delete("b1");
    lanes.delete("b1");
    expect(lanes.size).toBe(1);
    expect(lanes.head(open)).toEqual(["a2", 1]);
    expect(drain(lanes)).toEqual(["a2"]);
  });

  it("are served in turn, in the order of their first key, and each key once", () => {
    const key = fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(9)).map(([lane, n]) => `${lane}${n}`);
    fc.assert(
      fc.property(fc.array(key), (keys) => {
        const some = [...new Set(keys)];
        const lanes = filled(...keys);
        expect(lanes.size).toBe(some.length);
        const byLane = [...Map.groupBy(some, laneOf).values()];
        const rounds = [...some.keys()].flatMap((turn) => byLane.flatMap((lane) => lane.slice(turn, turn + 1)));
        expect(drain(lanes)).toEqual(rounds);
      }),
    );
  });
});
