import { setImmediate } from "node:timers/promises";

import { expect, it } from "vitest";

import { createReconcileTracker } from "./reconcile-tracker.ts";

it("the id of a reconcile is unique in this process and the next one", async () => {
  const first = createReconcileTracker(() => 0.1);
  const second = createReconcileTracker(() => 0.9);
  const ids = await Promise.all(
    [first, first, second].map((tracker) =>
      tracker.within("PlatformProject/a/x", async () => {
        await setImmediate();
        return tracker.current()?.id;
      }),
    ),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{8}-[12]$/);
  expect(first.current()).toBeUndefined();
});

it("work that a reconcile starts outside of its context does not have its id", async () => {
  const tracker = createReconcileTracker(() => 0);
  const seen: unknown[] = [];
  await tracker.within("PlatformProject/a/x", async () => {
    tracker.outside(() => {
      void setImmediate().then(() => seen.push(tracker.current()));
    });
    await setImmediate();
    await setImmediate();
  });
  expect(seen).toEqual([undefined]);
});
