import { describe, expect, it } from "vitest";

import { uuid } from "../../../test/support/engine/fake-platform.ts";
import { anObject } from "../../../test/support/engine/objects.ts";
import { EXTERNAL_ID } from "../../api/names.ts";
import type { JsonObject, KubeObject } from "../../kube/api/types.ts";
import { createIdOwnership, type IdOwnership } from "./ids.ts";

const ID = uuid(1);
const HERE = { host: "platform", organizationId: uuid(90) };

function claimant(name: string, at: string, recorded: boolean, kind = "Widget"): KubeObject {
  const meta = { name, uid: `uid-${name}`, creationTimestamp: `2026-11-21T${at}:00Z` };
  return { ...anObject({ meta, ...(recorded && { status: { externalId: ID } }) }), kind };
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

  /** What was claimed by `set`, in this order. */
  function after(...claims: readonly (readonly [KubeObject, string?])[]): IdOwnership {
    const ownership = createIdOwnership();
    for (const [object, id] of claims) ownership.set(object, id);
    return ownership;
  }
  const [a, b] = [claimant("a", "08:00", false), claimant("b", "09:00", false)];
  const older = claimant("older", "07:00", false);
  const recorded = claimant("a", "08:00", true);
  const noted = anObject({ meta: { ...a.metadata, annotations: { [EXTERNAL_ID]: ID } } });
  const other = uuid(2);

  it.each<[what: string, IdOwnership, id: string, asked: KubeObject, expected: string | undefined]>([
    ["is older than one that is not registered yet", after([a, ID]), ID, b, "team/a"],
    ["is younger than one that is not registered yet", after([a, ID]), ID, older, undefined],
    ["has it in an annotation, and no status", after([noted]), ID, b, "team/a"],
    ["has another one in its status", after([noted], [{ ...noted, status: { externalId: other } }]), ID, b, undefined],
    ["is of another kind", after([claimant("a", "08:00", true, "Other")]), ID, b, undefined],
    ["claims another one now", after([a, ID], [b, ID], [a, other]), ID, b, undefined],
    ["has recorded it, and claims another one", after([recorded, other]), ID, older, "team/a"],
    ["claims it, and has recorded another one", after([recorded, other]), other, b, "team/a"],
    ["claims it as the younger, and has recorded another one", after([recorded, other]), other, older, undefined],
    ["has recorded another one", after([recorded]), other, b, undefined],
  ])("%s", (_, claims, id, asked, expected) => {
    expect(claims.holder(id, asked, HERE)).toBe(expected);
  });

  it("forgets the claim of an object that is gone", () => {
    const claims = after([a, ID], [b, ID]);
    claims.forget(a);
    expect(claims.holder(ID, b, HERE)).toBeUndefined();
  });

  describe("[E10] of another namespace", () => {
    const here = claimant("here", "10:00", false);
    const meta = { name: "there", namespace: "other", uid: "uid-there", creationTimestamp: "2026-11-21T08:00:00Z" };
    const there = (status?: JsonObject, annotations: Readonly<Record<string, string>> = {}): KubeObject =>
      anObject({ meta: { ...meta, annotations }, ...(status !== undefined && { status }) });
    const on = (identity: JsonObject): JsonObject => ({ externalId: ID, writeLedger: { identity } });

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

it("a delivery is about the resource of the object that it names, or of the service that a blueprint became", () => {
  const service = uuid(3);
  const ids = createIdOwnership();
  const blueprint = { ...claimant("redis", "10:00", true, "PlatformBlueprint") };
  const key = "PlatformBlueprint/team/redis";
  ids.set({ ...blueprint, status: { externalId: ID, serviceId: service } }, undefined);
  expect([ID, service, uuid(4)].map((id) => ids.deliveredTo(id))).toEqual([[key], [key], []]);
  ids.forget(blueprint);
  expect(ids.deliveredTo(service)).toEqual([]);
});
