import { beforeAll, describe, expect, it } from "vitest";

import { editRecord, removeRecord } from "../../simulator/control/records.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { defaults, project } from "../support/kube/manifests.ts";

/** An approval: test/model/kinds-contract.test.ts for every kind, clusters.test.ts and cli-objects-say.test.ts. */
describe.each(effort.few(["documented", "full"] as const))("policies on the %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(() => env.apply(...defaults(env, { surface: surface === "full" ? "Full" : "Documented" })));

  it("[C7] Recreate creates what is provably gone again, once, and Fail only reports it", async () => {
    await env.apply(project("back", { lifecycle: { onMissing: "Recreate" } }), project("lost"));
    const before = idOf(await env.waitFor("PlatformProject", "back", { status: "True" }));
    const lost = idOf(await env.waitFor("PlatformProject", "lost", { status: "True" }));
    // Until a list has shown them: what no list ever showed is not gone because no list shows it.
    await env.settled();
    const record = await env.record();
    for (const id of [before, lost]) removeRecord(env.platform.sim, id);
    const again = await env.waitFor("PlatformProject", "back", ({ status }) => {
      const id = member(status, "externalId");
      return typeof id === "string" && id !== before;
    });
    await env.waitFor("PlatformProject", "back", { status: "True" });
    await env.waitFor("PlatformProject", "lost", { reason: "ExternalResourceDeleted" });
    await env.settled();
    expect(record.changes()).toEqual(["createProject"]);
    expect(env.platform.world().projects.has(idOf(again))).toBe(true);
  });
});

describe("policies where the platform shows everything", () => {
  const env = createEnv({ surface: "full" });

  it("is reported field by field under Report, and corrected otherwise", async () => {
    await env.apply(...defaults(env, { surface: "Full" }));
    const projects = [project("reported", { lifecycle: { driftPolicy: "Report" } }), project("corrected")];
    const ids: string[] = [];
    for (const manifest of projects) ids.push(idOf(await env.ready(manifest)));
    await env.settled();
    const record = await env.record();
    for (const [index, id] of ids.entries()) editRecord(env.platform.sim, id, { name: `theirs ${index}` });
    const found = await env.waitFor("PlatformProject", "reported", { type: "Drifted", status: "True" });
    expect(condition(found, "Ready")).toMatchObject({ status: "True" });
    expect(member(found.status, "drift")).toEqual({
      fields: [{ path: "spec.name", desired: "reported", observed: "theirs 0" }],
    });
    await env.settled();
    expect(record.changes()).toEqual(["updateProject"]);
    expect(await eventsOf(env, "reported", "DriftDetected")).toHaveLength(1);
    const metrics = await (await fetch(`${env.operator.metricsUrl}/metrics`)).text();
    expect(metrics).toContain('platform_operator_resources_drifted{kind="PlatformProject"} 1\n');
    expect(metrics).toMatch(/^platform_operator_drift_detected_total\{kind="PlatformProject"\} [12]$/m);
    await env.quiet(1);
  });
});
