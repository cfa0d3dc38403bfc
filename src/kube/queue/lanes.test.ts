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

describe("lanes", () => {
  it.each([
    ["a1 a2 a3", "a1 a2 a3"],
    ["a1 a2 a3 b1", "a1 b1 a2 a3"],
    ["a1 a2 b1 b2 c1", "a1 b1 c1 a2 b2"],
    ["a1 b1 a1", "a1 b1"],
  ])("%s are taken as %s", (keys, expected) => {
    expect(drain(filled(...keys.split(" "))).join(" ")).toBe(expected);
  });

  it("pass over those that are full", () => {
    expect(drain(filled("a1", "b1", "a2"), (lane) => lane === "a")).toEqual(["b1"]);
  });

  it("forget what is deleted", () => {
    const lanes = filled("a1", "a2", "b1");
    lanes.delete("a1");
    lanes.delete("b1");
    lanes.delete("b1");
    expect([lanes.size, lanes.head(open), drain(lanes)]).toEqual([1, ["a2", 1], ["a2"]]);
  });

  it("give every lane one turn before any has its second, whatever waits, and lose nothing", () => {
    const keys = fc.uniqueArray(
      fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat(20)).map(([lane, n]) => `${lane}${n}`),
    );
    fc.assert(
      fc.property(keys, (some) => {
        const lanes = filled(...some);
        expect(lanes.size).toBe(some.length);
        const taken = drain(lanes);
        expect(taken.toSorted()).toEqual(some.toSorted());
        const names = new Set(some.map(laneOf));
        const first = taken.slice(0, names.size).map(laneOf);
        expect(new Set(first)).toEqual(names);
        for (const name of names) {
          expect(taken.filter((key) => laneOf(key) === name)).toEqual(some.filter((key) => laneOf(key) === name));
        }
      }),
    );
  });
});
