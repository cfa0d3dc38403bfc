import { describe, expect, it } from "vitest";

import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { defaults, project } from "../support/kube/manifests.ts";
import { itReportsOutages } from "./outages.ts";

describe("[C9] trouble of the platform, documented surface, no prefix", () => {
  itReportsOutages({
    surface: "documented",
    pathPrefix: "",
    outages: [
      ["500", { is: "status", status: 500 }, "PlatformUnavailable", /listProjects with 500/],
      ["malformed JSON", { is: "malformed" }, "UnexpectedResponse", /listProjects/],
      ["silence", { is: "silence" }, "PlatformUnreachable", /cannot be reached/],
    ],
  });
});

describe("[C9] a settled object whose connection is in trouble for long", () => {
  const env = createEnv({ surface: "documented", windows: { outageMs: 1_500, staleMs: 2_500 } });

  it("says so at last: Synced=False, Ready kept, neither Reconciling nor Stalled; the connection is not Ready", async () => {
    await env.ready(...defaults(env), project("old"));
    env.platform.sim.faults.add({ answer: { is: "status", status: 503 }, count: null });
    const stale = await env.waitFor("PlatformProject", "old", { type: "Synced", status: "False" });
    expect(condition(stale, "Ready")).toMatchObject({ status: "True", reason: "Available" });
    expect(condition(stale, "Synced")).toMatchObject({
      reason: "ConnectionNotReady",
      message: `Waiting for PlatformConnection "${env.namespace}/default" (reason PlatformUnavailable).`,
    });
    expect(condition(stale, "Reconciling")).toBeUndefined();
    expect(condition(stale, "Stalled")).toBeUndefined();
    const down = await env.waitFor("PlatformConnection", "default", { status: "False" });
    expect(condition(down, "Ready")).toMatchObject({ reason: "PlatformUnreachable" });
    expect(condition(down, "Synced")).toMatchObject({ status: "False", reason: "PlatformUnavailable" });
    env.platform.sim.faults.clear();
    await env.waitFor("PlatformProject", "old", { type: "Synced", status: "True" });
    await env.waitFor("PlatformConnection", "default", { status: "True", reason: "Available" });
  });
});
