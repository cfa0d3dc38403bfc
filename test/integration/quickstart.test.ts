import { describe, expect, it } from "vitest";

import type { Manifest } from "../support/env/cluster.ts";
import { effort } from "../support/env/effort.ts";
import { createEnv } from "../support/env/env.ts";
import { surfaceOf } from "./fixture.ts";

/** Longer than anything here takes, on a machine that does much else: what lasts over 10 s is another test. */
const SLOW = { deferMs: 20_000, graceMs: 8_000 } as const;

describe.each(effort.few(["full", "documented"] as const))("the quickstart, %s surface", (surface) => {
  const env = createEnv({ surface, windows: SLOW });

  /** As a person would pipe it in. */
  const yaml = (manifests: readonly Manifest[]): string =>
    manifests.map((each) => JSON.stringify(each)).join("\n---\n");
  const all = (): readonly Manifest[] => env.quickstart({ rate: false });
  /** Without the Secrets: kubectl may write those again. */
  const custom = (): readonly Manifest[] => all().filter(({ kind }) => kind !== "Secret");
  const piped = async (args: readonly string[], input = yaml(all())): Promise<readonly string[]> =>
    (await env.kubectl([...args, "-f", "-"], { input })).trim().split("\n");

  it("becomes Ready within its limit of requests, and creates and deploys each object once", async () => {
    const record = await env.record();
    await piped(["apply"]);
    for (const { kind, metadata } of custom()) await env.waitFor(kind, metadata.name, { status: "True" });
    await env.waitFor("PlatformConnection", "default", ({ status }) =>
      JSON.stringify(status).includes(`"${surfaceOf(env)}"`),
    );
    await env.settled();

    const creates = ["createProject", "createEnvironment", "createApplication"];
    const operations = [...creates, "importEnvironmentVariable", "deployApplication"];
    const calls = operations.map((operation) => [operation, record.calls(operation).length]);
    expect(Object.fromEntries(calls)).toEqual({
      createProject: 1,
      createEnvironment: 2,
      createApplication: 2,
      importEnvironmentVariable: 1,
      deployApplication: 2,
    });
    const commits = record.calls("deployApplication").map(({ body }) => body);
    const [api, web] = ["1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d", "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"];
    expect(new Set(commits)).toEqual(new Set([{ git_commit_id: api }, { git_commit_id: web }]));
    const { projects, services } = env.platform.world();
    expect(projects.size).toBe(1);
    expect(services.size).toBe(2);

    expect((await record.writes()).objects.filter(({ code }) => code >= 300)).toEqual([]);
  });

  it("is printed by kubectl get with a message that begins within 80 columns", async () => {
    for (const kind of new Set(custom().map((one) => one.kind))) {
      const table = await env.kubectl(["get", kind]);
      const [head = ""] = table.split("\n");
      expect(head, table).toMatch(/^.{30,80}MESSAGE$/);
    }
    const applications = await env.kubectl(["get", "papp"]);
    expect(applications).toMatch(/^api +True +Deployed +DEPLOYED +1a2b3c4 +\d+s +\d+s +Commit 1a2b3c4 is deployed\.$/m);
  });

  it("changes nothing in the cluster or on the platform when it is applied again, and kubectl diff is empty", async () => {
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
});
