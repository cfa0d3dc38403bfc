import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { sign, verify, type Signed } from "./signature.ts";

const record: Signed = { uid: "uid-1", id: "id-1", parentId: "parent-1" };
const kept = { written: { names: ["A", "é"] } };

describe("a record signature", () => {
  it("is valid for the record that it was made for", () => {
    expect(verify("token", record, sign("token", record))).toEqual({ kept: undefined });
    const orphan = { ...record, parentId: undefined };
    expect(verify("token", orphan, sign("token", orphan))).toEqual({ kept: undefined });
  });

  it("returns what was kept with it", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (what) => {
        expect(verify("token", record, sign("token", record, { ...what }))).toEqual({ kept: { ...what } });
      }),
    );
  });

  it.each([
    ["another resource", { ...record, uid: "uid-2" }],
    ["another object of the platform", { ...record, id: "id-2" }],
    ["another parent", { ...record, parentId: "parent-2" }],
    ["no parent", { ...record, parentId: undefined }],
  ])("is invalid for %s", (_what, other) => {
    expect(verify("token", other, sign("token", record))).toBeUndefined();
    expect(verify("token", other, sign("token", record, kept))).toBeUndefined();
  });

  const [proof = "", note = ""] = sign("token", record, kept).split(".");
  const bare = sign("token", record);
  const changed = [proof, `${proof}.`, `${proof}.${note}x`, `${bare}.${note}`, `${bare}.`];
  it.each([undefined, "", ".", "x", "x".repeat(22), "é".repeat(11), ...changed])("is not %j", (given) => {
    expect(verify("token", record, given)).toBeUndefined();
  });

  it("is invalid with another token, and reveals nothing of it", () => {
    expect(verify("other", record, sign("token", record))).toBeUndefined();
    expect(sign("token", record)).toMatch(/^[\w-]{22}$/);
  });
});
