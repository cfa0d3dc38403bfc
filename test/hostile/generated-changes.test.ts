/** Changes each leaf of every kind on an existing object and reverts it, on both surfaces (Acto's oracles). */
import { beforeAll, describe, expect, it } from "vitest";

import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { grantSecretOutputs } from "../support/env/rights.ts";
import { figure } from "../support/platform/figure.ts";
import { repetitions } from "./generated/cases.ts";
import { KINDS } from "./generated/kinds/index.ts";
import { startLane, valueManifests } from "./generated/lane.ts";
import { chosen, trialsOf } from "./generated/trials.ts";

/** The size of a short run's sample on each surface; CHAOS_SEED selects it. */
const FEW = { kinds: 4, changes: 4 };

// Operators of other tests would report conditions of its ClusterPlatformConnections.
const controlPlane = await ownControlPlane();

describe.each(["full", "documented"] as const)("[G1] changes of leaves, %s surface,", (surface) => {
  // Nothing else changes the hundreds of objects, so that the operator can poll them rarely.
  const env = createEnv({ surface, controlPlane, windows: { pollMs: 20_000 } });
  /** The bounds of leaves that several kinds have are tried on the first kind. */
  const isTried = repetitions();

  const kinds = effort.all ? KINDS : chosen(KINDS, FEW.kinds, effort.seed, ({ kind }) => `${surface} ${kind}`);

  beforeAll(async () => {
    // Each leaf is set, also those that the specification does not have.
    env.platform.sim.settings.strictRequests = false;
    await env.apply(...valueManifests(env));
    await grantSecretOutputs(env);
  });

  it.concurrent.for(kinds)(
    "of a $kind are carried out and reverted",
    { timeout: 1_800_000, retry: 0 },
    async (kind, { task }) => {
      const all = trialsOf(env, surface, await startLane(env, surface, kind), isTried);
      const trials = effort.all ? all : chosen(all, FEW.changes, effort.seed, ({ title }) => title);
      const wrong: string[] = [];
      for (const { title, run } of trials) {
        const found = await run().catch((error: unknown) => [String(error)]);
        wrong.push(...found.map((problem) => `${title}: ${problem}`));
      }
      figure(task, `${trials.length} of ${all.length} changes of ${kind.kind}`, trials.length);
      expect(wrong, wrong.join("\n")).toEqual([]);
    },
  );
});
