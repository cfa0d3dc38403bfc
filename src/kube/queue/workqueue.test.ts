import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, type ManualClock } from "../../../test/support/kube/clock.ts";
import { createWorkQueue, type QueueOptions, type QueuePriority, type WorkQueue } from "./workqueue.ts";

let clock: ManualClock;
let queue: WorkQueue;

const laneOf = (key: string): string => key.split("/")[0] ?? "";
const create = (more: Partial<QueueOptions> = {}) => createWorkQueue({ clock, random: () => 0, ...more });

/** Takes all waiting keys, and marks each as done. */
async function drain(from: WorkQueue = queue): Promise<string[]> {
  const keys: string[] = [];
  while (from.depth() > 0) {
    const key = await from.get();
    if (key === undefined) break;
    keys.push(key);
    from.done(key);
  }
  return keys;
}

beforeEach(() => {
  clock = manualClock();
  queue = create();
});

describe("the queue of keys", () => {
  it.each([
    ["serves each key once, in the order of arrival", "a b a c b", "a b c"],
    ["serves changes first, then progress, then routine checks", "l/low n/normal h/high", "h n l"],
    ["raises the priority of a waiting key, and never lowers it", "a/low b/high a/high b/low", "b a"],
  ])("%s", async (_what, added, order) => {
    for (const each of added.split(" ")) {
      const [key = "", priority] = each.split("/");
      queue.add(key, priority as QueuePriority | undefined);
    }
    expect(await drain()).toEqual(order.split(" "));
  });

  it("never serves a key twice at the same time and loses none, in any order of calls", async () => {
    const step = fc.record({
      does: fc.constantFrom("add", "add after", "get", "done", "wait"),
      key: fc.constantFrom("0", "1", "2", "3", "4"),
      priority: fc.constantFrom<QueuePriority>("urgent", "high", "normal", "low"),
      ms: fc.integer({ min: -5, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const clock = manualClock();
        const queue = createWorkQueue({ clock, random: () => 0, laneOf: (key) => String(Number(key) % 2) });
        const inWork = new Set<string>();
        const wanted = new Set<string>();
        const takeOne = async () => {
          const key = (await queue.get()) ?? "";
          expect(inWork).not.toContain(key);
          inWork.add(key);
          wanted.delete(key);
        };
        for (const { does, key, priority, ms } of steps) {
          if (does === "get" && queue.depth() > 0) await takeOne();
          if (does === "done") {
            queue.done(key);
            inWork.delete(key);
          }
          if (does === "wait") await clock.advance(Math.max(0, ms));
          if (does === "add") queue.add(key, priority);
          if (does === "add after") queue.addAfter(key, ms);
          if (does.startsWith("add")) wanted.add(key);
        }
        await clock.advance(50);
        for (const key of inWork) queue.done(key);
        inWork.clear();
        while (queue.depth() > 0) await takeOne();
        expect([...wanted]).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it("keeps the highest priority of changes that arrive while a key is worked on", async () => {
    queue.add("a");
    await queue.get();
    queue.add("a", "high");
    queue.add("a", "low");
    queue.done("a");
    expect(queue.depth("high")).toBe(1);
  });
});

describe("the lanes of the queue", () => {
  it("let a routine check pass every fifth turn", async () => {
    queue.add("sweep", "low");
    await clock.advance(1);
    for (let n = 0; n < 9; n += 1) queue.add(`change-${String(n)}`, "high");
    expect((await drain()).indexOf("sweep")).toBe(4);
  });

  it("are served in turn within a priority", async () => {
    queue = create({ laneOf });
    for (let n = 0; n < 1_000; n += 1) queue.add(`noisy/${String(n)}`, "high");
    queue.add("other/sweep", "low");
    queue.add("quiet/1", "high");
    queue.add("quiet/2", "high");
    const order = await drain();
    expect(order).toHaveLength(1_003);
    expect(order.indexOf("quiet/1")).toBe(1);
    expect(order.indexOf("quiet/2")).toBe(3);
    // Changes go first, but one lane's changes do not all go before another lane's.
    expect(order.indexOf("other/sweep")).toBe(4);
  });

  it("of one tenant use a limited number of workers", async () => {
    queue = create({ laneOf, perLane: 2 });
    for (const key of ["noisy/1", "noisy/2", "noisy/3"]) queue.add(key);
    expect(await queue.get()).toBe("noisy/1");
    expect(await queue.get()).toBe("noisy/2");
    const third = queue.get();
    queue.add("quiet/1", "low");
    expect(await third).toBe("quiet/1");
    const fourth = queue.get();
    expect(queue.depth()).toBe(1);
    queue.done("quiet/1");
    queue.done("noisy/1");
    expect(await fourth).toBe("noisy/3");
  });

  it("serve a key again that changed while its lane was full", async () => {
    queue = create({ laneOf, perLane: 1 });
    queue.add("a/1");
    await queue.get();
    queue.add("a/1");
    const next = queue.get();
    queue.done("a/1");
    expect(await next).toBe("a/1");
  });
});

describe("room for work in the queue", () => {
  it("keeps keys waiting in their order while there is none, and serves other lanes", async () => {
    let isOpen = false;
    queue = create({ laneOf, hasRoom: (lane) => isOpen || lane !== "shut" });
    queue.add("shut/sweep", "low");
    queue.add("shut/new", "high");
    queue.add("shut/edit", "urgent");
    queue.add("open/sweep", "low");
    expect(await queue.get()).toBe("open/sweep");
    queue.done("open/sweep");
    const next = queue.get();
    expect(queue.depth()).toBe(3);
    isOpen = true;
    queue.resume();
    expect(await next).toBe("shut/edit");
    queue.done("shut/edit");
    expect(await drain()).toEqual(["shut/new", "shut/sweep"]);
  });

  it("is asked for by priority, and what is taken is reported", async () => {
    const taken: string[] = [];
    const taking = (lane: string) => taken.push(lane);
    queue = create({ laneOf, hasRoom: (_lane, priority) => priority === "urgent", taken: taking });
    queue.add("a/new", "high");
    queue.add("a/edit", "urgent");
    expect(await queue.get()).toBe("a/edit");
    queue.done("a/edit");
    expect(queue.depth()).toBe(1);
    expect(taken).toEqual(["a"]);
  });

  it("is asked for in the current lane of a key", async () => {
    let lane = "shut";
    queue = create({ laneOf: () => lane, hasRoom: (one) => one !== "shut" });
    queue.add("a", "low");
    const next = queue.get();
    lane = "open";
    queue.add("a", "low");
    expect(await next).toBe("a");
    queue.done("a");
    expect(queue.depth()).toBe(0);
  });

  it("includes one worker that only changes of users may use", async () => {
    queue = create({ laneOf, perLane: 1, spare: 1 });
    const workers = [queue.get(), queue.get()];
    queue.add("a/new", "high");
    queue.add("b/new", "high");
    expect(await workers[0]).toBe("a/new");
    expect(queue.depth()).toBe(1);
    queue.add("a/edit", "urgent");
    expect(await workers[1]).toBe("a/edit");
  });
});

describe("addAfter", () => {
  it("adds a key when the shortest of several delays is over", async () => {
    for (const ms of [5_000, 1_000, 9_000]) queue.addAfter("a", ms);
    await clock.advance(999);
    expect(queue.depth()).toBe(0);
    await clock.advance(1);
    expect(await drain()).toEqual(["a"]);
    expect(clock.pending()).toBe(0);
  });

  it("is canceled when the key is served before", async () => {
    queue.addAfter("a", 1_000);
    queue.add("a");
    expect(await drain()).toEqual(["a"]);
    await clock.advance(1_000);
    expect(await drain()).toEqual([]);
  });

  it.each([0, -1, Number.NaN])("adds a key at once after %d ms", (ms) => {
    queue.addAfter("a", ms);
    expect(queue.depth()).toBe(1);
  });

  it("[D2] does not add a key at once for a delay that a timer does not support", async () => {
    queue.addAfter("a", 3e9);
    await clock.advance(1_000);
    expect(queue.depth()).toBe(0);
  });
});

it("retry waits longer after each failure up to five minutes, until the key is forgotten", async () => {
  const delays: number[] = [];
  const next = async () => {
    const before = clock.monotonic();
    queue.retry("a");
    while (queue.depth() === 0) await clock.advance(1_000);
    await drain();
    return clock.monotonic() - before;
  };
  for (let failure = 0; failure < 11; failure += 1) delays.push(await next());
  expect(delays.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(delays.at(-1)).toBe(300_000);
  queue.forget("a");
  expect(await next()).toBe(1_000);
});

it("shutdown ends waiting workers, delays and waiting keys", async () => {
  queue.add("a");
  await queue.get();
  queue.add("a");
  const waiting = queue.get();
  queue.addAfter("b", 1_000);
  queue.shutdown();
  queue.done("a");
  queue.add("c");
  expect(await waiting).toBeUndefined();
  expect(await queue.get()).toBeUndefined();
  expect(queue.depth()).toBe(0);
  expect(clock.pending()).toBe(0);
});

it("the queue reports the metrics of controller-runtime's queue", async () => {
  const recorded: string[] = [];
  const metrics: QueueOptions["metrics"] = {
    added: () => recorded.push("add"),
    retried: () => recorded.push("retry"),
    waited: (seconds) => recorded.push(`waited ${String(seconds)}`),
    worked: (seconds) => recorded.push(`worked ${String(seconds)}`),
  };
  queue = create({ metrics });
  queue.add("a");
  queue.add("a");
  await clock.advance(2_000);
  await queue.get();
  await clock.advance(3_000);
  queue.add("b", "low");
  await queue.get();
  await clock.advance(1_000);
  expect(queue.unfinishedSeconds()).toBe(5);
  expect(queue.longestRunningSeconds()).toBe(4);
  queue.done("a");
  queue.retry("a");
  expect(recorded).toEqual(["add", "waited 2", "add", "waited 0", "worked 4", "retry"]);
});
