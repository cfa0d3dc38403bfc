import { expect, it } from "vitest";

import { createAssignment, shardOf } from "./assignment.ts";

const inNamespace = (namespace: string) => ({ kind: "PlatformApplication", namespace, name: "shop" });

it("shardOf is FNV-1a of 64 bits modulo the number of shards", () => {
  // The vectors of draft-eastlake-fnv: "" is cbf29ce484222325, "a" is af63dc4c8601ec8c.
  expect([shardOf("", 16), shardOf("a", 16)]).toEqual([0x5, 0xc]);
});

it("shardOf divides names that differ in the last character", () => {
  const names = Array.from({ length: 100 }, (_, index) => `team-${String(index).padStart(2, "0")}`);
  const sizes = [...Map.groupBy(names, (name) => shardOf(name, 4)).values()].map(({ length }) => length);
  expect(sizes).toEqual([25, 25, 25, 25]);
});

it("createAssignment gives each namespace, and each cluster-scoped object, to one shard", () => {
  const shards = [0, 1, 2].map((index) => createAssignment(index, 3));
  const keys = [...["a", "b", "c", "d"].map(inNamespace), { kind: "ClusterLink", namespace: "", name: "a" }];
  for (const key of keys) expect(shards.filter(({ isOwn }) => isOwn(key))).toHaveLength(1);
});

it("createAssignment gives all objects of a namespace to the same shard", () => {
  const { isOwn } = createAssignment(0, 2);
  const names = Array.from({ length: 20 }, (_, index) => `app-${String(index)}`);
  expect(new Set(names.map((name) => isOwn({ ...inNamespace("team"), name }))).size).toBe(1);
});
