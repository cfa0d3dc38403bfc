/** What a connection holds its objects to: the brake on changes that nobody asked for, and its projects. */
import { beforeAll, describe, expect, it, vi } from "vitest";

import { removeRecord } from "../../simulator/control/records.ts";
import { RESOLVE } from "../../src/api/names.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { connection, defaults, environment, project, resource } from "../support/kube/manifests.ts";

const CONNECTION = "PlatformConnection";
/** Two more than the brake lets pass in ten minutes. */
const NAMES = Array.from({ length: 12 }, (_, index) => `mass-${String(index)}`);

describe.each(effort.few(["full", "documented"] as const))("the limits of a connection, %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.ready(...defaults(env, { surface: surface === "full" ? "Full" : "Documented" }));
  });

  it("holds a mass of changes that no new generation caused, until a person confirms them", async () => {
    await env.apply(...NAMES.map((name) => project(name, { lifecycle: { onMissing: "Recreate" } })));
    const ids: string[] = [];
    for (const name of NAMES) ids.push(idOf(await env.waitFor("PlatformProject", name, { status: "True" })));
    await env.settled();
    const record = await env.record();
    for (const id of ids) removeRecord(env.platform.sim, id);
    const held = await env.waitFor(CONNECTION, "default", { type: "Stalled", reason: "MassChangeHeld" });
    expect(condition(held, "Ready")?.status).toBe("False");
    await env.apply(project("asked"));
    await env.waitFor("PlatformProject", "asked", { reason: "ConnectionNotReady" });
    await env.settled();
    const before = record.changes().length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(10);
    await env.annotate(CONNECTION, "default", { [RESOLVE]: "proceed" });
    await env.waitFor(CONNECTION, "default", { status: "True" });
    await vi.waitFor(() => {
      expect(record.changes()).toEqual(Array.from({ length: 13 }, () => "createProject"));
    }, 15_000);
  });

  it("[E10] reaches its projects, and nothing outside of them", async () => {
    const own = idOf(await env.waitFor("PlatformProject", "asked", { status: "True" }));
    const theirs = idOf(await env.waitFor("PlatformProject", "mass-0", { status: "True" }));
    await env.remove("PlatformProject", "asked");
    await env.remove("PlatformProject", "mass-0");
    const [token] = defaults(env);
    if (token === undefined) throw new Error("a connection has a Secret");
    await env.apply(
      { ...token, metadata: { name: "limited" } },
      connection(env, "limited", { allowedProjects: [own], surface: surface === "full" ? "Full" : "Documented" }),
    );
    const record = await env.record();
    const connectionRef = { name: "limited" };
    await env.apply(
      project("own", { name: "asked", externalId: own, connectionRef }),
      project("theirs", { name: "mass-0", externalId: theirs, connectionRef }),
      project("new", { connectionRef }),
      environment(env, "inside", "own", { connectionRef }),
      environment(env, "outside", "", { projectRef: { externalId: theirs }, connectionRef }),
      resource("PlatformWebhook", "all", { targetUrl: "https://hooks.example.com/", events: ["A"], connectionRef }),
      resource("PlatformCluster", "shared", {
        externalId: env.platform.clusterIds[1] ?? "",
        runState: "Stopped",
        lifecycle: { applyPolicy: "Automatic" },
        connectionRef,
      }),
      resource("PlatformOperation", "invoices", { type: "SendInvoices", connectionRef }),
    );
    for (const [kind, name] of [
      ["PlatformProject", "theirs"],
      ["PlatformProject", "new"],
      ["PlatformEnvironment", "outside"],
      ["PlatformWebhook", "all"],
      ["PlatformCluster", "shared"],
      ["PlatformOperation", "invoices"],
    ] as const) {
      const refused = await env.waitFor(kind, name, { type: "Stalled", status: "True" });
      expect(condition(refused, "Ready")?.message, `${kind} ${name}`).toMatch(
        /allowedProjects|limited to some projects/,
      );
    }
    await env.waitFor("PlatformEnvironment", "inside", { status: "True" });
    expect(record.changes()).toEqual(["createEnvironment"]);
  });
});
