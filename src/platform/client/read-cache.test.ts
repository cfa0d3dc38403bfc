import { describe, expect, it } from "vitest";

import { manualClock } from "../../../test/support/kube/clock.ts";
import { createCacheBudget, createReadCache, type Loaded } from "./read-cache.ts";

const project = { operation: "listProjects", ids: {}, query: "" } as const;
const stats = (projectId: string) =>
  ({ operation: "getProjectEnvironmentStats", ids: { projectId }, query: "" }) as const;

/** Loads 1, 2, 3, …, so that a value shows from which request it came. */
function setUp() {
  const clock = manualClock();
  let loads = 0;
  const load = async () => {
    loads += 1;
    return { value: loads, size: 10 };
  };
  const slow = (ms: number) => () =>
    new Promise<Loaded<string>>((resolve) => void clock.after(ms, () => resolve({ value: "slow", size: 10 })));
  const budget = createCacheBudget(100);
  const another = () => createReadCache(clock, budget);
  return { clock, load, slow, budget, another, reads: createReadCache(clock, createCacheBudget()) };
}

describe("shared reads", () => {
  it("send one request for equal reads at the same time, and separate ones for different reads", async () => {
    const { reads, load } = setUp();
    const all = [stats("a"), stats("a"), stats("b"), { ...stats("a"), query: "?x=1" }, project];
    expect(await Promise.all(all.map((key) => reads.get(key, 0, load)))).toEqual([1, 1, 2, 3, 4]);
  });

  it("do not wait for a read of another lane, and answer all lanes from memory", async () => {
    const { clock, reads, load, slow } = setUp();
    const noisy = reads.get({ ...project, lane: "noisy" }, 0, slow(5000));
    expect(await reads.get({ ...project, lane: "quiet" }, 0, load)).toBe(1);
    await clock.advance(5000);
    expect(await noisy).toBe("slow");
    expect(await reads.get({ ...project, lane: "other" }, 0, load)).toBe(2);
    expect(await reads.get({ ...project, lane: "noisy" }, 1000, load)).toBe(2);
  });

  it("are answered from memory up to the age that the caller allows", async () => {
    const { clock, reads, load } = setUp();
    expect(await reads.get(project, 0, load)).toBe(1);
    await clock.advance(9999);
    expect(await reads.get(project, 10_000, load)).toBe(1);
    await clock.advance(1);
    expect(await reads.get(project, 10_000, load)).toBe(2);
    expect(await reads.get(project, 0, load)).toBe(3);
  });

  it("count their age from when the request was sent", async () => {
    const { clock, reads, load, slow } = setUp();
    const first = reads.get(project, 0, slow(5000));
    await clock.advance(5000);
    expect(await first).toBe("slow");
    expect(await reads.get(project, 5000, load)).toBe(1);
  });

  it("share a failure with the callers that wait, and do not remember it", async () => {
    const { reads, load } = setUp();
    const fail = () => Promise.reject(new Error("down"));
    const both = await Promise.allSettled([reads.get(project, 0, fail), reads.get(project, 0, load)]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await reads.get(project, 10_000, load)).toBe(1);
  });

  it("forget all answers when the platform is known to have changed, also those in flight", async () => {
    const { clock, reads, load, slow } = setUp();
    await reads.get(project, 0, load);
    const first = reads.get(stats("a"), 0, slow(50));
    reads.clear();
    expect(await reads.get(project, 10_000, load)).toBe(2);
    await clock.advance(50);
    expect(await first).toBe("slow");
    expect(await reads.get(stats("a"), 10_000, load)).toBe(3);
  });

  it("forget exactly the answers that a write makes stale", async () => {
    const { reads, load } = setUp();
    const keys = [project, stats("a"), stats("b")];
    await Promise.all(keys.map((key) => reads.get(key, 0, load)));
    reads.invalidate("createEnvironment", { projectId: "a" });
    expect(await Promise.all(keys.map((key) => reads.get(key, 10_000, load)))).toEqual([1, 4, 3]);
    reads.invalidate("createApplication", { environmentId: "e" }); // its project is unknown
    expect(await Promise.all(keys.map((key) => reads.get(key, 10_000, load)))).toEqual([1, 5, 6]);
  });

  it("do not remember an answer that was in flight during a write", async () => {
    const { clock, reads, load, slow } = setUp();
    const before = reads.get(project, 0, slow(50));
    reads.invalidate("createProject", {});
    const after = reads.get(project, 10_000, load);
    await clock.advance(50);
    expect(await before).toBe("slow");
    expect(await after).toBe(1);
    expect(await reads.get(project, 10_000, load)).toBe(1);
  });

  it("remember at most 512 answers, and forget the oldest first", async () => {
    const { reads, load } = setUp();
    for (let index = 0; index < 600; index += 1) await reads.get(stats(String(index)), 0, load);
    expect(await reads.get(stats("599"), 10_000, load)).toBe(600);
    expect(await reads.get(stats("88"), 10_000, load)).toBe(89);
    expect(await reads.get(stats("87"), 10_000, load)).toBe(601);
  });

  it("[E5] of all clients share a limited memory, in which the client that uses most forgets its oldest answers", async () => {
    const { budget, another, load } = setUp();
    const [small, large] = [another(), another()];
    const byId = (count: number) => Array.from({ length: count }, (_, index) => stats(String(index)));
    for (const key of byId(2)) await small.get(key, 0, load);
    for (const key of byId(50)) await large.get(key, 0, load);
    expect(budget.total()).toBe(100);
    const asked = await Promise.all(byId(2).map((key) => small.get(key, 10_000, load)));
    expect(asked, "from memory").toEqual([1, 2]);
    expect(await large.get(stats("42"), 10_000, load), "one of the last eight").toBe(45);
    expect(await large.get(stats("41"), 10_000, load), "forgotten").toBe(53);
  });

  it("[E5] free their memory when an answer is stale, when it is read again, and when they end", async () => {
    const { clock, budget, another, load } = setUp();
    const reads = another();
    for (const key of [project, stats("a"), stats("b"), stats("a")]) await reads.get(key, 0, load);
    expect(budget.total()).toBe(30);
    reads.invalidate("createEnvironment", { projectId: "a" });
    expect(budget.total()).toBe(20);
    const late = reads.get(
      stats("c"),
      0,
      () => new Promise<Loaded<number>>((resolve) => void clock.after(5, () => resolve({ value: 0, size: 10 }))),
    );
    reads.clear();
    await clock.advance(5);
    await late;
    expect(budget.total()).toBe(0);
  });
});
