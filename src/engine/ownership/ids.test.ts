import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { EXTERNAL_ID } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { createIdOwnership } from "./ids.ts";

const ID = uuid(1);
const HERE = { host: "platform", organizationId: uuid(90) };

function claimant(name: string, at: string, recorded: boolean, kind = "Widget"): KubeObject {
  const object = anObject({
    meta: { name, uid: `uid-${name}`, creationTimestamp: `2026-11-21T${at}:00Z` },
    ...(recorded ? { status: { externalId: ID } } : {}),
  });
  return { ...object, kind };
}

describe("holder", () => {
  /** Claimants as "name, time of creation, whether the id is recorded". */
  const claimants = (...rows: readonly `${string} ${string}${"" | " recorded"}`[]) =>
    rows.map((row) => {
      const [name = "", at = "", recorded] = row.split(" ");
      return claimant(name, at, recorded !== undefined);
    });

  it.each<[string, readonly KubeObject[], readonly (string | undefined)[]]>([
    ["one alone has it", claimants("a 10:00"), [undefined]],
    ["the recorded one before an older claim", claimants("a 09:00", "b 10:00 recorded"), ["team/b", undefined]],
    ["the older of two claims", claimants("a 10:00", "b 09:00"), ["team/b", undefined]],
    ["the older of two recorded ones", claimants("a 10:00 recorded", "b 09:00 recorded"), ["team/b", undefined]],
    ["the first by name at the same age", claimants("b 09:00", "a 09:00"), ["team/a", undefined]],
    ["the best of many", claimants("a 08:00", "b 10:00 recorded", "c 09:00 recorded"), ["team/c", "team/c", undefined]],
  ])("%s", (_, objects, expected) => {
    for (const order of [objects, objects.toReversed()]) {
      const claims = createIdOwnership();
      for (const object of order) claims.set(object, ID);
      expect(objects.map((object) => claims.holder(ID, object, HERE))).toEqual(expected);
    }
  });

  it("judges an object that is not registered yet", () => {
    const claims = createIdOwnership();
    claims.set(claimant("old", "08:00", false), ID);
    expect(claims.holder(ID, claimant("new", "09:00", false), HERE)).toBe("team/old");
    expect(claims.holder(ID, claimant("older", "07:00", false), HERE)).toBeUndefined();
  });

  it("counts the annotation only until there is a status", () => {
    const claims = createIdOwnership();
    const meta = { name: "old", creationTimestamp: "2026-11-21T08:00:00Z", annotations: { [EXTERNAL_ID]: ID } };
    const noted = anObject({ meta });
    const other = claimant("new", "09:00", false);
    claims.set(noted, undefined);
    expect(claims.holder(ID, other, HERE)).toBe("team/old");
    claims.set({ ...noted, status: { externalId: uuid(2) } }, undefined);
    expect(claims.holder(ID, other, HERE)).toBeUndefined();
  });

  it("distinguishes kinds and ids", () => {
    const claims = createIdOwnership();
    claims.set(claimant("a", "08:00", true, "Other"), undefined);
    expect(claims.holder(ID, claimant("b", "09:00", false), HERE)).toBeUndefined();
    expect(claims.holder(uuid(2), claimant("b", "09:00", false, "Other"), HERE)).toBeUndefined();
  });

  it("forgets the claim of an object that changed it, or that is gone", () => {
    const claims = createIdOwnership();
    const first = claimant("a", "08:00", false);
    const second = claimant("b", "09:00", false);
    claims.set(first, ID);
    claims.set(second, ID);
    claims.set(first, uuid(2));
    expect(claims.holder(ID, second, HERE)).toBeUndefined();
    claims.set(first, ID);
    claims.forget(first);
    expect(claims.holder(ID, second, HERE)).toBeUndefined();
  });

  it("holds two ids of one resource", () => {
    const claims = createIdOwnership();
    claims.set(claimant("a", "08:00", true), uuid(2));
    expect(claims.holder(ID, claimant("b", "07:00", false), HERE)).toBe("team/a");
    expect(claims.holder(uuid(2), claimant("b", "09:00", false), HERE)).toBe("team/a");
    expect(claims.holder(uuid(2), claimant("b", "07:00", false), HERE)).toBeUndefined();
  });

  describe("[E10] of another namespace", () => {
    const here = claimant("here", "10:00", false);
    const there = (status?: JsonObject, annotations: Readonly<Record<string, string>> = {}): KubeObject =>
      anObject({
        meta: {
          name: "there",
          namespace: "other",
          uid: "uid-there",
          creationTimestamp: "2026-11-21T08:00:00Z",
          annotations,
        },
        ...(status !== undefined && { status }),
      });
    const on = (identity: JsonObject): JsonObject => ({ externalId: ID, identity });

    it.each<[string, KubeObject, string | undefined, string | undefined]>([
      ["by its spec", there(), ID, undefined],
      ["by an annotation", there(undefined, { [EXTERNAL_ID]: ID }), undefined, undefined],
      ["by a record of the same organization", there(on(HERE)), undefined, "other/there"],
      ["by a record of another host", there(on({ ...HERE, host: "evil" })), undefined, undefined],
      ["by a record of another organization", there(on({ ...HERE, organizationId: ID })), undefined, undefined],
      ["by a record of nowhere", there({ externalId: ID }), undefined, undefined],
    ])("%s", (_how, claimed, wanted, expected) => {
      const claims = createIdOwnership();
      claims.set(claimed, wanted);
      expect(claims.holder(ID, here, HERE)).toBe(expected);
    });

    it("holds an id that is being adopted, until it is released", () => {
      const claims = createIdOwnership();
      claims.take(there(), ID, HERE);
      expect(claims.holder(ID, here, HERE)).toBe("other/there");
      expect(claims.holder(ID, here, { ...HERE, host: "evil" })).toBeUndefined();
      claims.set(there(undefined, { [EXTERNAL_ID]: ID }), ID);
      expect(claims.holder(ID, here, HERE)).toBe("other/there");
      claims.release(there());
      expect(claims.holder(ID, here, HERE)).toBeUndefined();
    });

    it("leaves no reservation to a new resource of the same name", () => {
      const claims = createIdOwnership();
      claims.take(there(), ID, HERE);
      claims.set({ ...there(), metadata: { ...there().metadata, uid: "another" } }, undefined);
      expect(claims.holder(ID, here, HERE)).toBeUndefined();
      claims.take(there(), ID, HERE);
      claims.forget(there());
      expect(claims.holder(ID, here, HERE)).toBeUndefined();
    });
  });
});
