import { describe, expect, it } from "vitest";

import { ApiError } from "../../platform/transport/errors.ts";
import type { Rejection } from "../context/local-state.ts";
import type { Step } from "../contract/kind.ts";
import { rejectedBefore, withoutStep } from "./rejection.ts";

const why = { reason: "InvalidSpec", message: "no" } as const;
const step = { generation: 2, inputs: { parent: "p", value: "v" }, isFull: false, redeploy: "first" } as const;
const last: Rejection = { op: "create", ...step, why, until: 100 };
const context = { ...step, requested: undefined, now: 99 } as const;

it.each([
  ["the same again", "create", context, why],
  ["another operation", "update", context, undefined],
  ["a newer generation", "create", { ...context, generation: 3 }, undefined],
  ["another value", "create", { ...context, inputs: { parent: "p", value: "w" } }, undefined],
  ["another surface", "create", { ...context, isFull: true }, undefined],
  ["the same after a while", "create", { ...context, now: 100 }, undefined],
  ["a request to deploy once more", "create", { ...context, redeploy: "second" }, undefined],
  ["no request to deploy once more", "create", { ...context, redeploy: undefined }, why],
  ["the user's request", "create", { ...context, requested: "now" }, undefined],
] as const)("a step that was rejected %s", (_, op, now, expected) => {
  expect(rejectedBefore(last, op, now)).toEqual(expected);
});

const STEP: Step<string> = { repeat: "safe", op: "deleteWidget", action: "delete" };
const CREATE: Step<string> = {
  repeat: "once",
  op: "createWidget",
  action: "create",
  creates: true,
  mark: null,
  why: { reason: "Creating", message: "Creating." },
};

/** How a reconcile goes on after a step was answered like this, and whether a read still shows the object. */
function after(step: Step, is: "NotSupported" | "NotFound", status: number, isShown: boolean) {
  const frame = { context: {}, connection: { api: { refresh: () => {} } } } as unknown as Parameters<
    typeof withoutStep
  >[1];
  const error = new ApiError(step.op, { is }, status, "There is no such operation.");
  const observe = () => Promise.resolve({ value: "observed again" });
  return withoutStep({ shows: () => isShown }, frame, { step, observed: "observed before", error }, observe);
}

describe("an operation that the platform does not have", () => {
  it.each([
    ["is told by a 405", STEP, "NotSupported", 405, false, { value: "observed before", isMissing: true }],
    ["is told by a 501", CREATE, "NotSupported", 501, false, { value: "observed before", isMissing: true }],
    ["is told by a 404 of a shown object", STEP, "NotFound", 404, true, { value: "observed again", isMissing: true }],
    [
      "is not told by a 404 of another object",
      STEP,
      "NotFound",
      404,
      false,
      { value: "observed again", isMissing: false },
    ],
    ["is not told by a 404 of a create", CREATE, "NotFound", 404, false, undefined],
  ] as const)("%s", async (_title, step, is, status, isShown, expected) => {
    expect(await after(step, is, status, isShown)).toEqual(expected);
  });
});
