import { beforeAll, describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { expectOnce, knowable, subjectOf } from "../support/kube/lost-writes.ts";
import { defaults, tree } from "../support/kube/manifests.ts";

describe.each(effort.few(["documented", "full"] as const))("SIGKILL of the operator, %s surface", (surface) => {
  // Without a lease, whose time would have to run out first; no call ends by itself before the operator does.
  const env = createEnv({ surface, args: ["--leader-elect=false"], deadlines: { writeMs: 60_000 } });

  beforeAll(async () => {
    await env.apply(...defaults(env));
  });

  describe.each(["applied", "none"] as const)("while a write (effect: %s) of each kind is on its way", (effect) => {
    let record: Recording;

    // As many trees as operations: each fault holds up one of them.
    beforeAll(async () => {
      record = await env.record();
      for (const operation of knowable(surface)) {
        env.platform.sim.faults.add({ name: operation, match: { operation }, effect, answer: { is: "silence" } });
      }
      await env.apply(...knowable(surface).flatMap((_, index) => tree(env, `${effect}-${index}`)));
      for (const operation of knowable(surface)) await subjectOf(env, record, operation);
      await env.kill();
      await env.start();
    });

    it.each(knowable(surface))("%s: once, and all converge", async (operation) => {
      await expectOnce(env, record, await subjectOf(env, record, operation));
      expect(record.calls(operation).filter(({ fault }) => fault === operation)).toHaveLength(1);
    });
  });
});
