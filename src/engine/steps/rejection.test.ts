import { describe, expect, it } from "vitest";

import type { Rejection } from "../context/local-state.ts";
import { rejectedBefore } from "./rejection.ts";

const why = { reason: "InvalidSpec", message: "no" } as const;
const last: Rejection = {
  op: "create",
  generation: 2,
  inputs: { parent: "p", value: "v" },
  surface: "Documented",
  why,
  until: 100,
};
const context = {
  generation: 2,
  inputs: { parent: "p", value: "v" },
  surface: "Documented",
  requested: undefined,
  now: 99,
} as const;

describe("a step that was rejected", () => {
  it.each([
    ["the same again", "create", context, why],
    ["another operation", "update", context, undefined],
    ["a newer generation", "create", { ...context, generation: 3 }, undefined],
    ["another value", "create", { ...context, inputs: { parent: "p", value: "w" } }, undefined],
    ["another surface", "create", { ...context, surface: "Full" }, undefined],
    ["the same after a while", "create", { ...context, now: 100 }, undefined],
    ["the user's request", "create", { ...context, requested: "now" }, undefined],
  ] as const)("%s", (_, op, now, expected) => {
    expect(rejectedBefore(last, op, now)).toEqual(expected);
  });

  it("is not remembered at first", () => {
    expect(rejectedBefore(undefined, "create", context)).toBeUndefined();
  });
});
