/** What a refusal of the platform, or of something before it, means for a resource and its connection. */
import { describe, expect, it } from "vitest";

import { effects, fail, on, outage, ready, started, withFleet } from "../../test/support/engine/env.ts";
import { HOUR, MINUTE } from "../../test/support/platform/durations.ts";
import { RECONCILE_REQUESTED_AT } from "../api/names.ts";
import type { ApiFailure } from "../platform/transport/errors.ts";
import { conditionOf } from "./contract/status.ts";

const PAYMENT = [{ is: "Rejected" }, 402] as const;
const PAGE = [{ is: "Intercepted" }, 403] as const;
const TAKEN = [{ is: "Conflict" }, 409] as const;

describe("a create that the platform rejects for another reason than the spec (402)", () => {
  it.each(["Full", "Documented"] as const)(
    "is Stalled with the platform's sentence, and not repeated (%s)",
    async (surface) => {
      const env = await started({ surface, link: { surface } });
      fail(env, ["create"], PAYMENT);
      env.widget("a");
      await env.run(HOUR);
      const stalled = conditionOf(env.cluster.get("Widget", "a"), "Stalled");
      expect(stalled).toMatchObject({
        reason: "Rejected",
        message: expect.stringContaining("(402): said the platform."),
      });
      expect(env.world.calls.filter(({ op }) => op === "create")).toHaveLength(1);
    },
  );

  it("is sent again once the user requests it", async () => {
    const env = await started();
    const paid = fail(env, ["create"], PAYMENT);
    env.widget("a");
    await env.run(MINUTE);
    paid();
    env.cluster.annotate("Widget", "a", { [RECONCILE_REQUESTED_AT]: "1" });
    await env.run(10_000);
    expect(ready(env)).toBe("Ready=True/Available");
  });
});

describe("a page of a firewall or proxy in place of the platform's answers", () => {
  it("is reported on the connection, and Stalls nothing", async () => {
    const env = await withFleet(2);
    const over = outage(env, ...PAGE);
    env.widget("pending");
    await env.run(HOUR);
    expect(env.conditions("Link", "default")).toContain("Ready=False/UnexpectedResponse");
    expect(env.conditions("Widget", "pending")).toContain("Ready=False/ConnectionNotReady");
    for (const name of ["w0", "w1", "pending"])
      expect(env.conditions("Widget", name).filter((one) => one.startsWith("Stalled"))).toEqual([]);
    over();
    await env.run(MINUTE);
    expect(env.conditions("Widget", "pending")).toContain("Ready=True/Available");
  });

  it("to writes alone is a condition of the connection until a write passes, and Stalls nothing", async () => {
    const env = await on("Full", { note: "old" });
    const over = fail(env, ["update"], PAGE);
    env.cluster.spec("Widget", "a", { name: "a", note: "new" });
    await env.run(HOUR);
    expect(env.conditions("Link", "default")).toEqual([
      "Ready=True/Available",
      "Synced=True/ReconcileSuccess",
      "WritesPass=False/UnexpectedResponse",
    ]);
    expect(ready(env)).toBe("Ready=False/UnexpectedResponse");
    expect(env.conditions("Widget", "a").filter((one) => one.startsWith("Stalled"))).toEqual([]);
    over();
    await env.run(10 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.conditions("Link", "default")).toEqual(["Ready=True/Available", "Synced=True/ReconcileSuccess"]);
  });

  it("to a deletion proves nothing, and the resource stays", async () => {
    const env = await on("Full", { lifecycle: { deletionPolicy: "Delete" } });
    fail(env, ["delete"], [{ is: "Intercepted" }, 404]);
    env.cluster.remove("Widget", "a");
    await env.run(HOUR);
    expect(env.cluster.find("Widget", "a")).toBeDefined();
    expect(env.orphans).toEqual([]);
  });
});

describe("a create that is answered with a page", () => {
  const failed: ApiFailure = { is: "Intercepted" };

  it("is confirmed by the list before it is sent again", async () => {
    const env = await started();
    // A proxy that executes the request and then shows a page of its own.
    fail(env, ["create"], [failed, 403], { when: "after", times: 1, isForeign: true });
    env.widget("a");
    await env.run(5 * MINUTE);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("was not executed where no list shows it", async () => {
    const env = await started({ surface: "Documented", link: { surface: "Documented" } });
    fail(env, ["create"], [failed, 403], { times: 1, isForeign: true });
    env.widget("a");
    await env.run(5 * MINUTE);
    expect(effects(env)).toEqual(["create"]);
    expect(ready(env)).toBe("Ready=True/Available");
  });
});

describe("a name that the platform frees late (409 to a create)", () => {
  it.each(["Full", "Documented"] as const)("is created at last, without a person (%s)", async (surface) => {
    const env = await started({ surface, link: { surface } });
    fail(env, ["create"], TAKEN, { times: 3 });
    env.widget("a");
    await env.run(MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
    expect(env.world.calls.filter(({ op }) => op === "create")).toHaveLength(4);
  });

  it("is a NameConflict that is Stalled once it lasts, and is still tried", async () => {
    const env = await started();
    const freed = fail(env, ["create"], TAKEN);
    env.widget("a");
    await env.run(5_000);
    expect(ready(env)).toBe("Ready=False/NameConflict");
    await env.run(5 * MINUTE);
    expect(env.conditions("Widget", "a")).toContain("Stalled=True/NameConflict");
    freed();
    await env.run(15 * MINUTE);
    expect(ready(env)).toBe("Ready=True/Available");
  });

  it("is left to the list once the object of the name is visible", async () => {
    const env = await on("Full", { lifecycle: { adoptionPolicy: "Never" } }, {});
    fail(env, ["create"], TAKEN);
    env.cluster.create("Widget", "b", { name: "b", lifecycle: { adoptionPolicy: "Never" } });
    await env.run(2_000);
    env.world.add("b");
    await env.run(HOUR);
    expect(env.conditions("Widget", "b")).toContain("Stalled=True/NameConflict");
    expect(env.world.calls.filter(({ op }) => op === "create").length).toBeLessThan(7);
  });
});
