import { describe, expect, it } from "vitest";
import { z } from "zod";

import { memoryApiServer } from "../../../test/support/kube/api-server.ts";
import { manualClock } from "../../../test/support/kube/clock.ts";
import { BEGUN, INSTALLATION } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { UNDIVIDED } from "../../kube/watch/assignment.ts";
import { createWriter } from "../../kube/write/writer.ts";
import type { Ports } from "../context/context.ts";
import type { Kind } from "../contract/kind.ts";
import { isStarted, noteStarted } from "../ledger/record.ts";
import { rest } from "./one-shot.ts";

const NOW = new Date("2026-11-21T10:00:00Z");
const READY = { type: "Ready", status: "True", reason: "Completed", message: "", observedGeneration: 1 };

const TYPE = { group: "test", version: "v1", kind: "Task", plural: "tasks", namespaced: true };

const memory = z.object({ over: z.string().optional() });
const kind = {
  resource: { memory },
  oneShot: {
    over: ({ over }: z.output<typeof memory>) =>
      over === undefined ? undefined : { expiresAt: over === "never" ? undefined : new Date(over) },
  },
} as unknown as Kind;

function env(mayWrite = true) {
  const cluster = memoryApiServer(() => NOW, [TYPE]);
  const clock = manualClock(NOW);
  const told: KubeObject[] = [];
  const ports = {
    writer: createWriter({ client: cluster.client, store: cluster.cache, types: [TYPE], clock, random: () => 0 }),
    clock,
    fence: { mayWrite: () => mayWrite },
    assignment: UNDIVIDED,
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
    expect(noted.metadata.annotations).toEqual({
      [BEGUN]: `${noted.metadata.uid} team/a`,
      [INSTALLATION]: "here",
    });
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

  it("counts as started by the annotation of an older version", () => {
    const { create } = env();
    const object = create({});
    const { uid } = object.metadata;
    expect(isStarted({ ...object, metadata: { ...object.metadata, annotations: { [BEGUN]: uid } } })).toBe(true);
    expect(isStarted({ ...object, metadata: { ...object.metadata, annotations: { [BEGUN]: "another" } } })).toBe(false);
  });
});
