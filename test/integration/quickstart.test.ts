import { describe, expect, it } from "vitest";
import { z } from "zod";

import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import type { AuditEvent } from "../control-plane/audit.ts";
import { stagedApplications } from "../support/env/applications.ts";
import { type Write, writesOf } from "../support/env/audit-tail.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";

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

/** Longer than anything here takes, on a machine that does much else: what lasts over 10 s is another test. */
const SLOW = { deferMs: 20_000, graceMs: 8_000 } as const;

/** How many children there are, which parents show: news of a later look, and not part of a creation. */
const COUNTS: ReadonlySet<string> = new Set(["environmentCount", "environments", "serviceCount"]);
const StatusPatch = z.object({
  status: z.looseObject({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() })).optional(),
  }),
});

/**
 * The requests without those that only report how many children there are, or what the platform offers: the first answers
 * of a platform may come before a resource is Ready or after.
 */
function withoutNews(requests: readonly AuditEvent[]): readonly AuditEvent[] {
  const shown = new Map<string, string>();
  return requests.filter(({ requestObject, objectRef }) => {
    const patch = StatusPatch.safeParse(requestObject).data;
    if (patch === undefined) return true;
    const name = `${objectRef?.resource}/${objectRef?.name}`;
    const { conditions, ...rest } = patch.status;
    const others = JSON.stringify(conditions?.filter(({ type }) => type !== "Capabilities"));
    const isSame = conditions === undefined || shown.get(name) === others;
    if (conditions !== undefined) shown.set(name, others);
    return !isSame || !Object.keys(rest).every((key) => COUNTS.has(key));
  });
}

/** The custom resource that was written, whatever part of it. */
const subject = ({ what, name }: Write): string => `${what.split("/")[0]}/${name}`;

/** How often each object was written. */
function tally(writes: readonly Write[]): Record<string, number> {
  const groups = Object.entries(Object.groupBy(writes, subject));
  return Object.fromEntries(groups.map(([name, group]) => [name, group?.length ?? 0]));
}

const Echo = z.object({ status: z.record(z.string(), z.unknown()) });

const SURFACES = [
  { surface: "documented", shown: "Documented" },
  { surface: "full", shown: "Full" },
] as const;

describe.each(SURFACES)("the quickstart on the $surface surface", ({ surface, shown }) => {
  const env = createEnv({ surface, windows: SLOW });

  it("comes to Ready, with its own budget of requests, creating and deploying each thing once", async () => {
    const record = await env.record();
    await env.ready(...env.quickstart({ rate: false }));
    await env.waitFor("PlatformConnection", "default", ({ status }) => JSON.stringify(status).includes(`"${shown}"`));
    await env.settled();

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
    const { projects, services } = env.platform.world();
    expect([projects.size, services.size]).toEqual([1, 2]);

    const { objects } = writesOf(withoutNews(await record.requests()));
    expect(objects.filter(({ code }) => code >= 300)).toEqual([]);
    const written = tally(objects.filter(({ what }) => what.startsWith("platform")));
    const most = (name: string): number => {
      // The last one is the ingress, where services are not listed, or the progress of a deployment that takes long.
      if (name.startsWith("platformapplications/")) return 5;
      // It stores the operations that the platform has shown; on a slow machine they come in more steps.
      return name === "platformconnections/default" ? 5 : 3;
    };
    expect(Object.keys(written)).toHaveLength(QUICKSTART.length);
    for (const [name, count] of Object.entries(written)) {
      expect(count, `${name} of ${JSON.stringify(objects)}`).toBeLessThanOrEqual(most(name));
    }
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

  it("gets two writes for another commit", async () => {
    const record = await env.record();
    await env.patch("PlatformApplication", "api", deploying(NEXT_COMMIT));
    await stagedApplications(env).deployed("api", NEXT_COMMIT);
    await env.settled();
    const { objects } = await record.writes();
    expect(tally(objects)).toEqual({ "platformapplications/api": 2 });
    expect(record.changes()).toEqual(["deployApplication"]);
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
