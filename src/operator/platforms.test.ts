import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { createReconcileTracker } from "../observability/reconcile-tracker.ts";
import { createTurns } from "./platforms.ts";

it("carries the namespace and the priority of a key along with the work on it, and nowhere else", async () => {
  const passes = createReconcileTracker(
    () => 0,
    (key) => (key.includes("/b/") ? "urgent" : "low"),
  );
  const turns = createTurns(passes);
  const told = await Promise.all(
    ["PlatformProject/a/x", "PlatformProject/b/x", "ClusterPlatformConnection//x"].map((key) =>
      passes.within(key, async () => {
        await setImmediate();
        return [turns.lane(), turns.priority()];
      }),
    ),
  );
  expect(told).toEqual([
    ["a", "low"],
    ["b", "urgent"],
    ["", "low"],
  ]);
  expect([turns.lane(), turns.priority()]).toEqual(["", "normal"]);
});

it("has a lane for each namespace and rate gate", () => {
  const turns = createTurns({ current: () => undefined }, (key) => (key.endsWith("x") ? "7" : ""));
  const lanes = ["PlatformProject/a/x", "PlatformProject/a/y", "ClusterPlatformConnection//y"].map(turns.laneOf);
  expect(lanes).toEqual(["a 7", "a ", " "]);
  expect(lanes.map(turns.gateIn)).toEqual(["7", "", ""]);
});
