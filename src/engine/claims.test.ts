import { describe, expect, it } from "vitest";

import { anObject } from "../../test/support/engine-objects.ts";
import { uuid } from "../../test/support/engine-world.ts";
import type { KubeObject } from "../kube/types.ts";
import { EXTERNAL_ID } from "../resources/base/names.ts";
import { createClaims } from "./claims.ts";

const ID = uuid(1);

function claimant(name: string, at: string, recorded: boolean, kind = "Widget"): KubeObject {
  const object = anObject({
    meta: { name, uid: `uid-${name}`, creationTimestamp: `2026-11-21T${at}:00Z` },
    ...(recorded ? { status: { externalId: ID } } : {}),
  });
  return { ...object, kind };
}

describe("holder", () => {
  it.each<[string, readonly [string, string, boolean][], readonly (string | undefined)[]]>([
    ["one alone has it", [["a", "10:00", false]], [undefined]],
    [
      "the recorded one before an older claim",
      [
        ["a", "09:00", false],
        ["b", "10:00", true],
      ],
      ["team/b", undefined],
    ],
    [
      "the older of two claims",
      [
        ["a", "10:00", false],
        ["b", "09:00", false],
      ],
      ["team/b", undefined],
    ],
    [
      "the older of two recorded ones",
      [
        ["a", "10:00", true],
        ["b", "09:00", true],
      ],
      ["team/b", undefined],
    ],
    [
      "the first by name at the same age",
      [
        ["b", "09:00", false],
        ["a", "09:00", false],
      ],
      ["team/a", undefined],
    ],
    [
      "the best of many",
      [
        ["a", "08:00", false],
        ["b", "10:00", true],
        ["c", "09:00", true],
      ],
      ["team/c", "team/c", undefined],
    ],
  ])("%s", (_, rows, expected) => {
    const objects = rows.map(([name, at, recorded]) => claimant(name, at, recorded));
    for (const order of [objects, objects.toReversed()]) {
      const claims = createClaims();
      for (const object of order) claims.set(object, ID);
      expect(objects.map((object) => claims.holder(ID, object))).toEqual(expected);
    }
  });

  it("counts for an object that has not laid its claim yet", () => {
    const claims = createClaims();
    claims.set(claimant("old", "08:00", false), ID);
    expect(claims.holder(ID, claimant("new", "09:00", false))).toBe("team/old");
    expect(claims.holder(ID, claimant("older", "07:00", false))).toBeUndefined();
  });

  it("counts by the annotation until there is a status, and no longer", () => {
    const claims = createClaims();
    const noted = anObject({
      meta: {
        name: "old",
        uid: "uid-old",
        creationTimestamp: "2026-11-21T08:00:00Z",
        annotations: { [EXTERNAL_ID]: ID },
      },
    });
    const other = claimant("new", "09:00", false);
    claims.set(noted, undefined);
    expect(claims.holder(ID, other)).toBe("team/old");
    claims.set({ ...noted, status: { externalId: uuid(2) } }, undefined);
    expect(claims.holder(ID, other)).toBeUndefined();
  });

  it("tells kinds and ids apart", () => {
    const claims = createClaims();
    claims.set(claimant("a", "08:00", true, "Other"), undefined);
    expect(claims.holder(ID, claimant("b", "09:00", false))).toBeUndefined();
    expect(claims.holder(uuid(2), claimant("b", "09:00", false, "Other"))).toBeUndefined();
  });

  it("forgets what changed its mind, and what is gone", () => {
    const claims = createClaims();
    const first = claimant("a", "08:00", false);
    const second = claimant("b", "09:00", false);
    claims.set(first, ID);
    claims.set(second, ID);
    claims.set(first, uuid(2));
    expect(claims.holder(ID, second)).toBeUndefined();
    claims.set(first, ID);
    claims.forget(first);
    expect(claims.holder(ID, second)).toBeUndefined();
  });

  it("knows one object by two ids", () => {
    const claims = createClaims();
    claims.set(claimant("a", "08:00", true), uuid(2));
    expect(claims.holder(ID, claimant("b", "07:00", false))).toBe("team/a");
    expect(claims.holder(uuid(2), claimant("b", "09:00", false))).toBe("team/a");
    expect(claims.holder(uuid(2), claimant("b", "07:00", false))).toBeUndefined();
  });
});
