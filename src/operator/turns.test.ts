import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import type { ReconcilePriority } from "../engine/triggers.ts";
import { createReconcileTracker } from "../observability/reconcile-tracker.ts";
import { createTurns } from "./turns.ts";

it("turns of requests carry the namespace and the priority of the reconcile that sends them", async () => {
  const priorityOf = (key: string) => (key.includes("/b/") ? "urgent" : "low");
  const tracker = createReconcileTracker(() => 0, priorityOf);
  const turns = createTurns(tracker);
  const seen = await Promise.all(
    ["PlatformProject/a/x", "PlatformProject/b/x", "ClusterPlatformConnection//x"].map((key) =>
      tracker.within(key, async () => {
        await setImmediate();
        const { lane, priority } = turns.turn();
        return `${lane} ${priority}`;
      }),
    ),
  );
  expect(seen).toEqual(["a low", "b urgent", " low"]);
  expect(turns.turn()).toEqual({ lane: "", priority: "normal" });
});

it("a turn takes the current priority of its object, and never a lower one than at the start of the reconcile", async () => {
  let priority: ReconcilePriority = "low";
  const priorityOf = () => priority;
  const tracker = createReconcileTracker(() => 0, priorityOf);
  await tracker.within("PlatformProject/a/x", async () => {
    const turn = createTurns(tracker).turn();
    const seen = (["low", "urgent", "normal", "low"] as const).map((next) => {
      priority = next;
      return turn.priority;
    });
    expect(seen).toEqual(["low", "urgent", "normal", "low"]);
  });
  priority = "urgent";
  await tracker.within("PlatformProject/a/x", async () => {
    priority = "normal";
    expect(createTurns(tracker).turn().priority).toBe("urgent");
  });
});

it("a lane belongs to one namespace and one rate gate", () => {
  const turns = createTurns({ current: () => undefined }, (key) => (key.endsWith("x") ? "7" : ""));
  const lanes = ["PlatformProject/a/x", "PlatformProject/a/y", "ClusterPlatformConnection//y"].map(turns.laneOf);
  expect(lanes).toEqual(["a 7", "a ", " "]);
  expect(lanes.map(turns.gateIn)).toEqual(["7", "", ""]);
});
