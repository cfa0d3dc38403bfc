import { describe, expect, it } from "vitest";

import { isSealed, seal, type Sealed } from "./seal.ts";

const record: Sealed = { uid: "uid-1", id: "id-1", parentId: "parent-1" };

describe("a seal", () => {
  it("holds for the record that it was made for", () => {
    expect(isSealed("token", record, seal("token", record))).toBe(true);
    expect(
      isSealed("token", { ...record, parentId: undefined }, seal("token", { ...record, parentId: undefined })),
    ).toBe(true);
  });

  it.each([
    ["another resource", { ...record, uid: "uid-2" }],
    ["another object of the platform", { ...record, id: "id-2" }],
    ["another parent", { ...record, parentId: "parent-2" }],
    ["no parent", { ...record, parentId: undefined }],
  ])("does not hold for %s", (_what, other) => {
    expect(isSealed("token", other, seal("token", record))).toBe(false);
  });

  it.each([undefined, "", "x", "x".repeat(22), "é".repeat(11)])("is not %j", (given) => {
    expect(isSealed("token", record, given)).toBe(false);
  });

  it("does not hold with another token, and tells nothing of it", () => {
    expect(isSealed("other", record, seal("token", record))).toBe(false);
    expect(seal("token", record)).toMatch(/^[\w-]{22}$/);
  });
});
