import { describe, expect, it } from "vitest";

import { THING, thing } from "../../../test/support/kube/things.ts";
import { keyOf, parseObject } from "./objects.ts";
import { NAMESPACE } from "./paths.ts";
import type { Json, JsonObject } from "./types.ts";

const meta = (more: JsonObject): Json => thing("a", "1", { meta: more });

describe("parseObject", () => {
  it.each<[string, Json]>([
    ["null", null],
    ["a string", "x"],
    ["a list", []],
    ["no metadata", {}],
    ["metadata that is a list", { metadata: [] }],
    ["no uid", meta({ uid: undefined })],
    ["an empty name", meta({ name: "" })],
    ["a numeric resourceVersion", meta({ resourceVersion: 7 })],
    ["no namespace", meta({ namespace: undefined })],
    ["a generation as text", meta({ generation: "1" })],
    ["an annotation that is a number", meta({ annotations: { a: 1 } })],
    ["labels that are a list", meta({ labels: [] })],
    ["finalizers that are text", meta({ finalizers: "x" })],
    ["a finalizer that is a number", meta({ finalizers: [1] })],
    ["a deletionTimestamp that is a number", meta({ deletionTimestamp: 1 })],
  ])("refuses an object with %s", (_, value) => {
    expect(parseObject(THING, value)).toBeUndefined();
  });

  it("refuses a cluster-scoped object with a namespace", () => {
    const { namespace: _, ...metadata } = thing("a", "1").metadata;
    expect(parseObject(NAMESPACE, meta({}))).toBeUndefined();
    const parsed = parseObject(NAMESPACE, { metadata });
    expect(parsed === undefined ? parsed : keyOf(parsed)).toEqual({ kind: "Namespace", namespace: "", name: "a" });
  });

  it("returns everything but managedFields", () => {
    const full = { generation: 3, labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["e"], ownerReferences: [] };
    expect(parseObject(THING, meta({ ...full, managedFields: [{}] }))).toEqual(meta(full));
  });
});
