import { describe, expect, it } from "vitest";
import { z } from "zod";

import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { writesOf } from "../support/env/audit-tail.ts";
import { condition } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";

/** All of examples/quickstart but for its Secrets, parents first. */
const QUICKSTART = [
  ["PlatformConnection", "default"],
  ["PlatformProject", "shop"],
  ["PlatformEnvironment", "staging"],
  ["PlatformEnvironment", "production"],
  ["PlatformApplication", "api"],
  ["PlatformApplication", "web"],
  ["PlatformCatalog", "catalog"],
  ["PlatformBinding", "essentials"],
] as const;

const Echo = z.object({ status: z.record(z.string(), z.unknown()) });

const SURFACES = [
  { surface: "documented", shown: "Documented" },
  { surface: "full", shown: "Full" },
] as const;

describe.each(effort.few(SURFACES))("the quickstart on the $surface surface", ({ surface, shown }) => {
  const env = createEnv({ surface });

  it("comes to Ready, with its own budget of requests, creating and deploying each thing once", async () => {
    const record = await env.record();
    await env.ready(...env.quickstart({ rate: false }));
    await env.waitFor("PlatformConnection", "default", ({ status }) => JSON.stringify(status).includes(`"${shown}"`));

    const counts = Object.entries(Object.groupBy(record.changes(), (operation) => operation));
    expect(Object.fromEntries(counts.map(([operation, calls]) => [operation, calls?.length]))).toMatchObject({
      createProject: 1,
      createEnvironment: 2,
      createApplication: 2,
      deployApplication: 2,
      importEnvironmentVariable: 1,
    });
    const commits = record.calls("deployApplication").map(({ body }) => body);
    expect(commits).toContainEqual({ git_commit_id: "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d" });
    expect(commits).toContainEqual({ git_commit_id: "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432" });
  });

  it("is shown by kubectl, all kinds by their category", async () => {
    const shown = (await env.kubectl(["get", "platform"])).trim().split("\n\n");
    // Those of other stages are seen from here, too.
    const tables = shown.filter((table) => !table.includes("clusterplatformconnection."));
    const rows = tables.map((table) => table.split("\n").map((line) => line.split(/ {2,}/)));
    const ready = rows.flatMap(([, ...objects]) =>
      objects.map(([name = "", value]) => `${name.split("/")[1]} ${value}`),
    );
    expect(new Set(ready)).toEqual(new Set(QUICKSTART.map(([, name]) => `${name} True`)));
    expect(ready).toHaveLength(QUICKSTART.length);
    expect(await env.kubectl(["get", "papp", "api"])).toMatch(
      /api +True +Deployed +DEPLOYED +1a2b3c4 +\d+s +False +\d+s/,
    );
  });

  it("gets no write after that, while it is polled", async () => {
    await env.settled();
    const record = await env.record();
    await env.quiet(2);
    expect(record.calls("getApplicationStatus").length + record.calls("getEnvironmentStatuses").length).toBeGreaterThan(
      1,
    );
  });

  it("reads everything again on request, and writes only that it did", async () => {
    await env.settled();
    const record = await env.record();
    for (const [kind, name] of QUICKSTART) await env.annotate(kind, name, { [RECONCILE_REQUESTED_AT]: "now-1" });
    for (const [kind, name] of QUICKSTART) {
      await env.waitFor(kind, name, ({ status }) =>
        JSON.stringify(status).includes('"lastHandledReconcileAt":"now-1"'),
      );
    }
    await env.settled();
    expect(record.changes()).toEqual([]);
    const requests = await record.requests();
    expect(writesOf(requests)).toMatchObject({ events: [] });
    const patches = requests.filter(({ verb, objectRef }) => verb === "patch" && objectRef?.resource !== "leases");
    expect(new Set(patches.map(({ objectRef }) => objectRef?.name))).toEqual(
      new Set(QUICKSTART.map(([, name]) => name)),
    );
    expect(patches).toHaveLength(QUICKSTART.length);
    for (const { requestObject } of patches) {
      expect(requestObject).toMatchObject({ status: { lastHandledReconcileAt: "now-1" } });
      expect(Object.keys(Echo.parse(requestObject).status)).toEqual(["lastHandledReconcileAt"]);
    }
    await env.quiet(1);
  });

  it("gets no write from an operator that starts again", async () => {
    await env.stop();
    const record = await env.record();
    await env.start();
    await env.quiet(3);
    expect(record.changes()).toEqual([]);
    expect((await record.writes()).objects).toEqual([]);
    expect(record.calls().length).toBeGreaterThan(3);
    for (const [kind, name] of QUICKSTART) {
      expect(condition(await env.get(kind, name), "Ready")).toMatchObject({ status: "True" });
    }
  });
});
