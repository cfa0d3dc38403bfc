import { beforeAll, describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import type { Recording } from "../support/env/recording.ts";
import { expectOnce, knowable, losses, subjectOf } from "../support/kube/lost-writes.ts";
import { defaults, tree } from "../support/kube/manifests.ts";

describe.each(effort.few(["full", "documented"] as const))("[A3] a write of unknown outcome, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.apply(...defaults(env));
  });

  describe.each(knowable(surface))("%s", (operation) => {
    let record: Recording;

    // One tree for each loss, all at once: which meets which is known afterwards.
    beforeAll(async () => {
      record = await env.record();
      for (const { what, fault } of losses) {
        env.platform.sim.faults.add({ ...fault, name: what, match: { operation } });
      }
      await env.apply(...losses.flatMap((_, index) => tree(env, `${operation.toLowerCase()}-${index}`)));
    });

    it.each(losses)("that $what happens exactly once", async ({ what }) => {
      const name = await subjectOf(env, record, what);
      await expectOnce(env, record, name);
      expect(record.calls(operation).filter(({ fault }) => fault === what)).toHaveLength(1);
    });
  });
});
