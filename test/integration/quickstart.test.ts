import { describe, expect, it } from "vitest";
import { z } from "zod";

import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import type { AuditEvent } from "../control-plane/audit.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { type Write, writesOf } from "../support/env/recording.ts";
import { blueprint, deploying, NEXT_COMMIT } from "../support/kube/manifests.ts";
import { stagedApplications } from "./staged-applications.ts";

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
  { surface: "full", shown: "Full" },
  { surface: "documented", shown: "Documented" },
] as const;

describe.each(effort.few(SURFACES))("the quickstart on the $surface surface", ({ surface, shown }) => {
  const env = createEnv({ surface, windows: SLOW });

  /** As a person would pipe it in. */
  const yaml = (manifests: readonly Manifest[]): string =>
    manifests.map((each) => JSON.stringify(each)).join("\n---\n");
  const all = (): readonly Manifest[] => env.quickstart({ rate: false });
  /** Without the Secrets: kubectl may write those again. */
  const custom = (): readonly Manifest[] => all().filter(({ kind }) => kind !== "Secret");
  const piped = async (args: readonly string[], input = yaml(all())): Promise<readonly string[]> =>
    (await env.kubectl([...args, "-f", "-"], { input })).trim().split("\n");

  it("comes to Ready, with its own budget of requests, creating and deploying each thing once", async () => {
    const record = await env.record();
    await piped(["apply"]);
    for (const [kind, name] of QUICKSTART) await env.waitFor(kind, name, { status: "True" });
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

  it("is shown by kubectl in tables of at most 120 columns", async () => {
    for (const kind of new Set(QUICKSTART.map(([name]) => name))) {
      const table = await env.kubectl(["get", kind]);
      expect(Math.max(...table.split("\n").map(({ length }) => length)), table).toBeLessThanOrEqual(120);
    }
    const applications = await env.kubectl(["get", "papp"]);
    expect(applications).toMatch(/^api +True +Deployed +DEPLOYED +1a2b3c4 +\d+s +False +\d+s$/m);
  });

  it("gets no write after that, while it is polled", async () => {
    await env.settled();
    const record = await env.record();
    await env.quiet(2);
    expect(record.calls("getApplicationStatus").length + record.calls("getEnvironmentStatuses").length).toBeGreaterThan(
      1,
    );
  });

  it("is not changed when it is applied again, on either side, nor found to differ from what the operator left", async () => {
    const record = await env.record();
    const applied = await piped(["apply"], yaml(custom()));
    expect(applied).toHaveLength(8);
    for (const line of applied) expect(line).toMatch(/ unchanged$/);

    // The fields change their manager, once; nobody else holds one of them.
    for (const line of await piped(["apply", "--server-side"], yaml(custom()))) {
      expect(line).toMatch(/ serverside-applied$/);
    }
    const before = (await env.get("PlatformApplication", "api")).metadata;
    await piped(["apply", "--server-side"], yaml(custom()));
    expect((await env.get("PlatformApplication", "api")).metadata).toMatchObject({
      resourceVersion: before.resourceVersion,
      generation: 1,
    });
    expect(await piped(["diff", "--server-side"], yaml(custom()))).toEqual([""]);

    await env.settled();
    expect(record.changes()).toEqual([]);
    expect((await record.writes()).objects).toEqual([]);
  });

  it("keeps a null of the user's, which is sent, on kubectl's server side, and leaves it out on the client's", async () => {
    const record = await env.record();
    const sent = () => record.calls("createBlueprint").map(({ body }) => body);
    const nullable = (name: string): string => JSON.stringify(blueprint(name, "staging", { specOverrides: null }));
    const onServer = ["apply", "--server-side", "--force-conflicts"];
    await piped(onServer, nullable("kept"));
    expect((await env.waitFor("PlatformBlueprint", "kept", { status: "True" })).spec).toMatchObject({
      specOverrides: null,
    });
    expect(sent()).toEqual([expect.objectContaining({ spec_overrides: null })]);
    await piped(["apply"], nullable("left-out"));
    const leftOut = await env.waitFor("PlatformBlueprint", "left-out", { status: "True" });
    expect(leftOut.spec).not.toHaveProperty("specOverrides");
    expect(sent()[1]).not.toHaveProperty("spec_overrides");
    await env.settled();
    // The operator's own patches have not taken it away, and a null that comes later means the same.
    for (const name of ["kept", "left-out"]) {
      await piped(onServer, nullable(name));
      expect((await env.get("PlatformBlueprint", name)).spec).toMatchObject({ specOverrides: null });
    }
    await env.settled();
    expect(record.changes()).toEqual(["createBlueprint", "createBlueprint"]);
    for (const name of ["kept", "left-out"]) await env.remove("PlatformBlueprint", name);
  });

  it("is reported by kubectl describe and kubectl events", async () => {
    const described = await env.kubectl(["describe", "papp", "api"]);
    expect(described).toMatch(/Reason: +Deployed/);
    expect(described).toMatch(/Git Commit Id: +1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d/);
    expect(described).toMatch(
      /Events:[^]*Normal +Deployed +\S+( \(\S+ over \S+\))? +platform-operator +Commit 1a2b3c4 was deployed in \d+ s\./,
    );
    expect(described).not.toContain("not-a-real-password");
    const events = await env.kubectl(["events", "--for", "papp/api"]);
    expect(events).toMatch(/Normal +Deployed +PlatformApplication\/api +Commit 1a2b3c4 was deployed in \d+ s\./);
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

  it("is deleted in any order and at once, and the platform is left as it is", async () => {
    const record = await env.record();
    const lines = await piped(["delete", "--wait=true", "--timeout=20s"]);
    expect(lines).toHaveLength(all().length);
    for (const line of lines) expect(line).toMatch(/ deleted/);
    for (const { kind } of custom()) expect(await env.list(kind), kind).toEqual([]);
    await env.settled();
    expect(record.changes()).toEqual([]);
    const { services } = env.platform.world();
    expect([...services.values()].filter(({ kind }) => kind === "application")).toHaveLength(2);
  });
});
