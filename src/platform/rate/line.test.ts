import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLine, PRIORITIES, type RequestPriority } from "./line.ts";

/** Returns the order in which waiters are served. @param waiting priority and lane of each, in order of arrival */
function served(waiting: readonly (readonly [RequestPriority, string])[]): readonly string[] {
  const line = createLine();
  const told: string[] = [];
  for (const [index, [priority, lane]] of waiting.entries()) {
    line.join({ turn: { priority, lane }, go: (isAdmitted) => isAdmitted && told.push(`${priority} ${lane}${index}`) });
  }
  for (let next = line.next(() => false); next !== undefined; next = line.next(() => false)) next.go(true);
  return told;
}

describe("the line before the gate", () => {
  it("lets on what users ask for first, and routine checks last", () => {
    const order = served([...PRIORITIES].toReversed().map((priority) => [priority, ""]));
    expect(order).toEqual(["urgent 3", "high 2", "normal 1", "low 0"]);
  });

  it("has the lanes of a priority take turns", () => {
    const noisy = Array.from({ length: 4 }, () => ["high", "a"] as const);
    const order = served([...noisy, ["high", "b"], ["high", "b"]]);
    expect(order.slice(0, 4)).toEqual(["high a0", "high b4", "high a1", "high b5"]);
  });

  it("lets nobody starve: every fifth turn is of the one that waited longest", () => {
    const busy = Array.from({ length: 20 }, () => ["urgent", "a"] as const);
    expect(served([["low", "b"], ...busy]).indexOf("low b0")).toBe(4);
  });

  it("names the priorities of those who wait, lets one leave, passes over what is held, and turns away the rest", () => {
    const line = createLine();
    const told: boolean[] = [];
    const join = (priority: RequestPriority) =>
      line.join({ turn: { priority, lane: "" }, go: (isAdmitted) => told.push(isAdmitted) });
    join("low");
    const leave = join("urgent");
    expect(line.priorities()).toEqual(["urgent", "low"]);
    leave();
    expect(line.next((priority) => priority === "low")).toBeUndefined();
    expect(line.priorities()).toEqual(["low"]);
    line.turnAway();
    expect([line.size, told]).toEqual([0, [false]]);
  });

  it("loses nobody, whoever waits", () => {
    const waiter = fc.tuple(fc.constantFrom(...PRIORITIES), fc.constantFrom("a", "b", "c"));
    fc.assert(
      fc.property(fc.array(waiter, { maxLength: 40 }), (waiting) => {
        expect(new Set(served(waiting)).size).toBe(waiting.length);
      }),
    );
  });
});
