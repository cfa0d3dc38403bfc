import { describe, expect, it } from "vitest";

import { kindEnv, named } from "../support/kinds/env.ts";
import { failureOf } from "../support/platform/client.ts";

describe.each(["Documented", "Full"] as const)("an environment on the %s surface", (surface) => {
  const env = kindEnv(surface, named("env"), (own) => ({
    spec: (change: object = {}) => {
      const clusterRef = { externalId: own.harness.simulator.clusterIds[0] };
      return { projectRef: { name: "shop" }, name: own.name, mode: "STAGING", clusterRef, ...change };
    },
  }));
  const applied = (projectId = env.projectId) => env.begun(env.harness.environment(projectId, env.spec()));

  it("[C7] that is deleted on the platform, with or without its project, is not created again", async () => {
    const parent = await env.harness.newProject("doomed");
    const gone = await applied(parent);
    env.harness.remove(gone.id());
    // The statistics of the specification prove that an environment exists, and never that it does not.
    const end = surface === "Full" ? "stalled ExternalResourceDeleted" : "unknown NotListed";
    expect(await env.after(60, gone)).toMatchObject({ ops: [], end });
    env.harness.remove(parent);
    env.harness.advance(60);
    expect((await failureOf(gone.run())).failure.is).toBe("NotFound");
    for (const goneAs of [404, 403] as const) {
      env.harness.change({ goneAs });
      expect(await gone.run({ goal: "absent" })).toMatchObject({ ops: [], is: "settled" });
    }
  });

  it("whose project may not be read is not concluded to be deleted", async () => {
    const runner = await applied();
    for (const operation of ["getProjectEnvironmentStats", "listEnvironments"]) {
      env.harness.fault(operation, { is: "status", status: 403 }, { count: null });
    }
    expect((await failureOf(runner.run({ goal: "absent" }))).failure.is).toBe("Forbidden");
  });
});
