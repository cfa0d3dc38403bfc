import { describe, expect, it } from "vitest";

import type { Goal, IdentitySource } from "../../engine/contract/kind.ts";
import { listAge } from "./named-kind.ts";

describe("the age of the list that a reconcile judges by", () => {
  it.each<[what: string, identitySource: IdentitySource, goal: Goal, requested: string | undefined, maxAgeMs: number]>([
    ["a settled object", "recorded", "present", undefined, 5_000],
    ["a deletion", "recorded", "absent", undefined, 0],
    ["a stop", "recorded", "stopped", undefined, 0],
    ["a request of the user", "recorded", "present", "token-1", 0],
    ["an id that is not recorded yet", "claimed", "present", undefined, 0],
    ["an id that the user gave", "given", "present", undefined, 0],
  ])("for %s", (_, identitySource, goal, requested, maxAgeMs) => {
    expect(listAge({ identitySource, goal, requested })).toEqual({ maxAgeMs });
  });
});
