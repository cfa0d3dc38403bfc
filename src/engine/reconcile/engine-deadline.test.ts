/** One-shot objects whose kind cannot report their end. */
import { expect, it } from "vitest";

import { engineEnv, type Env, status } from "../../../test/support/engine/env.ts";
import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { widget } from "../../../test/support/engine/kinds.ts";
import { MINUTE } from "../../../test/support/platform/durations.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";

const TOO_LATE = { reason: "DeadlineExceeded", message: "It did not end in time." } as const;

/** A kind that only ends by its deadline, ten minutes after its creation. @param failure of its reads */
function oneShot(failure?: readonly [ApiFailure, number]): typeof widget {
  return {
    ...widget,
    oneShot: {
      over: ({ told }) => (told === undefined ? undefined : { expiresAt: undefined }),
      refused: () => undefined,
      limitMs: () => 10 * MINUTE,
      overdue: () => ({ ready: TOO_LATE, conditions: [], status: { told: "over" } }),
    },
    observe: async (pass, api) => {
      if (failure !== undefined) throw apiError("list", ...failure);
      return await widget.observe(pass, api);
    },
  };
}

it.each<[string, Env["output"] | undefined, readonly [ApiFailure, number] | undefined]>([
  ["that the token may not read", undefined, [{ is: "Forbidden" }, 403]],
  ["that the platform fails to show", undefined, [{ is: "Server" }, 500]],
  ["whose ConfigMap belongs to others", () => Promise.reject(new KubeError("Conflict", 0, "no")), undefined],
])("a one-shot object %s ends by its deadline", async (_title, output, failure) => {
  const env = engineEnv({ kind: oneShot(failure) });
  if (output !== undefined) env.output = output;
  env.widget("a", { output: "values" });
  await env.run(9 * MINUTE);
  expect(status(env, "told")).toBeUndefined();
  await env.run(30 * MINUTE);
  expect(status(env, "told")).toBe("over");
  expect(env.conditions("Widget", "a")).toContain(`Stalled=True/${TOO_LATE.reason}`);
  expect(env.conditions("Link", "default")).toContain("Ready=True/Available");
  const passes = () => env.passes.filter(({ key }) => key.startsWith("Widget/")).length;
  const before = passes();
  await env.run(30 * MINUTE);
  expect(passes()).toBe(before);
});
