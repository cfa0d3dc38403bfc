import { describe, expect, it, vi } from "vitest";

import { said } from "../../../test/support/kinds/plans.ts";
import type { Presence, IdentitySource } from "../../engine/contract/kind.ts";
import { asPage } from "../../platform/codec/listing.ts";
import { planUnshown, planUnshownRemoval, presenceIn } from "./presence.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const UNLISTED = { noun: "project", name: "shop", id: ID, where: "the organization" } as const;
const isIt = (one: string) => one === ID;

describe.each([
  ["that shows it", [ID], "Shown", "Present"],
  ["that holds all there is", ["other"], "Missing", "Gone"],
  ["that is a page", asPage(["other"]), "Unclear", "Unproven"],
  ["that has the length of a page", Array.from({ length: 20 }, String), "Unclear", "Unproven"],
] as const)("the presence of an object after a list %s", (_name, list, evidence, expected) => {
  const found = (identitySource: IdentitySource) => {
    const presence = vi.fn<(evidence: string) => Presence>(() => "Unconfirmed");
    return { is: presenceIn({ identitySource, records: { presence } }, list, isIt), asked: presence.mock.calls };
  };

  it("is what the engine makes of this and earlier lists, if the object is recorded", () => {
    expect(found("recorded")).toEqual({ is: "Unconfirmed", asked: [[evidence]] });
  });

  it("follows from this list alone, if the user gave the id", () => {
    expect(found("given")).toEqual({ is: expected, asked: [] });
  });
});

describe("an object that no list shows", () => {
  it.each<[IdentitySource, Presence, "Fail" | "Recreate", string]>([
    ["recorded", "Unconfirmed", "Recreate", "unknown NotListed"],
    ["recorded", "Unproven", "Recreate", "unknown NotListed"],
    ["recorded", "Gone", "Recreate", "forget ExternalResourceDeleted"],
    ["recorded", "Gone", "Fail", "stalled ExternalResourceDeleted"],
    ["given", "Unproven", "Fail", "stalled NotObservable"],
    ["given", "Gone", "Fail", "stalled InvalidSpec"],
    ["orphaned", "Gone", "Fail", "stalled ExternalResourceDeleted"],
  ])("that is %s and %s, under onMissing %s: %s", (identitySource, presence, onMissing, expected) => {
    expect(said(planUnshown({ identitySource, policies: { onMissing } }, presence, UNLISTED))).toBe(expected);
  });

  it.each<[Presence, string]>([
    ["Gone", "settled"],
    ["Unconfirmed", "waiting Deleting"],
    ["Unproven", "stalled NotObservable"],
  ])("that is being deleted and is %s: %s", (presence, expected) => {
    expect(said(planUnshownRemoval(presence, UNLISTED))).toBe(expected);
  });
});
