import { describe, expect, it } from "vitest";

import { ApiError } from "../../platform/transport/errors.ts";
import type { Rejection } from "../context/local-state.ts";
import type { Plan, Step } from "../contract/kind.ts";
import { rejectedBefore, withoutStep } from "./rejection.ts";

const why = { reason: "InvalidSpec", message: "no" } as const;
const step = { generation: 2, inputs: { parent: "p", value: "v" }, surface: "Documented", redeploy: "first" } as const;
const last: Rejection = { op: "create", ...step, why, until: 100 };
const context = { ...step, requested: undefined, now: 99 } as const;

it.each([
  ["the same again", "create", context, why],
  ["another operation", "update", context, undefined],
  ["a newer generation", "create", { ...context, generation: 3 }, undefined],
  ["another value", "create", { ...context, inputs: { parent: "p", value: "w" } }, undefined],
  ["another surface", "create", { ...context, surface: "Full" }, undefined],
  ["the same after a while", "create", { ...context, now: 100 }, undefined],
  ["a request to deploy once more", "create", { ...context, redeploy: "second" }, undefined],
  ["no request to deploy once more", "create", { ...context, redeploy: undefined }, why],
  ["the user's request", "create", { ...context, requested: "now" }, undefined],
] as const)("a step that was rejected %s", (_, op, now, expected) => {
  expect(rejectedBefore(last, op, now)).toEqual(expected);
});

const STEP: Step<string> = { repeat: "safe", op: "deleteWidget", action: "delete" };

/** A refused step, on a platform that is known not to offer its operation. */
function refused(next: Plan<string>) {
  const capabilities = { supports: () => "Unsupported" };
  const frame = { context: {}, connection: { api: { capabilities } } } as unknown as Parameters<typeof withoutStep>[1];
  const error = new ApiError("deleteWidget", { is: "NotSupported" }, 501, "There is no such operation.");
  return withoutStep({ plan: () => next }, frame, { step: STEP, observed: "it", error }, () => Promise.resolve(error));
}

describe("a step whose operation the platform does not offer", () => {
  it("is left out of the plan", async () => {
    expect(await refused({ is: "settled" })).toEqual({ is: "on", value: "it" });
  });

  it("is not sent again if the kind would plan it again", async () => {
    const message = "The platform has no operation deleteWidget.";
    const end = { is: "stalled", why: { reason: "NotSupportedByApi", message } };
    expect(await refused({ is: "step", step: STEP })).toEqual(end);
  });
});
