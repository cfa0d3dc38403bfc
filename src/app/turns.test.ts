import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { createPasses } from "./passes.ts";
import { createTurns } from "./turns.ts";

it("carries the namespace of a key along with the work on it, and nowhere else", async () => {
  const passes = createPasses(() => 0);
  const turns = createTurns(passes);
  const told = await Promise.all(
    ["PlatformProject/a/x", "PlatformProject/b/x", "ClusterPlatformConnection//x"].map((key) =>
      passes.within(key, async () => {
        await setImmediate();
        return turns.lane();
      }),
    ),
  );
  expect(told).toEqual(["a", "b", ""]);
  expect([turns.lane(), turns.laneOf("PlatformProject/a/x")]).toEqual(["", "a"]);
});
