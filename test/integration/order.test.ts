import { setTimeout as sleep } from "node:timers/promises";

import { beforeAll, describe, expect, it, vi } from "vitest";

import type { CallEntry } from "../../simulator/request/journal.ts";
import { PAUSED, POLL_INTERVAL, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { calm, eventsOf, expectSettled, idOf } from "../support/env/settling.ts";
import {
  application,
  connection,
  defaults,
  deploying,
  environment,
  NEXT_COMMIT,
  project,
  secret,
  tree,
} from "../support/kube/manifests.ts";

describe("in any order", () => {
  const env = createEnv({ surface: "full" });

  it("the application first, the connection last: each says what it waits for, and all become Ready", async () => {
    const name = "backwards";
    const [parent, place, app] = tree(env, name);
    const [token, access] = defaults(env);
    const record = await env.record();
    await env.apply(...[app].flatMap((one) => one ?? []));
    const first = await env.waitFor("PlatformApplication", name, { reason: "ParentNotFound" });
    expect(condition(first, "Ready")?.message).toBe(
      `PlatformEnvironment "${name}" does not exist in namespace "${env.namespace}". Create it or fix spec.environmentRef.name.`,
    );
    await env.apply(...[place].flatMap((one) => one ?? []));
    await env.waitFor("PlatformEnvironment", name, { reason: "ParentNotFound" });
    await env.waitFor("PlatformApplication", name, { reason: "ConnectionNotReady" });
    await env.apply(...[parent].flatMap((one) => one ?? []));
    const lone = await env.waitFor("PlatformProject", name, { reason: "ConnectionNotReady" });
    expect(condition(lone, "Ready")?.message).toContain(`PlatformConnection "default" in namespace "${env.namespace}"`);
    await env.apply(...[access].flatMap((one) => one ?? []));
    await env.waitFor("PlatformConnection", "default", { reason: "CredentialsMissing" });
    expect(record.calls()).toEqual([]);
    await env.apply(...[token].flatMap((one) => one ?? []));
    await expectSettled(env, name);
    expect(record.changes()).toEqual(["createProject", "createEnvironment", "createApplication", "deployApplication"]);
  });

  it("a connection that is named but missing is waited for by name", async () => {
    await env.apply(project("named", { connectionRef: { name: "elsewhere" } }));
    const waiting = await env.waitFor("PlatformProject", "named", { reason: "ConnectionNotReady" });
    expect(condition(waiting, "Ready")?.message).toBe(
      `PlatformConnection "${env.namespace}/elsewhere" does not exist. Create it or fix spec.connectionRef.`,
    );
    await env.apply(secret("elsewhere", { token: env.platform.tokens.admin }), connection(env, "elsewhere"));
    await env.waitFor("PlatformProject", "named", { status: "True" });
    expect(condition(await env.get("PlatformProject", "named"), "Reconciling")).toBeUndefined();
  });

  it.each([
    ["a Secret that is missing", undefined, /Secret "late-0" does not exist in namespace/],
    ["a Secret without the key", { other: "x" }, /Secret "late-1" in namespace ".*" has no key "password"/],
  ] as const)("%s is waited for, and told by name", async (what, data, message) => {
    const name = `late-${data === undefined ? 0 : 1}`;
    const variables = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name, key: "password" } } }];
    if (data !== undefined) await env.apply(secret(name, data));
    const record = await env.record();
    await env.apply(project(name), environment(env, name, name), application(name, name, { variables }));
    const waiting = await env.waitFor("PlatformApplication", name, { reason: "DependencyNotReady" });
    expect(condition(waiting, "Ready")?.message, what).toMatch(message);
    expect(record.calls("createApplication")).toEqual([]);
    await env.apply(secret(name, { password: "not-a-real-password" }));
    await expectSettled(env, name);
    expect(record.changes().slice(-3)).toEqual(["createApplication", "importEnvironmentVariable", "deployApplication"]);
  });
});

describe("annotations of the user", () => {
  const env = createEnv({ surface: "full", windows: { pollMs: 60_000, firstLookMs: 500 } });

  beforeAll(async () => {
    await env.apply(...defaults(env));
  });

  const reads = (calls: readonly CallEntry[], name: string): number =>
    calls.filter(({ path }) => path.includes(name)).length;

  it("paused: nothing is done and that is said; resumed: what changed meanwhile is done", async () => {
    await env.apply(...tree(env, "paused"));
    await expectSettled(env, "paused");
    await calm(env);
    await env.annotate("PlatformApplication", "paused", { [PAUSED]: "true" });
    const paused = await env.waitFor("PlatformApplication", "paused", { type: "Synced", reason: "ReconcilePaused" });
    expect(condition(paused, "Ready")?.status).toBe("True");
    const record = await env.record();
    await env.patch("PlatformApplication", "paused", deploying(NEXT_COMMIT));
    await sleep(1_500);
    expect(record.changes()).toEqual([]);
    const still = await env.get("PlatformApplication", "paused");
    expect(member(still.status, "observedGeneration")).toBe(1);
    await env.annotate("PlatformApplication", "paused", { [PAUSED]: null });
    const resumed = await env.waitFor("PlatformApplication", "paused", { status: "True" });
    expect(condition(resumed, "Synced")).toMatchObject({ status: "True", reason: "ReconcileSuccess" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("paused: deletion still works", async () => {
    await env.apply(project("going", { lifecycle: { deletionPolicy: "Delete" } }));
    await env.waitFor("PlatformProject", "going", { status: "True" });
    await env.annotate("PlatformProject", "going", { [PAUSED]: "true" });
    await env.waitFor("PlatformProject", "going", { type: "Synced", reason: "ReconcilePaused" });
    const record = await env.record();
    await env.remove("PlatformProject", "going");
    await env.waitGone("PlatformProject", "going");
    expect(record.changes()).toEqual(["deleteProject"]);
  });

  it("paused from the beginning: nothing is created", async () => {
    const record = await env.record();
    const held = project("held");
    await env.apply({ ...held, metadata: { ...held.metadata, annotations: { [PAUSED]: "true" } } });
    const said = await env.waitFor(
      "PlatformProject",
      "held",
      (object) => condition(object, "Ready")?.reason === "ReconcilePaused",
    );
    expect(condition(said, "Ready")?.status).toBe("False");
    await sleep(1_000);
    expect(record.changes()).toEqual([]);
    await env.annotate("PlatformProject", "held", { [PAUSED]: null });
    await env.waitFor("PlatformProject", "held", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
  });

  it("reconcile-requested-at reads anew at once, and is echoed", async () => {
    await env.apply(project("asked"), environment(env, "asked", "asked"));
    const before = await env.waitFor("PlatformEnvironment", "asked", { status: "True" });
    await calm(env);
    const record = await env.record();
    await env.annotate("PlatformEnvironment", "asked", { [RECONCILE_REQUESTED_AT]: "now" });
    const after = await env.waitFor(
      "PlatformEnvironment",
      "asked",
      ({ status }) => member(status, "lastHandledReconcileAt") === "now",
    );
    expect(idOf(after)).toBe(idOf(before));
    expect(reads(record.calls(), idOf(await env.get("PlatformProject", "asked")))).toBeGreaterThan(0);
    expect(record.changes()).toEqual([]);
    // Asked once, answered once.
    await env.quiet(2);
  });

  it("poll-interval: what cannot be read is told once, and the default holds", async () => {
    await env.apply(project("polled"));
    await env.waitFor("PlatformProject", "polled", { status: "True" });
    await env.annotate("PlatformProject", "polled", { [POLL_INTERVAL]: "often" });
    await vi.waitFor(async () => {
      expect(await eventsOf(env, "polled", "InvalidSpec")).toEqual([
        expect.stringContaining('poll-interval is "often"'),
      ]);
    }, PATIENCE_MS);
    expect(condition(await env.get("PlatformProject", "polled"), "Ready")?.status).toBe("True");
  });
});

describe("poll-interval", () => {
  const env = createEnv({ surface: "documented", windows: { pollMs: 400 } });

  it("makes the polls of one object rarer, down from the default", async () => {
    await env.apply(...defaults(env), project("rare"), project("usual"));
    for (const name of ["rare", "usual"]) {
      await env.apply(environment(env, name, name));
      await env.waitFor("PlatformEnvironment", name, { status: "True" });
    }
    for (const kind of ["PlatformProject", "PlatformEnvironment"])
      await env.annotate(kind, "rare", { [POLL_INTERVAL]: "1h" });
    await calm(env);
    const [rare, usual] = await Promise.all(
      ["rare", "usual"].map(async (name) => idOf(await env.get("PlatformProject", name))),
    );
    const record = await env.record();
    // Reads are shared for five seconds.
    await sleep(6_500);
    const stats = record.calls("getProjectEnvironmentStats").map(({ path }) => path);
    expect(stats.filter((path) => path.includes(rare ?? "?"))).toEqual([]);
    expect(stats.filter((path) => path.includes(usual ?? "?")).length).toBeGreaterThan(0);
  });
});

describe("resources that the API server takes and the operator rejects", () => {
  const env = createEnv({ surface: "full" });

  it("[E16] say so each, and their neighbours go on", async () => {
    await env.apply(
      ...defaults(env),
      secret("metadata", { token: "not-a-real-token" }),
      connection(env, "metadata", { baseUrl: "http://169.254.169.254" }),
      project("metadata", { connectionRef: { name: "metadata" } }),
      project("nowhere", { externalId: "00000000-0000-4000-8000-00000000dead" }),
      environment(env, "orphan", "constructor"),
      application("polluted", "proto", { variables: [{ name: "__proto__", value: "x".repeat(32_000) }] }),
      ...tree(env, "neighbour"),
    );
    await expectSettled(env, "neighbour");
    const refused = await env.waitFor("PlatformConnection", "metadata", { reason: "InvalidSpec" });
    expect(condition(refused, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(refused, "Ready")?.message).toContain("the operator's list of allowed platform hosts");
    await env.waitFor("PlatformProject", "metadata", { reason: "ConnectionNotReady" });
    await env.waitFor("PlatformProject", "nowhere", { reason: "InvalidSpec" });
    await env.waitFor("PlatformEnvironment", "orphan", { reason: "ParentNotFound" });
    await env.waitFor("PlatformApplication", "polluted", { reason: "ParentNotFound" });
    await calm(env);
    const record = await env.record();
    await env.patch("PlatformApplication", "neighbour", deploying(NEXT_COMMIT));
    await env.waitFor("PlatformApplication", "neighbour", { status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
