import { describe, expect, it } from "vitest";

import { ApiError } from "../../platform/transport/errors.ts";
import type { Plan, Step } from "../contract/kind.ts";
import { withoutStep } from "./rejection.ts";

const STEP: Step<string> = { repeat: "safe", op: "deleteWidget", action: "delete" };
const SETTLED: Plan<string> = { is: "settled" };

/** A refused step, on a platform that is known not to offer its operation. */
function refused(next: Plan<string>) {
  const capabilities = { supports: () => "Unsupported" };
  const frame = { context: {}, connection: { api: { capabilities } } } as unknown as Parameters<typeof withoutStep>[1];
  const error = new ApiError("deleteWidget", { is: "NotSupported" }, 501, "There is no such operation.");
  return withoutStep({ plan: () => next }, frame, { step: STEP, observed: "it", error }, () => Promise.resolve(error));
}

describe("a step whose operation the platform does not offer", () => {
  it("is left out of the plan", async () => {
    expect(await refused(SETTLED)).toEqual({ is: "on", value: "it" });
  });

  it("is not sent again if the kind would plan it again", async () => {
    expect(await refused({ is: "step", step: STEP })).toEqual({
      is: "stalled",
      why: { reason: "NotSupportedByApi", message: "The platform has no operation deleteWidget." },
    });
  });
});
