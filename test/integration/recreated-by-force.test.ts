/** What becomes of an object when a tool deletes and creates its resource after an invalid change, as Flux with force. */
import { beforeAll, describe, expect, it } from "vitest";

import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { database, defaults, tree } from "../support/kube/manifests.ts";

const READY = { type: "Synced", status: "True" } as const;

describe.each(["documented", "full"] as const)("a resource that is created again, %s surface", (surface) => {
  const env = createEnv({ surface });
  const orders = database("orders", "shop");

  beforeAll(async () => {
    await env.ready(...defaults(env), ...tree(env, "shop"), orders);
  });

  it("by a tool after an invalid change finds its object under Retain, without a write to the platform", async () => {
    const before = await env.get("PlatformDatabase", "orders");
    const moved = database("orders", "shop", { environmentRef: { externalId: idOf(before) } });
    const record = await env.record();
    await expect(env.apply(moved)).rejects.toThrow(/422 Invalid; spec\.environmentRef/);
    await env.delete(before);
    await env.apply(orders);
    const after = await env.waitFor("PlatformDatabase", "orders", READY);
    await env.settled();
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(idOf(after)).toBe(idOf(before));
    expect(record.changes()).toEqual([]);
  });
});
