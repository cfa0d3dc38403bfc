import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { createTurns } from "./turns.ts";

it("carries the namespace of a key along with the work on it, and nowhere else", async () => {
  const turns = createTurns();
  const told = await Promise.all(
    ["PlatformProject/a/x", "PlatformProject/b/x", "ClusterPlatformConnection//x"].map((key) =>
      turns.within(key, async () => {
        await setImmediate();
        return turns.lane();
      }),
    ),
  );
  expect(told).toEqual(["a", "b", ""]);
  expect([turns.lane(), turns.laneOf("PlatformProject/a/x")]).toEqual(["", "a"]);
});
