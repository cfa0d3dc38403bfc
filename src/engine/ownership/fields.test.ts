import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { type FieldClaim, fieldKey } from "../contract/kind.ts";
import { createFieldOwnership, type FieldOwnership } from "./fields.ts";

const ID = uuid(1);
const HERE = { host: "platform", organizationId: uuid(90) };
/** A claim to a field, and the key of the field. */
const claim = { id: ID, field: "KEY" };
const key = fieldKey(ID, "KEY");

function writer(name: string, at: string, id?: string): KubeObject {
  const meta = { name, uid: `uid-${name}`, creationTimestamp: `2026-11-21T${at}:00Z` };
  return { ...anObject({ meta, ...(id !== undefined && { status: { externalId: id } }) }), kind: "Widget" };
}

const [old, young] = [writer("old", "09:00"), writer("young", "10:00")];
const owner = writer("owner", "11:00", ID);

type Deed = readonly ["want" | "record" | "forget", KubeObject, ...FieldClaim[]];

/** What several writers did, in this order. */
function after(...deeds: readonly Deed[]): FieldOwnership {
  const entries = createFieldOwnership();
  for (const [what, by, ...some] of deeds) entries[what](by, some);
  return entries;
}

describe("the writer of an entry", () => {
  it.each<[string, FieldOwnership, string | undefined]>([
    ["is nobody", after(), undefined],
    ["wrote it", after(["record", young, claim]), "young"],
    ["wrote it before an older one wanted it", after(["want", old, claim], ["record", young, claim]), "young"],
    ["is the older of two that wrote it", after(["record", young, claim], ["record", old, claim]), "old"],
    ["wanted it first, whatever its age", after(["want", young, claim], ["want", old, claim]), "young"],
    ["is the resource of the object itself", after(["record", old, claim], ["want", owner, claim]), "owner"],
    ["wants it no more", after(["want", young, claim], ["want", young]), undefined],
    ["is gone", after(["record", young, claim], ["want", young, claim], ["forget", young]), undefined],
    ["wrote another one", after(["record", young, { id: ID, field: "OTHER" }]), undefined],
  ])("%s", (_, entries, expected) => {
    const asked = writer("asked", "12:00");
    expect(entries.writer(key, asked, HERE)).toBe(expected === undefined ? undefined : `Widget "team/${expected}"`);
  });

  it("may write it itself", () => {
    const entries = after(["want", young, claim], ["want", old, claim]);
    const told = () => [young, old].map((one) => entries.writer(key, one, HERE));
    expect(told()).toEqual([undefined, 'Widget "team/young"']);
    entries.record(young, [claim]);
    entries.want(young, []);
    expect(told()).toEqual([undefined, 'Widget "team/young"']);
  });

  const there = (id: string | undefined, identity: JsonObject = HERE): KubeObject => {
    const meta = { name: "there", namespace: "other", uid: "uid-there" };
    return anObject({ meta, status: { ...(id !== undefined && { externalId: id }), writeLedger: { identity } } });
  };

  const elsewhere = { ...HERE, organizationId: ID };

  it.each<[string, FieldOwnership, boolean]>([
    ["that only wants it", after(["want", there(undefined), claim]), false],
    ["that wrote it", after(["record", there(undefined), claim]), true],
    ["that wrote it on another host", after(["record", there(undefined, { ...HERE, host: "evil" }), claim]), false],
    ["that stands for the object", after(["want", there(ID), claim]), true],
    ["that stands for one of another organization", after(["want", there(ID, elsewhere), claim]), false],
  ])("[E10] of another namespace %s", (_who, entries, counts) => {
    expect(entries.writer(key, young, HERE)).toBe(counts ? 'Widget "other/there"' : undefined);
  });
});
