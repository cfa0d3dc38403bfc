import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { entryOf } from "../contract/types.ts";
import { createFieldOwnership, type FieldOwnership } from "./fields.ts";

const ID = uuid(1);
const HERE = { host: "platform", organizationId: uuid(90) };
const entry = entryOf(ID, "KEY");

function writer(name: string, at: string, id?: string): KubeObject {
  const meta = { name, uid: `uid-${name}`, creationTimestamp: `2026-11-21T${at}:00Z` };
  return { ...anObject({ meta, ...(id !== undefined && { status: { externalId: id } }) }), kind: "Widget" };
}

const [old, young] = [writer("old", "09:00"), writer("young", "10:00")];
const owner = writer("owner", "11:00", ID);

describe("the writer of an entry", () => {
  it.each<[string, (entries: FieldOwnership) => void, string | undefined]>([
    ["is nobody", () => {}, undefined],
    ["wrote it", (entries) => entries.record(young, [entry]), "young"],
    [
      "wrote it before an older one wanted it",
      (entries) => {
        entries.want(old, [entry]);
        entries.record(young, [entry]);
      },
      "young",
    ],
    [
      "is the older of two that wrote it",
      (entries) => {
        entries.record(young, [entry]);
        entries.record(old, [entry]);
      },
      "old",
    ],
    [
      "wanted it first, whatever its age",
      (entries) => {
        entries.want(young, [entry]);
        entries.want(old, [entry]);
      },
      "young",
    ],
    [
      "is the resource of the object itself",
      (entries) => {
        entries.record(old, [entry]);
        entries.want(owner, [entry]);
      },
      "owner",
    ],
    [
      "wants it no more",
      (entries) => {
        entries.want(young, [entry]);
        entries.want(young, []);
      },
      undefined,
    ],
    [
      "is gone",
      (entries) => {
        entries.record(young, [entry]);
        entries.want(young, [entry]);
        entries.forget(young);
      },
      undefined,
    ],
    ["wrote another one", (entries) => entries.record(young, [entryOf(ID, "OTHER")]), undefined],
  ])("%s", (_, happen, expected) => {
    const entries = createFieldOwnership();
    happen(entries);
    const asked = writer("asked", "12:00");
    expect(entries.writer(entry, asked, HERE)).toBe(expected === undefined ? undefined : `Widget "team/${expected}"`);
  });

  it("may write it itself", () => {
    const entries = createFieldOwnership();
    entries.want(young, [entry]);
    entries.want(old, [entry]);
    expect([entries.writer(entry, young, HERE), entries.writer(entry, old, HERE)]).toEqual([
      undefined,
      'Widget "team/young"',
    ]);
    entries.record(young, [entry]);
    entries.want(young, []);
    expect([entries.writer(entry, young, HERE), entries.writer(entry, old, HERE)]).toEqual([
      undefined,
      'Widget "team/young"',
    ]);
  });

  describe("[E10] of another namespace", () => {
    const there = (id: string | undefined, identity: JsonObject = HERE): KubeObject => {
      const meta = { name: "there", namespace: "other", uid: "uid-there" };
      return anObject({ meta, status: { ...(id !== undefined && { externalId: id }), identity } });
    };

    it.each<[string, (entries: FieldOwnership) => void, boolean]>([
      ["that only wants it", (entries) => entries.want(there(undefined), [entry]), false],
      ["that wrote it", (entries) => entries.record(there(undefined), [entry]), true],
      [
        "that wrote it on another host",
        (entries) => entries.record(there(undefined, { ...HERE, host: "evil" }), [entry]),
        false,
      ],
      ["that stands for the object", (entries) => entries.want(there(ID), [entry]), true],
      [
        "that stands for its namesake in another organization",
        (entries) => entries.want(there(ID, { ...HERE, organizationId: ID }), [entry]),
        false,
      ],
    ])("%s", (_who, happen, counts) => {
      const entries = createFieldOwnership();
      happen(entries);
      expect(entries.writer(entry, young, HERE)).toBe(counts ? 'Widget "other/there"' : undefined);
    });
  });
});
