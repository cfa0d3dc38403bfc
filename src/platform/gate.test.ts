import { describe, expect, it } from "vitest";

import { manualClock, settle } from "../../test/support/clock.ts";
import { createGate } from "./gate.ts";

function gateOf(requestsPerSecond: number, burst: number, random = () => 0) {
  const clock = manualClock();
  return { clock, gate: createGate({ requestsPerSecond, burst }, clock, random) };
}

/** What a promise has come to after the microtasks that are due. */
async function now<T>(promise: Promise<T>): Promise<T | "waiting"> {
  await settle();
  return Promise.race([promise, Promise.resolve("waiting" as const)]);
}

describe("the budget", () => {
  it("lets a burst through, then one request per interval", async () => {
    const { clock, gate } = gateOf(2, 3);
    expect(await Promise.all([gate.admit("write"), gate.admit("follow"), gate.admit("follow")])).toEqual([0, 0, 0]);
    const fourth = gate.admit("write");
    const fifth = gate.admit("write");
    expect(await now(fourth)).toBe("waiting");
    await clock.advance(500);
    expect(await now(fourth)).toBe(0);
    expect(await now(fifth)).toBe("waiting");
    await clock.advance(500);
    expect(await now(fifth)).toBe(0);
  });

  it("lets nobody wait more than two seconds, and tells how long it would be", async () => {
    const { gate } = gateOf(1, 1);
    await gate.admit("write");
    const waiting = [gate.admit("write"), gate.admit("write")];
    expect(await gate.admit("write")).toBe(3000);
    expect(await gate.admit("write")).toBe(3000); // one that was turned away has taken nothing
    expect(await now(waiting[1] ?? Promise.resolve(-1))).toBe("waiting");
  });

  it("leaves a quarter of the burst to others than idle sweeps", async () => {
    const { gate } = gateOf(0.1, 8);
    for (let taken = 0; taken < 6; taken += 1) expect(await gate.admit("sweep")).toBe(0);
    expect(await gate.admit("sweep")).toBeGreaterThan(0);
    expect(await gate.admit("write")).toBe(0);
    expect(await gate.admit("follow")).toBe(0);
    expect(gate.budget()).toEqual({ tokens: 0, pausedMs: 0 });
  });

  it("does not save up more than the burst", async () => {
    const { clock, gate } = gateOf(10, 2);
    await clock.advance(3_600_000);
    expect(gate.budget().tokens).toBe(2);
  });
});

describe("lanes", () => {
  /** How many milliseconds each of these waits, by its lane. @param calls lanes in the order of their coming */
  async function waits(calls: readonly string[]): Promise<readonly string[]> {
    const { clock, gate } = gateOf(10, 1);
    await gate.admit("write");
    const served: string[] = [];
    for (const lane of calls) {
      void gate.admit("write", lane).then((waitMs) => served.push(waitMs === 0 ? lane : `${lane} in ${waitMs}`));
    }
    await clock.advance(5_000);
    return served;
  }

  it.each([
    ["aaa", "aaa"],
    ["aaab", "baaa"],
    ["aaabbc", "cbabaa"],
  ])("%s are let on as %s", async (calls, expected) => {
    expect((await waits(calls.split(""))).join("")).toBe(expected);
  });

  it("that have nobody in the line join it while that of others is too long", async () => {
    const noisy = Array.from({ length: 30 }, () => "a");
    const served = await waits([...noisy, "b"]);
    expect(served.filter((one) => one === "a")).toHaveLength(20);
    expect(served.filter((one) => one === "a in 2100")).toHaveLength(10);
    expect(served.filter((one) => one.length === 1).indexOf("b")).toBe(0);
  });

  it("let a write pass a sweep that waits for a larger reserve", async () => {
    const { clock, gate } = gateOf(10, 8);
    for (let taken = 0; taken < 7; taken += 1) await gate.admit("write");
    const sweep = gate.admit("sweep", "a");
    const write = gate.admit("write", "b");
    expect(await now(write)).toBe(0);
    expect(await now(sweep)).toBe("waiting");
    await clock.advance(300);
    expect(await now(sweep)).toBe(0);
  });
});

describe("a pause", () => {
  it("turns everybody away at once, until it is over", async () => {
    const { clock, gate } = gateOf(100, 10);
    gate.pause(60_000);
    expect(await gate.admit("write")).toBe(60_000);
    await clock.advance(59_999);
    expect(await gate.admit("sweep")).toBe(1);
    await clock.advance(1);
    expect(await gate.admit("sweep")).toBe(0);
  });

  it("is lengthened by chance, never shortened by a later one", async () => {
    const { gate } = gateOf(100, 10, () => 0.5);
    gate.pause(60_000);
    gate.pause(1000);
    expect(gate.budget().pausedMs).toBe(60_250);
  });

  it("holds back those who were waiting for their turn, and those with a reservation", async () => {
    const { clock, gate } = gateOf(1, 1);
    expect(await gate.reserve("write")).toBe(0);
    const waiting = gate.admit("write");
    gate.pause(30_000);
    await clock.advance(1000);
    expect(await waiting).toBe(29_000);
    expect(await gate.admitReserved()).toBe(29_000);
  });
});

describe("a reservation", () => {
  it("is taken once and costs one token", async () => {
    const { gate } = gateOf(0.1, 2);
    expect(await gate.reserve("write")).toBe(0);
    expect(gate.budget().tokens).toBe(1);
    expect(await gate.admitReserved()).toBe(0);
    expect(gate.budget().tokens).toBe(1);
    expect(await gate.admitReserved()).toBe(0);
    expect(gate.budget().tokens).toBe(0);
    expect(await gate.admitReserved()).toBeGreaterThan(0);
  });

  it("lapses after ten seconds", async () => {
    const { clock, gate } = gateOf(0.001, 1);
    await gate.reserve("write");
    await clock.advance(10_000);
    expect(await gate.admitReserved()).toBeGreaterThan(0);
  });

  it("is refused when there is no token", async () => {
    const { gate } = gateOf(0.1, 1);
    await gate.admit("write");
    expect(await gate.reserve("write")).toBe(10_000);
    expect(await gate.admitReserved()).toBeGreaterThan(0);
  });
});
