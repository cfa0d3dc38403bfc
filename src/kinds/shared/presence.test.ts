import { describe, expect, it, vi } from "vitest";

import { said } from "../../../test/support/kinds/plans.ts";
import type { Presence, IdentitySource } from "../../engine/contract/kind.ts";
import { asPage } from "../../platform/codec/listing.ts";
import { planUnshown, planUnshownRemoval, presenceIn } from "./presence.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const MISSED = { noun: "project", name: "shop", id: ID, where: "the organization" } as const;
const isIt = (one: string) => one === ID;

it.each([
  ["that shows it", [ID], "Shown", "Present"],
  ["that holds all there is", ["other"], "Missing", "Gone"],
  ["that is a page", asPage(["other"]), "Unclear", "Unproven"],
  ["that has the length of a page", Array.from({ length: 20 }, String), "Unclear", "Unproven"],
] as const)(
  "an object that is looked for in a list %s is judged by the engine if it was recorded, and at once if not",
  (_name, list, evidence, expected) => {
    const presence = vi.fn<(evidence: string) => Presence>(() => "Unconfirmed");
    const of = (identitySource: IdentitySource) => presenceIn({ identitySource, records: { presence } }, list, isIt);
    expect([of("recorded"), of("given")]).toEqual(["Unconfirmed", expected]);
    expect(presence.mock.calls).toEqual([[evidence]]);
  },
);

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
    expect(said(planUnshown({ identitySource, policies: { onMissing } }, presence, MISSED))).toBe(expected);
  });

  it.each<[Presence, string]>([
    ["Gone", "settled"],
    ["Unconfirmed", "waiting Deleting"],
    ["Unproven", "stalled NotObservable"],
  ])("that is being deleted and is %s: %s", (presence, expected) => {
    expect(said(planUnshownRemoval(presence, MISSED))).toBe(expected);
  });
});
