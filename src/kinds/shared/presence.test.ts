import { describe, expect, it, vi } from "vitest";

import { said } from "../../../test/support/kinds/plans.ts";
import type { Presence, IdentitySource } from "../../engine/contract/kind.ts";
import { asPage } from "../../platform/codec/listing.ts";
import { planUnshown, planUnshownRemoval, presenceIn } from "./presence.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const MISSED = { noun: "project", name: "shop", id: ID, where: "the organization" } as const;
const isIt = (one: string) => one === ID;

describe("an object that is looked for in a list", () => {
  it.each([
    ["that shows it", [ID], "Shown"],
    ["that holds all there is", ["other"], "Missing"],
    ["that is a page", asPage(["other"]), "Unclear"],
    ["that has the length of a page", Array.from({ length: 20 }, String), "Unclear"],
  ] as const)("%s: the evidence that the engine gets for a recorded one", (_name, list, expected) => {
    const presence = vi.fn<(evidence: string) => Presence>(() => "Unconfirmed");
    expect(presenceIn({ identitySource: "recorded", records: { presence } }, list, isIt)).toBe("Unconfirmed");
    expect(presence).toHaveBeenCalledWith(expected);
  });

  it.each([
    ["that shows it", [ID], "Present"],
    ["that holds all there is", ["other"], "Gone"],
    ["that is a page", asPage(["other"]), "Unproven"],
  ] as const)("%s: the presence of one that was not recorded, at once", (_name, list, expected) => {
    const context = { identitySource: "given", records: { presence: (): Presence => "Unconfirmed" } } as const;
    expect(presenceIn(context, list, isIt)).toBe(expected);
  });
});

describe("an object that no list shows", () => {
  it.each<[IdentitySource, Presence, "Fail" | "Recreate", string]>([
    ["recorded", "Unconfirmed", "Recreate", "unknown NotObservable"],
    ["recorded", "Unproven", "Recreate", "unknown NotObservable"],
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
