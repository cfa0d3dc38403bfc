import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { manualClock, settle } from "../../../test/support/kube/clock.ts";
import { createGate, createGates, createRequestQueue, type GateOptions } from "./gate.ts";
import { type Ceiling, pauseMs, PRIORITIES, type RequestPriority } from "./pacer.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;

function gateOf(ceiling: Ceiling = {}, more: Partial<GateOptions> = {}) {
  const clock = manualClock();
  const gate = createGate({ clock, random: () => 0, ceiling: () => ceiling, ...more });
  const limit = (ms: number) => gate.recordEnd({ sentAt: clock.monotonic(), isAnswered: true, pauseMs: ms });
  return {
    clock,
    gate,
    limit,
    /** A pause that is over. */
    pause: async (ms: number) => {
      limit(ms);
      await clock.advance(ms);
    },
    admit: (priority: RequestPriority = "high") => gate.admit({ priority, lane: "" }),
    reserve: () => gate.reserve({ priority: "high", lane: "" }),
    admitReserved: () => gate.admitReserved({ priority: "high", lane: "" }),
    succeed: () => gate.recordEnd({ sentAt: clock.monotonic(), isAnswered: true }),
    hasRoom: (...priorities: readonly RequestPriority[]) => priorities.map((one) => gate.hasRoom(one)),
  };
}

interface Window {
  readonly limit: number;
  readonly windowMs: number;
  /** Whether every answer has X-RateLimit-Limit, -Remaining and -Reset; otherwise only a 429 has -Reset. */
  readonly tells: boolean;
  readonly latencyMs?: number;
}

/** A gate, and a platform behind it that counts in fixed windows: when it accepted and refused requests. */
function behindGate({ limit, windowMs, tells, latencyMs = 40 }: Window, ceiling: Ceiling = {}) {
  const { clock, gate } = gateOf(ceiling);
  const passed: { readonly at: number; readonly lane: string }[] = [];
  const refused: number[] = [];
  let window = { endsAt: -Infinity, used: 0 };

  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const arrive = () => {
    const now = clock.monotonic();
    if (window.endsAt <= now) window = { endsAt: now + windowMs, used: 0 };
    window = { ...window, used: window.used + 1 };
    const resetMs = Math.ceil((window.endsAt - now) / SECOND) * SECOND;
    return { isAllowed: window.used <= limit, resetMs, remaining: Math.max(0, limit - window.used) };
  };
  /** Sends one request, and repeats it after each 429. Resolves when it was accepted. */
  const send = async (priority: RequestPriority = "high", lane = ""): Promise<void> => {
    for (;;) {
      const waitMs = await gate.admit({ priority, lane });
      if (waitMs > 0) {
        await wait(waitMs);
        continue;
      }
      const sentAt = clock.monotonic();
      await wait(latencyMs / 2);
      const { isAllowed, resetMs, remaining } = arrive();
      await wait(latencyMs / 2);
      if (!isAllowed) refused.push(clock.monotonic());
      else passed.push({ at: clock.monotonic(), lane });
      const quota = tells ? { limit, remaining, resetMs } : undefined;
      gate.recordEnd({ sentAt, isAnswered: true, quota, ...(isAllowed ? {} : { pauseMs: Math.max(500, resetMs) }) });
      if (isAllowed) return;
    }
  };
  const sendMany = (count: number, priority: RequestPriority, lane: string): void => {
    for (let sent = 0; sent < count; sent += 1) void send(priority, lane);
  };
  return { clock, gate, passed, refused, send, sendMany };
}

/** Returns the result of a promise after all due microtasks. */
async function now<T>(promise: Promise<T>): Promise<T | "waiting"> {
  await settle();
  return Promise.race([promise, Promise.resolve("waiting" as const)]);
}

/** Sends requests, ten at a time, to a platform that counts in fixed windows. */
async function sendAll(window: Window, calls: number, ceiling?: Ceiling) {
  const { clock, passed, refused, send } = behindGate(window, ceiling);
  let left = calls;
  const worker = async (): Promise<void> => {
    for (; left > 0; await send()) left -= 1;
  };
  void Array.from({ length: 10 }, worker);
  while (passed.length < calls) await clock.advance(window.windowMs / 10);
  const tookMs = passed.at(-1)?.at ?? Infinity;
  const boundMs = (Math.ceil(calls / window.limit) - 1) * window.windowMs;
  const late = (at: number): boolean => at > 10 * SECOND;
  const lateRefused = refused.filter(late).length;
  const sent = lateRefused + passed.filter(({ at }) => late(at)).length;
  return { tookMs, boundMs, refused: refused.length, lateShare: sent === 0 ? 0 : lateRefused / sent };
}

describe("the learned rate", () => {
  it.each([
    { limit: 20, windowMs: SECOND, calls: 700, tells: true, within: 1.1, most: 0 },
    { limit: 5, windowMs: SECOND, calls: 300, tells: false, within: 1.2, most: 0.005 },
    { limit: 10, windowMs: SECOND / 2, calls: 700, tells: false, within: 1.2, most: 0.005 },
  ])(
    "is learned from the headers without a 429, or from 429s alone: %j",
    async ({ calls, within, most, ...window }) => {
      const { tookMs, boundMs, refused, lateShare } = await sendAll(window, calls);
      expect(tookMs).toBeLessThanOrEqual(within * boundMs);
      expect(lateShare).toBeLessThanOrEqual(most);
      expect(window.tells ? refused : 0).toBe(0);
    },
  );

  it.each([
    { limit: 600, windowMs: 60 * SECOND, calls: 1_500, tells: true, most: 0 },
    { limit: 600, windowMs: 60 * SECOND, calls: 1_500, tells: false, most: 0.01 },
    { limit: 1_000, windowMs: HOUR, calls: 1_200, tells: true, most: 0 },
    { limit: 1_000, windowMs: HOUR, calls: 1_200, tells: false, most: 0.01 },
  ])("uses a long window up, within one window of the bound: %j", async ({ calls, most, ...window }) => {
    const { tookMs, boundMs, lateShare } = await sendAll(window, calls);
    expect(tookMs).toBeLessThanOrEqual(boundMs + window.windowMs);
    expect(lateShare).toBeLessThanOrEqual(most);
  });

  it("begins at ten requests a second and doubles each second that uses it, while nothing is refused", async () => {
    const { clock, gate, sendMany } = behindGate({ limit: 1e9, windowMs: SECOND, tells: false, latencyMs: 2 });
    sendMany(200, "high", "");
    await clock.advance(10);
    expect(gate.budget().requestsPerSecond).toBe(10);
    await clock.advance(3_500);
    expect(gate.budget().requestsPerSecond).toBe(80);
  });

  it("does not rise for a token that hardly sends", async () => {
    const { clock, gate, admit, succeed } = gateOf();
    for (let sent = 0; sent < 100; sent += 1) {
      expect(await admit("low")).toBe(0);
      succeed();
      await clock.advance(SECOND);
    }
    expect(gate.budget().requestsPerSecond).toBe(10);
  });

  it("begins at the user's limit, and never exceeds it", async () => {
    const window = { limit: 1e6, windowMs: SECOND, tells: true };
    const { tookMs, refused } = await sendAll(window, 500, { requestsPerSecond: 50 });
    expect(refused).toBe(0);
    expect(tookMs).toBeGreaterThan(9 * SECOND);
    expect(tookMs).toBeLessThan(11 * SECOND);
  });

  it("allows a burst that the user sets", async () => {
    const { admit } = gateOf({ requestsPerSecond: 1, burst: 3 });
    expect(await Promise.all([1, 2, 3].map(() => admit()))).toEqual([0, 0, 0]);
    expect(await now(admit())).toBe("waiting");
  });

  it("leaves half of a long window to requests with a higher priority than routine checks", async () => {
    const { clock, passed, send, sendMany } = behindGate({ limit: 100, windowMs: HOUR, tells: true });
    sendMany(100, "low", "sweeps");
    await clock.advance(10 * SECOND);
    expect(passed.length).toBeLessThan(65);
    void send("urgent", "edit");
    await clock.advance(SECOND);
    expect(passed.filter(({ lane }) => lane === "edit")).toHaveLength(1);
  });

  it("lets a waiting request pass when its priority rises", async () => {
    const { clock, gate, sendMany } = behindGate({ limit: 100, windowMs: HOUR, tells: true });
    sendMany(100, "low", "sweeps");
    await clock.advance(10 * SECOND);
    const turn: { priority: RequestPriority; lane: string } = { priority: "low", lane: "edited" };
    const edited = gate.admit(turn);
    await clock.advance(10 * SECOND);
    expect(await now(edited)).toBe("waiting");
    turn.priority = "urgent";
    await clock.advance(SECOND);
    expect(await now(edited)).toBe(0);
  });
});

describe("[C1] a 429 of the platform", () => {
  it("lets one request an hour through a pause of a day", async () => {
    const { admit, clock, limit } = gateOf();
    const askedMs = pauseMs((name) => (name === "x-ratelimit-reset" ? "86400" : undefined), new Date(0));
    limit(askedMs);
    for (let hour = 1; hour < 24; hour += 1) {
      expect(await admit()).toBeGreaterThan(0);
      await clock.advance(HOUR);
      expect(await admit()).toBe(0);
      const second = admit();
      limit(askedMs);
      expect(await second).toBeGreaterThan(0);
    }
  });

  it("refuses all requests at once until its pause is over, for at most an hour", async () => {
    const { clock, gate, admit, reserve, limit, hasRoom } = gateOf({ requestsPerSecond: 100, burst: 100 });
    limit(HOUR);
    expect(await admit("urgent")).toBe(HOUR);
    expect(await reserve()).toBe(HOUR);
    expect(hasRoom("urgent")).toEqual([false]);
    await clock.advance(HOUR - 1);
    expect(gate.budget().pausedMs).toBe(1);
    await clock.advance(1);
    expect(await admit("low")).toBe(0);
  });

  it("is followed by one request, and by more only once that request has succeeded", async () => {
    const { clock, gate, admit, limit, pause, succeed, hasRoom } = gateOf({ requestsPerSecond: 100, burst: 100 });
    await pause(5 * SECOND);
    expect(hasRoom("low")).toEqual([true]);
    gate.expect();
    expect(hasRoom("urgent")).toEqual([false]);
    const calls = [1, 2, 3].map(() => admit());
    expect(await Promise.all(calls.map(now))).toEqual([0, "waiting", "waiting"]);
    limit(5 * SECOND);
    expect(await Promise.all(calls.map(now))).toEqual([0, 5 * SECOND, 5 * SECOND]);
    await clock.advance(5 * SECOND);
    const again = [1, 2].map(() => admit());
    succeed();
    await clock.advance(SECOND);
    expect(await Promise.all(again.map(now))).toEqual([0, 0]);
  });

  it("is followed by the next request after ten seconds if the first one does not end", async () => {
    const { clock, admit, pause } = gateOf({ requestsPerSecond: 100 });
    await pause(5 * SECOND);
    const calls = [1, 2].map(() => admit());
    await clock.advance(9 * SECOND);
    expect(await Promise.all(calls.map(now))).toEqual([0, "waiting"]);
    await clock.advance(SECOND);
    expect(await Promise.all(calls.map(now))).toEqual([0, 0]);
  });

  it("is followed by the next request at once if the first one gets no answer", async () => {
    const { clock, gate, admit, pause } = gateOf();
    await pause(5 * SECOND);
    const calls = [1, 2].map(() => admit());
    gate.recordEnd({ sentAt: -1, isAnswered: false });
    expect(await Promise.all(calls.map(now))).toEqual([0, "waiting"]);
    gate.recordEnd({ sentAt: clock.monotonic(), isAnswered: false });
    expect(await Promise.all(calls.map(now))).toEqual([0, 0]);
  });

  it("pauses requests up to a tenth longer than asked, but at most half a second longer", () => {
    const pausedMs = (askedMs: number): number => {
      const { gate, limit } = gateOf({}, { random: () => 0.5 });
      limit(askedMs);
      return gate.budget().pausedMs;
    };
    expect(pausedMs(SECOND)).toBe(1.05 * SECOND);
    expect(pausedMs(HOUR)).toBe(HOUR + 250);
  });

  it("leaves no burst after its pause", async () => {
    const { clock, admit, pause, succeed } = gateOf({ requestsPerSecond: 10, burst: 50 });
    await pause(60 * SECOND);
    expect(await admit()).toBe(0);
    succeed();
    const calls = Array.from({ length: 50 }, () => admit());
    await clock.advance(SECOND);
    const passed = await Promise.all(calls.map(now));
    expect(passed.filter((waitMs) => waitMs === 0).length).toBeLessThanOrEqual(10);
  });

  it("with a short pause keeps requests waiting", async () => {
    const { clock, admit, limit } = gateOf();
    limit(SECOND);
    const call = admit();
    expect(await now(call)).toBe("waiting");
    await clock.advance(SECOND);
    expect(await call).toBe(0);
  });

  it("for a request that was sent before the pause began does not lower the rate again", () => {
    const { gate, limit } = gateOf({ requestsPerSecond: 100 });
    limit(5 * SECOND);
    const once = gate.budget().requestsPerSecond;
    gate.recordEnd({ sentAt: -1, isAnswered: true, pauseMs: 6 * SECOND });
    expect(gate.budget()).toMatchObject({ requestsPerSecond: once, pausedMs: 6 * SECOND });
  });

  it("is avoided by a pause when the headers say that no request is left", async () => {
    const { clock, gate, admit } = gateOf();
    const quota = (remaining: number) => ({ limit: 100, remaining, resetMs: 30 * SECOND });
    // A platform that always reports 0 is not believed.
    for (let answer = 0; answer < 2; answer += 1) gate.recordEnd({ sentAt: 0, isAnswered: true, quota: quota(0) });
    expect(gate.budget().pausedMs).toBe(0);
    gate.recordEnd({ sentAt: 0, isAnswered: true, quota: quota(1) });
    gate.recordEnd({ sentAt: 0, isAnswered: true, quota: quota(0) });
    expect(gate.budget().pausedMs).toBe(30 * SECOND);
    await clock.advance(30 * SECOND);
    expect(await admit()).toBe(0);
  });

  it("is reported once when its pause begins, and once with the duration when it ends", async () => {
    const reports: unknown[] = [];
    const { clock, gate, pause, succeed } = gateOf({}, { onLimited: (...report) => reports.push(report) });
    await clock.advance(SECOND);
    for (const pauseMs of [SECOND, 2 * SECOND]) await pause(pauseMs);
    gate.recordEnd({ sentAt: 0, isAnswered: true }); // no news: sent before the pause
    expect(reports).toEqual([[true, 0]]);
    expect(gate.budget().refusedMs).toBe(3 * SECOND);
    succeed();
    succeed();
    expect(reports).toEqual([
      [true, 0],
      [false, 3 * SECOND],
    ]);
    expect(gate.budget().refusedMs).toBe(0);
  });
});

describe("a reservation at the rate gate", () => {
  it("is used once, and costs one request", async () => {
    const { reserve, admitReserved } = gateOf({ requestsPerSecond: 1, burst: 1 });
    expect(await reserve()).toBe(0);
    expect(await admitReserved()).toBe(0);
    expect(await now(admitReserved())).toBe("waiting");
  });

  it("expires after ten seconds", async () => {
    const { clock, admit, reserve, admitReserved } = gateOf({ requestsPerSecond: 1, burst: 1 });
    await reserve();
    await clock.advance(10 * SECOND);
    expect(await admitReserved()).toBe(0);
    expect(await now(admit())).toBe("waiting");
  });

  it("that cannot be had within two seconds leaves the line", async () => {
    const { clock, gate, admit, admitReserved } = gateOf({ requestsPerSecond: 0.1, burst: 1 });
    await admit();
    const late = admitReserved();
    expect(gate.budget().waiting).toBe(1);
    await clock.advance(2 * SECOND);
    expect(await late).toBe(SECOND);
    expect(gate.budget().waiting).toBe(0);
  });

  it("after a pause leaves room for a read before the write", async () => {
    const { admit, reserve, pause } = gateOf();
    await pause(5 * SECOND);
    expect(await reserve()).toBe(0);
    expect(await now(admit())).toBe(0);
  });

  it("is lost when a pause begins", async () => {
    const { reserve, admitReserved, limit } = gateOf();
    await reserve();
    limit(SECOND);
    expect(await now(admitReserved())).toBe(SECOND);
    limit(30 * SECOND);
    expect(await admitReserved()).toBe(30 * SECOND);
  });

  it("is not there after a short pause either: only one request follows the pause", async () => {
    const { reserve, admitReserved, pause } = gateOf({ requestsPerSecond: 10, burst: 2 });
    await reserve();
    await reserve();
    await pause(SECOND);
    expect(await admitReserved()).toBe(0);
    expect(await now(admitReserved())).toBe("waiting");
  });
});

describe("room for work at the rate gate", () => {
  it("ends while requests wait, except for requests of users", async () => {
    let changes = 0;
    const { clock, admit, hasRoom } = gateOf(
      {},
      {
        onChange: () => {
          changes += 1;
        },
      },
    );
    expect(hasRoom("urgent", "low")).toEqual([true, true]);
    for (let call = 0; call < 5; call += 1) void admit("low");
    expect(hasRoom("urgent", "high", "normal", "low")).toEqual([true, false, false, false]);
    changes = 0;
    await clock.advance(SECOND);
    expect(changes).toBeGreaterThan(0);
    expect(hasRoom("low")).toEqual([true]);
  });

  it("is checked again when a pause, the work that it lets start, or the wait for the first answer ends", async () => {
    const changes: number[] = [];
    const { clock, gate, admit, pause, hasRoom } = gateOf({}, { onChange: () => changes.push(clock.monotonic()) });
    await pause(5 * SECOND);
    gate.expect();
    await clock.advance(SECOND);
    expect(hasRoom("low")).toEqual([true]);
    await admit("low");
    await clock.advance(10 * SECOND - 1);
    expect(hasRoom("low")).toEqual([false]);
    await clock.advance(1);
    expect(hasRoom("low")).toEqual([true]);
    expect(changes).toEqual([0, 5 * SECOND, 6 * SECOND, 16 * SECOND]);
  });

  it("no longer matters once the gate is closed, which refuses all waiting requests", async () => {
    const { clock, gate, admit, limit, hasRoom } = gateOf({ requestsPerSecond: 1, burst: 1 });
    const [first, second] = [admit(), admit()];
    gate.close();
    expect(await first).toBe(0);
    expect(await second).toBe(SECOND);
    expect(await admit()).toBe(SECOND);
    expect(clock.pending()).toBe(0);
    limit(HOUR);
    expect(hasRoom("low")).toEqual([true]);
  });
});

/** Returns the order in which waiters are served. @param waiting priority and lane of each, in order of arrival */
function served(waiting: readonly (readonly [RequestPriority, string])[]): readonly string[] {
  const queue = createRequestQueue();
  const served: string[] = [];
  for (const [index, [priority, lane]] of waiting.entries()) {
    queue.add({
      turn: { priority, lane },
      settle: (isAdmitted) => isAdmitted && served.push(`${priority} ${lane}${index}`),
    });
  }
  for (let next = queue.next(() => false); next !== undefined; next = queue.next(() => false)) next.settle(true);
  return served;
}

describe("the queue of requests before the rate gate", () => {
  it("serves requests of users first, and routine checks last", () => {
    const order = served([...PRIORITIES].toReversed().map((priority) => [priority, ""]));
    expect(order).toEqual(["urgent 3", "high 2", "normal 1", "low 0"]);
  });

  it("serves the lanes of a priority in turn", () => {
    const noisy = Array.from({ length: 4 }, () => ["high", "a"] as const);
    const order = served([...noisy, ["high", "b"], ["high", "b"]]);
    expect(order.slice(0, 4)).toEqual(["high a0", "high b4", "high a1", "high b5"]);
  });

  it("serves the request that waited longest at every fifth turn", () => {
    const busy = Array.from({ length: 20 }, () => ["urgent", "a"] as const);
    expect(served([["low", "b"], ...busy]).indexOf("low b0")).toBe(4);
  });

  it("names the waiting priorities, lets a request leave, passes over held priorities, and refuses all", () => {
    const queue = createRequestQueue();
    const settled: boolean[] = [];
    const join = (priority: RequestPriority) =>
      queue.add({ turn: { priority, lane: "" }, settle: (isAdmitted) => settled.push(isAdmitted) });
    join("low");
    const leave = join("urgent");
    expect(queue.priorities()).toEqual(["urgent", "low"]);
    leave();
    expect(queue.next((priority) => priority === "low")).toBeUndefined();
    expect(queue.priorities()).toEqual(["low"]);
    queue.rejectAll();
    expect(queue.size).toBe(0);
    expect(settled).toEqual([false]);
  });

  it("serves every request once", () => {
    const waiter = fc.tuple(fc.constantFrom(...PRIORITIES), fc.constantFrom("a", "b", "c"));
    fc.assert(
      fc.property(fc.array(waiter, { maxLength: 40 }), (waiting) => {
        expect(new Set(served(waiting)).size).toBe(waiting.length);
      }),
    );
  });
});

const member = (token: () => string, requestsPerSecond?: number) => ({
  origin: "https://platform.example.com",
  token,
  ceiling: { requestsPerSecond },
});

describe("the rate gates of connections", () => {
  it("are shared by connections with the same host and token, use the lowest of their limits, and change with the token", () => {
    const gates = createGates({ clock: manualClock(), random: () => 0 });
    let token = "one";
    const first = gates.join(member(() => token, 40));
    const second = gates.join(member(() => "one", 7));
    const other = gates.join({ ...member(() => "one"), origin: "https://other.example.com" });
    expect(first.gate()).toBe(second.gate());
    expect(other.gate()).not.toBe(first.gate());
    expect(gates.byId(first.id())).toBe(second.gate());
    expect(gates.byId(other.id())).toBe(other.gate());
    expect(first.gate().budget().requestsPerSecond).toBe(7);
    token = "two";
    expect(first.gate()).not.toBe(second.gate());
    expect(gates.all()).toHaveLength(3);
    second.leave();
    expect(gates.all()).toEqual([other.gate(), first.gate()]);
  });

  it("report a pause and a change to each of their connections", () => {
    const reports: string[] = [];
    const gates = createGates({ clock: manualClock(), random: () => 0, onChange: () => void reports.push("changed") });
    const named = (name: string) => ({ ...member(() => "one"), onLimited: () => void reports.push(name) });
    const [first] = [named("first"), named("second"), member(() => "one")].map((one) => {
      const joined = gates.join(one);
      joined.gate();
      return joined;
    });
    first?.gate().recordEnd({ sentAt: 0, isAnswered: true, pauseMs: 1_000 });
    expect(reports).toEqual(["first", "second", "changed"]);
  });

  it("are closed when their last connection leaves", async () => {
    const gates = createGates({ clock: manualClock(), random: () => 0 });
    const [first, second] = [gates.join(member(() => "one", 1)), gates.join(member(() => "one", 1))];
    const gate = first.gate();
    expect(second.gate()).toBe(gate);
    expect(await gate.admit({ priority: "high", lane: "" })).toBe(0);
    const waiting = gate.admit({ priority: "high", lane: "" });
    first.leave();
    first.leave();
    expect(gate.budget().waiting).toBe(1);
    second.leave();
    expect(await waiting).toBeGreaterThan(0);
    expect(gates.byId("1")).toBeUndefined();
  });
});
