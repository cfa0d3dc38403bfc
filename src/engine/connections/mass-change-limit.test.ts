import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { createMassChangeLimit, type MassChangeLimit } from "./mass-change-limit.ts";

const WINDOW_MS = 600_000;

function takeMany(massChangeLimit: MassChangeLimit, times: number, objects: number): number {
  let taken = 0;
  for (let index = 0; index < times; index += 1) taken += massChangeLimit.take(`object-${index}`, objects) ? 1 : 0;
  return taken;
}

describe("the mass-change limit", () => {
  it.each([
    [0, 10],
    [1, 10],
    [200, 10],
    [201, 11],
    [1_000, 50],
    [5_000, 250],
  ])("of a connection with %i objects allows changes of %i in ten minutes", (objects, limit) => {
    const massChangeLimit = createMassChangeLimit(manualClock());
    expect(takeMany(massChangeLimit, 1_000, objects)).toBe(limit);
    expect(massChangeLimit.heldSince()).toBeDefined();
  });

  it("holds until it is released, however long that takes", async () => {
    const clock = manualClock();
    const massChangeLimit = createMassChangeLimit(clock);
    takeMany(massChangeLimit, 11, 1);
    await clock.advance(10 * WINDOW_MS);
    expect(massChangeLimit.heldSince()).toBeDefined();
    expect(massChangeLimit.take("another", 1)).toBe(false);
    massChangeLimit.release();
    expect(massChangeLimit.heldSince()).toBeUndefined();
    expect(takeMany(massChangeLimit, 11, 1)).toBe(10);
  });

  it("gives each hold a time of its own, in whole seconds, however soon it follows", () => {
    const massChangeLimit = createMassChangeLimit(manualClock());
    takeMany(massChangeLimit, 11, 1);
    const first = massChangeLimit.heldSince()?.getTime() ?? 0;
    massChangeLimit.release();
    takeMany(massChangeLimit, 11, 1);
    expect(massChangeLimit.heldSince()?.getTime()).toBe(first + 1_000);
    expect(first % 1_000).toBe(0);
  });

  it("counts an object once, however many requests its change needs", () => {
    const massChangeLimit = createMassChangeLimit(manualClock());
    for (let request = 0; request < 100; request += 1) expect(massChangeLimit.take("one", 1)).toBe(true);
    expect(takeMany(massChangeLimit, 1_000, 1)).toBe(9);
  });

  it("does not count what a user caused, nor what that change needs further, and lets it through while it holds", async () => {
    const clock = manualClock();
    const massChangeLimit = createMassChangeLimit(clock);
    for (let index = 0; index < 50; index += 1) expect(massChangeLimit.take(`meant-${index}`, 1, true)).toBe(true);
    expect(takeMany(massChangeLimit, 11, 1)).toBe(10);
    expect(massChangeLimit.take("meant-0", 1)).toBe(true);
    expect(massChangeLimit.take("another", 1, true)).toBe(true);
    await clock.advance(WINDOW_MS);
    expect(massChangeLimit.take("meant-0", 1)).toBe(false);
  });

  it("[D1] never holds slow changes, even if somebody sets the clock", async () => {
    const clock = manualClock();
    const massChangeLimit = createMassChangeLimit(clock);
    for (let index = 0; index < 50; index += 1) {
      expect(massChangeLimit.take(`object-${index}`, 1)).toBe(true);
      await clock.advance(WINDOW_MS / 9);
      clock.shiftWall(index % 2 === 0 ? -86_400_000 : 86_400_000);
    }
    expect(massChangeLimit.heldSince()).toBeUndefined();
  });
});
