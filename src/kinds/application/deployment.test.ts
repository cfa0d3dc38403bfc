import { describe, expect, it } from "vitest";

import { sameCommit } from "./deployment.ts";

describe("commits", () => {
  it.each([
    ["1a2b3c4d", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c4", true],
    ["1a2b3c4", "1a2b3c4d", true],
    ["1a2b3c4d", "1a2b3c5", false],
  ])("%s and %s: %s", (left, right, same) => {
    expect(sameCommit(left, right)).toBe(same);
  });
});
