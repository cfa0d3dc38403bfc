import { describe, expect, it } from "vitest";

import type { Step } from "../contract/kind.ts";
import { covers, type StatusPlan } from "./policy-status.ts";

const update: Step<string> = { repeat: "safe", op: "update", action: "update" };
const plan = (change: Partial<StatusPlan> = {}): StatusPlan => ({
  hash: "0123456789abcdef",
  reason: "ApprovalPending",
  generation: 3,
  approved: true,
  actions: [{ operation: "update" }],
  ...change,
});

describe("an approved plan", () => {
  it.each<[what: string, plan: StatusPlan | undefined, generation: number, covered: boolean]>([
    ["its own generation", plan(), 3, true],
    ["a newer generation", plan(), 4, false],
    ["an older generation", plan(), 2, false],
    ["an operation that it does not list", plan({ actions: [{ operation: "delete" }] }), 3, false],
    ["what follows a create", plan({ actions: [{ operation: "create", creates: true }] }), 3, true],
    [
      "what follows a create of another generation",
      plan({ actions: [{ operation: "create", creates: true }] }),
      4,
      false,
    ],
    ["nothing while it is not approved", plan({ approved: undefined }), 3, false],
    ["nothing where there is none", undefined, 3, false],
  ])("covers %s: %#", (_, approved, generation, covered) => {
    expect(covers(approved, generation, update)).toBe(covered);
  });
});
