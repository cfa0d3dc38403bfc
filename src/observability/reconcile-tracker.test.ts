import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { createReconcileTracker } from "./reconcile-tracker.ts";

it("a pass is told apart from all others, of this process and of the next", async () => {
  const first = createReconcileTracker(() => 0.1);
  const second = createReconcileTracker(() => 0.9);
  const ids = await Promise.all(
    [first, first, second].map((passes) =>
      passes.within("PlatformProject/a/x", async () => {
        await setImmediate();
        return passes.current()?.id;
      }),
    ),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{8}-[12]$/);
  expect(first.current()).toBeUndefined();
});

it("a pass does not own what it begins for others", async () => {
  const passes = createReconcileTracker(() => 0);
  const seen: unknown[] = [];
  await passes.within("PlatformProject/a/x", async () => {
    passes.outside(() => {
      void setImmediate().then(() => seen.push(passes.current()));
    });
    await setImmediate();
    await setImmediate();
  });
  expect(seen).toEqual([undefined]);
});
