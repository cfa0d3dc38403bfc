import { describe, expect, it } from "vitest";
import { z } from "zod";

import { anObject } from "../../../test/support/engine/objects.ts";
import type { Json } from "../../kube/api/types.ts";
import { createLocalStates, type LocalState } from "../context/local-state.ts";
import type { ReconcileResult } from "./build.ts";
import { countDelay, deadlineOf, expectLook, timeLimit } from "./one-shot.ts";

const HOUR = 3_600_000;
const CREATED = "2026-11-21T10:00:00Z";
const kind = {
  resource: { spec: z.object({ seconds: z.int().default(3_600) }) },
  oneShot: { limitMs: ({ seconds }: { readonly seconds: number }) => seconds * 1000 },
};
const local = (more: Partial<LocalState> = {}): LocalState =>
  Object.assign(createLocalStates(() => 0).of("key", "uid"), more);
const object = (status: Json = {}) => anObject({ meta: { creationTimestamp: CREATED }, status });
const at = (ms: number): Date => new Date(Date.parse(CREATED) + ms);
const working: ReconcileResult = { is: "waiting", why: { reason: "Deploying", message: "" }, exchange: "ok" };
const pending: ReconcileResult = { is: "waiting", why: { reason: "ApprovalPending", message: "" }, exchange: "ok" };

describe("the deadline of a task", () => {
  it.each<[title: string, status: Json, idleMs: number, now: number, deadline: number]>([
    ["counts from the creation", {}, 0, 0, HOUR],
    ["is what was stored", { deadline: "2026-11-21T10:30:00Z" }, 0, 0, HOUR / 2],
    ["is as far away as time was left when it stood still", { remainingSeconds: 60 }, 0, 5 * HOUR, 5 * HOUR + 60_000],
    ["is later by what it was held up", { deadline: "2026-11-21T11:00:00Z" }, 60_000, HOUR, HOUR + 60_000],
    [
      "is never further away than the limit, whatever is stored",
      { deadline: "9999-01-01T00:00:00Z" },
      0,
      HOUR,
      2 * HOUR,
    ],
    ["is never further away than the limit, whatever is left", { remainingSeconds: 1e300 }, 0, HOUR, 2 * HOUR],
    ["counts from the creation where what is stored is no time", { deadline: 7, remainingSeconds: "x" }, 0, 0, HOUR],
  ])("%s", (_title, status, idleMs, now, deadline) => {
    expect(deadlineOf(kind, object(status), local({ idleMs }), at(now))).toEqual(at(deadline));
  });

  it("is undefined for another kind, and for a spec that is not valid", () => {
    expect(deadlineOf({ resource: kind.resource }, object(), local(), at(0))).toBeUndefined();
    const unreadable = { ...object(), spec: { seconds: "x" } };
    expect(timeLimit(kind, unreadable, local(), { result: working, now: at(0) })).toEqual({});
  });

  it.each<[title: string, status: Json, result: ReconcileResult, idleMs: number, told: object]>([
    ["its deadline at first", {}, working, 0, { deadline: "2026-11-21T11:00:00Z" }],
    ["the remaining time while it pauses", {}, pending, 0, { remainingSeconds: 1_800 }],
    ["what is left where it is paused", {}, { is: "paused" }, 0, { remainingSeconds: 1_800 }],
    ["what was left, however long it has stood still", { remainingSeconds: 7 }, pending, 0, { remainingSeconds: 7 }],
    ["a new deadline once it continues", { remainingSeconds: 60 }, working, 0, { deadline: "2026-11-21T10:31:00Z" }],
    ["the same, held up for seconds", { deadline: CREATED }, working, 59_000, { deadline: CREATED }],
    ["a later one, held up for longer", { deadline: CREATED }, working, 120_000, { deadline: "2026-11-21T10:02:00Z" }],
  ])("is reported: %s", (_title, status, result, idleMs, told) => {
    const now = at(HOUR / 2);
    expect(timeLimit(kind, object(status), local({ idleMs }), { result, now })).toEqual({
      deadline: undefined,
      remainingSeconds: undefined,
      ...told,
    });
  });

  it("does not count the time that the task waited for its turn", () => {
    const own = local();
    let now = 0;
    const clock = { monotonic: () => now };
    countDelay(own, clock);
    expectLook(own, clock, 30_000);
    now = 30_000;
    countDelay(own, clock);
    expect(own.idleMs).toBe(0);
    expectLook(own, clock, 30_000);
    now = 90_000;
    countDelay(own, clock);
    expect(own.idleMs).toBe(30_000);
    // The rate limit delayed it: the time until it is reconciled does not count, however late that is.
    expectLook(own, clock, 0);
    expectLook(own, clock, 3_600_000);
    now += 60_000;
    countDelay(own, clock);
    expect(own.idleMs).toBe(90_000);
    // It was reconciled before it was due.
    expectLook(own, clock, 30_000);
    now += 1_000;
    countDelay(own, clock);
    expect(own.idleMs).toBe(90_000);
  });
});
