import { beforeEach, describe, expect, it } from "vitest";

import { manualClock, settle, type ManualClock } from "../../../test/support/kube/clock.ts";
import { KubeError } from "../api/errors.ts";
import { createController, type ControllerOptions, type Result } from "./controller.ts";
import { createWorkQueue, type WorkQueue } from "./workqueue.ts";

let clock: ManualClock;
let queue: WorkQueue;

beforeEach(() => {
  clock = manualClock();
  queue = createWorkQueue({ clock, random: () => 0 });
});

function run(reconcile: ControllerOptions["reconcile"], workers = 2) {
  const controller = createController({ queue, workers, reconcile });
  controller.start();
  return controller;
}

const busy = new KubeError("TooManyRequests", 429, "busy", 30_000);

/** A reconcile that the test ends. */
function held() {
  const ends: ((result: Result) => void)[] = [];
  const reconcile = () => new Promise<Result>((resolve) => ends.push(resolve));
  return { ends, reconcile };
}

describe("a controller", () => {
  it("works on as many keys at the same time as it has workers", async () => {
    const { ends, reconcile } = held();
    const controller = run(reconcile);
    for (const key of ["a", "b", "c"]) queue.add(key);
    await settle();
    expect(ends).toHaveLength(2);
    ends[0]?.({});
    await settle();
    expect(ends).toHaveLength(3);
    for (const end of ends) end({});
    await controller.stop();
    expect(queue.depth()).toBe(0);
  });

  it.each<[string, number, ControllerOptions["reconcile"]]>([
    ["after the time that its reconcile returns", 5_000, async () => ({ requeueAfterMs: 5_000 })],
    ["after the API server's Retry-After", 30_000, () => Promise.reject(busy)],
  ])("reconciles a key again %s", async (_when, waitMs, reconcile) => {
    let reconciles = 0;
    const controller = run((key) => {
      reconciles += 1;
      return reconcile(key);
    });
    queue.add("a");
    await clock.advance(waitMs - 1);
    expect(reconciles).toBe(1);
    await clock.advance(1);
    expect(reconciles).toBe(2);
    await controller.stop();
  });

  it("[A8] waits longer and longer for a key whose reconcile throws, and serves other keys", async () => {
    const reconciles: string[] = [];
    const controller = run(async (key) => {
      reconciles.push(key);
      if (key === "bad") throw new Error("boom");
      return {};
    });
    queue.add("bad");
    queue.add("good");
    await clock.advance(500);
    expect(reconciles).toEqual(["bad", "good"]);
    await clock.advance(500);
    expect(reconciles).toEqual(["bad", "good", "bad"]);
    await controller.stop();
  });

  it("begins with the shortest wait again after a successful reconcile", async () => {
    const results = [false, false, true, false];
    let reconciles = 0;
    const controller = run(async () => {
      if (results[reconciles++] !== true) throw new Error("boom");
      return {};
    });
    queue.add("a");
    await clock.advance(1_000 + 2_000);
    queue.add("a");
    await clock.advance(1_000);
    expect(reconciles).toBe(5);
    await controller.stop();
  });

  it("waits for running reconciles when it stops, and starts none", async () => {
    const { ends, reconcile } = held();
    const controller = run(reconcile, 1);
    queue.add("a");
    queue.add("b");
    await settle();
    let stopped = false;
    const stopping = controller.stop().then(() => (stopped = true));
    await settle();
    expect(stopped).toBe(false);
    ends[0]?.({ requeueAfterMs: 0 });
    await stopping;
    expect(ends).toHaveLength(1);
  });
});
