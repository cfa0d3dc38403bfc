import { describe, expect, it } from "vitest";
import { z } from "zod";

import { anObject } from "../../../test/support/engine/objects.ts";
import { memoryApiServer } from "../../../test/support/kube/api-server.ts";
import { manualClock } from "../../../test/support/kube/clock.ts";
import { BEGUN, INSTALLATION } from "../../api/names.ts";
import type { Json, JsonObject, KubeObject } from "../../kube/api/types.ts";
import { createWriter } from "../../kube/write/writer.ts";
import type { Ports } from "../context/context.ts";
import { createLocalStates, type LocalState } from "../context/local-state.ts";
import type { Kind } from "../contract/kind.ts";
import { isStarted, noteStarted } from "../ledger/record.ts";
import type { ReconcileResult } from "./build.ts";
import { countDelay, deadlineOf, expectLook, rest, timeLimit } from "./one-shot.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const READY = { type: "Ready", status: "True", reason: "Completed", message: "", observedGeneration: 1 };

const TYPE = { group: "test", version: "v1", kind: "Task", plural: "tasks", namespaced: true };

const memory = z.object({ over: z.string().optional() });
const over = ({ over: at }: z.output<typeof memory>) =>
  at === undefined ? undefined : { expiresAt: at === "never" ? undefined : new Date(at) };
const kind = { resource: { memory }, oneShot: { over } } as unknown as Kind;

function env(mayWrite = true) {
  const cluster = memoryApiServer(() => NOW, [TYPE]);
  const clock = manualClock(NOW);
  const told: KubeObject[] = [];
  const ports = {
    writer: createWriter({ client: cluster.client, store: cluster.cache, types: [TYPE], clock, random: () => 0 }),
    clock,
    fence: { mayWrite: () => mayWrite },
    windows: { followMaxMs: 30_000 },
    installation: "here",
    observer: { status: (object: KubeObject) => told.push(object) },
  } as unknown as Ports;
  const create = (status: JsonObject): KubeObject => {
    cluster.create("Task", "a", {});
    return { ...cluster.get("Task", "a"), status: { conditions: [READY], ...status } };
  };
  return { cluster, ports, create, told };
}

describe("an object that does one thing", () => {
  it.each([
    ["while it is not over", {}],
    ["that lost its conditions", { over: "never", conditions: [] }],
  ])("is reconciled %s", async (_title, status) => {
    const { ports, create, told } = env();
    expect(await rest(ports, kind, create(status))).toBeUndefined();
    expect(told).toEqual([]);
  });

  it("is always reconciled if its kind is not one-shot", async () => {
    const { ports, create } = env();
    expect(await rest(ports, { resource: kind.resource }, create({ over: "never" }))).toBeUndefined();
  });

  it.each([
    ["for ever", "never", undefined],
    ["until its time is over", "2026-11-21T10:01:00Z", 60_000],
  ])("is left alone %s once it has ended, and its status is still counted", async (_title, over, again) => {
    const { cluster, ports, create, told } = env();
    expect(await rest(ports, kind, create({ over }))).toEqual({ again });
    expect(told).toHaveLength(1);
    expect(cluster.writes).toEqual([]);
  });

  it("is deleted when its time is over", async () => {
    const { cluster, ports, create } = env();
    await rest(ports, kind, create({ over: "2026-11-21T10:00:00Z" }));
    expect(cluster.find("Task", "a")).toBeUndefined();
    expect(cluster.writes.map(({ what }) => what)).toEqual(["delete"]);
  });

  it("is deleted only by the leader", async () => {
    const { cluster, ports, create } = env(false);
    expect(await rest(ports, kind, create({ over: "2026-11-21T10:00:00Z" }))).toEqual({ again: 30_000 });
    expect(cluster.writes).toEqual([]);
  });

  it("records once that it was started, and no copy of it counts as started", async () => {
    const { cluster, ports, create } = env();
    const noted = await noteStarted(ports, create({}));
    expect(noted.metadata.annotations).toEqual({ [BEGUN]: `${noted.metadata.uid} team/a`, [INSTALLATION]: "here" });
    expect(isStarted(noted)).toBe(true);
    await noteStarted(ports, noted);
    expect(cluster.writes).toHaveLength(1);
  });

  it.each([
    ["itself", {}, true],
    ["itself, restored from a backup", { uid: "another" }, true],
    ["a copy of another name", { uid: "another", name: "b" }, false],
    ["a copy in another namespace", { uid: "another", namespace: "other" }, false],
  ])("counts as started as %s", async (_title, metadata, begun) => {
    const { ports, create } = env();
    const noted = await noteStarted(ports, create({}));
    expect(isStarted({ ...noted, metadata: { ...noted.metadata, ...metadata } })).toBe(begun);
  });
});

const HOUR = 3_600_000;
const CREATED = "2026-11-21T10:00:00Z";
const limitMs = ({ seconds }: { readonly seconds: number }) => seconds * 1000;
const task = { resource: { spec: z.object({ seconds: z.int().default(3_600) }) }, oneShot: { limitMs } };
const local = (more: Partial<LocalState> = {}): LocalState =>
  Object.assign(createLocalStates(() => 0).of("key", "uid"), more);
const object = (status: Json = {}) => anObject({ meta: { creationTimestamp: CREATED }, status });
const at = (ms: number): Date => new Date(Date.parse(CREATED) + ms);
const working: ReconcileResult = { is: "waiting", why: { reason: "Deploying", message: "" }, exchange: "ok" };
const pending: ReconcileResult = { ...working, why: { reason: "ApprovalPending", message: "" } };

describe("the deadline of a task", () => {
  it.each<[title: string, status: Json, idleMs: number, now: number, deadline: number]>([
    ["counts from the creation", {}, 0, 0, HOUR],
    ["is what was stored", { deadline: "2026-11-21T10:30:00Z" }, 0, 0, HOUR / 2],
    ["is as far away as time was left when it stood still", { remainingSeconds: 60 }, 0, 5 * HOUR, 5 * HOUR + 60_000],
    ["is later by what it was held up", { deadline: "2026-11-21T11:00:00Z" }, 60_000, HOUR, HOUR + 60_000],
    ["is at most as far away as the limit, if more is stored", { deadline: "9999-01-01T00:00:00Z" }, 0, HOUR, 2 * HOUR],
    ["is at most as far away as the limit, if more is left", { remainingSeconds: 1e300 }, 0, HOUR, 2 * HOUR],
    ["counts from the creation where what is stored is no time", { deadline: 7, remainingSeconds: "x" }, 0, 0, HOUR],
  ])("%s", (_title, status, idleMs, now, deadline) => {
    expect(deadlineOf(task, object(status), local({ idleMs }), at(now))).toEqual(at(deadline));
  });

  it("is undefined for another kind, and for a spec that is not valid", () => {
    expect(deadlineOf({ resource: task.resource }, object(), local(), at(0))).toBeUndefined();
    const unreadable = { ...object(), spec: { seconds: "x" } };
    expect(timeLimit(task, unreadable, local(), { result: working, now: at(0) })).toEqual({});
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
    const none = { deadline: undefined, remainingSeconds: undefined };
    expect(timeLimit(task, object(status), local({ idleMs }), { result, now })).toEqual({ ...none, ...told });
  });

  it.each<[title: string, looks: readonly number[], took: number, idleMs: number]>([
    ["is reconciled when it is due", [30_000], 30_000, 0],
    ["waits for its turn", [30_000], 60_000, 30_000],
    ["is delayed by the rate limit, however late it is expected then", [0, 3_600_000], 60_000, 60_000],
    ["is reconciled before it is due", [30_000], 1_000, 0],
  ])("does not count the delay of a task that %s", (_title, looks, took, idleMs) => {
    const own = local();
    let now = 0;
    const clock = { monotonic: () => now };
    expectLook(own, clock, 0);
    countDelay(own, clock);
    for (const inMs of looks) expectLook(own, clock, inMs);
    now = took;
    countDelay(own, clock);
    expect(own.idleMs).toBe(idleMs);
  });
});
