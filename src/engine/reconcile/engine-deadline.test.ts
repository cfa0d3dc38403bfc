/** One-shot objects whose kind cannot report their end. */
import { expect, it } from "vitest";

import { effects, engineEnv, type Env, ready, status } from "../../../test/support/engine/env.ts";
import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { widget } from "../../../test/support/engine/kinds.ts";
import { HOUR, MINUTE } from "../../../test/support/platform/durations.ts";
import { APPROVED_PLAN, PAUSED } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";
import { planIn } from "../policies/policy-status.ts";

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

it("its time limit stands still while it waits for approval or is paused, across restarts, without a write", async () => {
  const env = engineEnv({ kind: oneShot() });
  env.world.deployed = "BUSY";
  env.widget("a", { commit: "c1", lifecycle: { applyPolicy: "Manual" } });
  await env.run(MINUTE);
  expect(ready(env)).toBe("Ready=False/ApprovalPending");
  const [remaining, writes] = [status(env, "remainingSeconds"), env.writes("Widget", "a")];
  expect(remaining).toBeGreaterThan(500);
  await env.run(HOUR);
  env.restart();
  await env.run(HOUR);
  expect([status(env, "remainingSeconds"), env.writes("Widget", "a")]).toEqual([remaining, writes]);

  env.cluster.annotate("Widget", "a", { [APPROVED_PLAN]: planIn(env.cluster.get("Widget", "a"))?.hash ?? null });
  await env.run(MINUTE);
  expect(effects(env)).toEqual(["create", "deploy"]);
  expect(status(env, "remainingSeconds")).toBeUndefined();
  const left = () => Date.parse(status(env, "deadline") as string) - env.clock.now().getTime();
  const before = left();
  expect(before).toBeGreaterThan(500_000);
  await env.run(4 * MINUTE);
  expect(left()).toBe(before - 4 * MINUTE);

  env.cluster.annotate("Widget", "a", { [PAUSED]: "true" });
  await env.run(HOUR);
  env.cluster.annotate("Widget", "a", { [PAUSED]: "false" });
  await env.run(MINUTE);
  expect(Math.abs(left() - (before - 5 * MINUTE))).toBeLessThan(5_000);
  expect(effects(env)).toEqual(["create", "deploy"]);
});
