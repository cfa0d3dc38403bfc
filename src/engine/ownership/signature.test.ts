import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { seal, unseal, type Sealed } from "./signature.ts";

const record: Sealed = { uid: "uid-1", id: "id-1", parentId: "parent-1" };
const kept = { written: { names: ["A", "é"] } };

describe("a seal", () => {
  it("holds for the record that it was made for", () => {
    expect(unseal("token", record, seal("token", record))).toEqual({ kept: undefined });
    const orphan = { ...record, parentId: undefined };
    expect(unseal("token", orphan, seal("token", orphan))).toEqual({ kept: undefined });
  });

  it("gives back what was kept with it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (what) => {
        expect(unseal("token", record, seal("token", record, { ...what }))).toEqual({ kept: { ...what } });
      }),
    );
  });

  it.each([
    ["another resource", { ...record, uid: "uid-2" }],
    ["another object of the platform", { ...record, id: "id-2" }],
    ["another parent", { ...record, parentId: "parent-2" }],
    ["no parent", { ...record, parentId: undefined }],
  ])("does not hold for %s", (_what, other) => {
    expect(unseal("token", other, seal("token", record))).toBeUndefined();
    expect(unseal("token", other, seal("token", record, kept))).toBeUndefined();
  });

  const [proof = "", note = ""] = seal("token", record, kept).split(".");
  it.each([
    undefined,
    "",
    ".",
    "x",
    "x".repeat(22),
    "é".repeat(11),
    proof,
    `${proof}.`,
    `${proof}.${note}x`,
    `${seal("token", record)}.${note}`,
    `${seal("token", record)}.`,
  ])("is not %j", (given) => {
    expect(unseal("token", record, given)).toBeUndefined();
  });

  it("does not hold with another token, and tells nothing of it", () => {
    expect(unseal("other", record, seal("token", record))).toBeUndefined();
    expect(seal("token", record)).toMatch(/^[\w-]{22}$/);
  });
});
