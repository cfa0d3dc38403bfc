import { setTimeout as sleep } from "node:timers/promises";

import { beforeAll, describe, expect, it, vi } from "vitest";

import type { CallEntry } from "../../simulator/request/journal.ts";
import { PAUSED, POLL_INTERVAL, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { condition, PATIENCE_MS } from "../support/env/cluster.ts";
import { createStage } from "../support/env/env.ts";
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
  const stage = createStage({ surface: "full" });

  it("the application first, the connection last: each says what it waits for, and all become Ready", async () => {
    const name = "backwards";
    const [parent, place, app] = tree(stage, name);
    const [token, access] = defaults(stage);
    const record = await stage.record();
    await stage.apply(...[app].flatMap((one) => one ?? []));
    const first = await stage.waitFor("PlatformApplication", name, { reason: "ParentNotFound" });
    expect(condition(first, "Ready")?.message).toBe(
      `PlatformEnvironment "${name}" does not exist in namespace "${stage.namespace}". Create it or fix spec.environmentRef.name.`,
    );
    await stage.apply(...[place].flatMap((one) => one ?? []));
    await stage.waitFor("PlatformEnvironment", name, { reason: "ParentNotFound" });
    await stage.waitFor("PlatformApplication", name, { reason: "ConnectionNotReady" });
    await stage.apply(...[parent].flatMap((one) => one ?? []));
    const lone = await stage.waitFor("PlatformProject", name, { reason: "ConnectionNotReady" });
    expect(condition(lone, "Ready")?.message).toContain(
      `PlatformConnection "default" in namespace "${stage.namespace}"`,
    );
    await stage.apply(...[access].flatMap((one) => one ?? []));
    await stage.waitFor("PlatformConnection", "default", { reason: "CredentialsMissing" });
    expect(record.calls()).toEqual([]);
    await stage.apply(...[token].flatMap((one) => one ?? []));
    await expectSettled(stage, name);
    expect(record.changes()).toEqual(["createProject", "createEnvironment", "createApplication", "deployApplication"]);
  });

  it("a connection that is named but missing is waited for by name", async () => {
    await stage.apply(project("named", { connectionRef: { name: "elsewhere" } }));
    const waiting = await stage.waitFor("PlatformProject", "named", { reason: "ConnectionNotReady" });
    expect(condition(waiting, "Ready")?.message).toBe(
      `PlatformConnection "${stage.namespace}/elsewhere" does not exist. Create it or fix spec.connectionRef.`,
    );
    await stage.apply(secret("elsewhere", { token: stage.platform.tokens.admin }), connection(stage, "elsewhere"));
    await stage.waitFor("PlatformProject", "named", { status: "True" });
    expect(condition(await stage.get("PlatformProject", "named"), "Reconciling")).toBeUndefined();
  });

  it.each([
    ["a Secret that is missing", undefined, /Secret "late-0" does not exist in namespace/],
    ["a Secret without the key", { other: "x" }, /Secret "late-1" in namespace ".*" has no key "password"/],
  ] as const)("%s is waited for, and told by name", async (what, data, message) => {
    const name = `late-${data === undefined ? 0 : 1}`;
    const variables = [{ name: "PASSWORD", valueFrom: { secretKeyRef: { name, key: "password" } } }];
    if (data !== undefined) await stage.apply(secret(name, data));
    const record = await stage.record();
    await stage.apply(project(name), environment(stage, name, name), application(name, name, { variables }));
    const waiting = await stage.waitFor("PlatformApplication", name, { reason: "DependencyNotReady" });
    expect(condition(waiting, "Ready")?.message, what).toMatch(message);
    expect(record.calls("createApplication")).toEqual([]);
    await stage.apply(secret(name, { password: "not-a-real-password" }));
    await expectSettled(stage, name);
    expect(record.changes().slice(-3)).toEqual(["createApplication", "importEnvironmentVariable", "deployApplication"]);
  });
});

describe("annotations of the user", () => {
  const stage = createStage({ surface: "full", windows: { pollMs: 60_000, firstLookMs: 500 } });

  beforeAll(async () => {
    await stage.apply(...defaults(stage));
  });

  const reads = (calls: readonly CallEntry[], name: string): number =>
    calls.filter(({ path }) => path.includes(name)).length;

  it("paused: nothing is done and that is said; resumed: what changed meanwhile is done", async () => {
    await stage.apply(...tree(stage, "paused"));
    await expectSettled(stage, "paused");
    await calm(stage);
    await stage.annotate("PlatformApplication", "paused", { [PAUSED]: "true" });
    const paused = await stage.waitFor("PlatformApplication", "paused", { type: "Synced", reason: "ReconcilePaused" });
    expect(condition(paused, "Ready")?.status).toBe("True");
    const record = await stage.record();
    await stage.patch("PlatformApplication", "paused", deploying(NEXT_COMMIT));
    await sleep(1_500);
    expect(record.changes()).toEqual([]);
    const still = await stage.get("PlatformApplication", "paused");
    expect(member(still.status, "observedGeneration")).toBe(1);
    await stage.annotate("PlatformApplication", "paused", { [PAUSED]: null });
    const resumed = await stage.waitFor("PlatformApplication", "paused", { status: "True" });
    expect(condition(resumed, "Synced")).toMatchObject({ status: "True", reason: "ReconcileSuccess" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });

  it("paused: deletion still works", async () => {
    await stage.apply(project("going", { lifecycle: { deletionPolicy: "Delete" } }));
    await stage.waitFor("PlatformProject", "going", { status: "True" });
    await stage.annotate("PlatformProject", "going", { [PAUSED]: "true" });
    await stage.waitFor("PlatformProject", "going", { type: "Synced", reason: "ReconcilePaused" });
    const record = await stage.record();
    await stage.remove("PlatformProject", "going");
    await stage.waitGone("PlatformProject", "going");
    expect(record.changes()).toEqual(["deleteProject"]);
  });

  it("paused from the beginning: nothing is created", async () => {
    const record = await stage.record();
    const held = project("held");
    await stage.apply({ ...held, metadata: { ...held.metadata, annotations: { [PAUSED]: "true" } } });
    const said = await stage.waitFor(
      "PlatformProject",
      "held",
      (object) => condition(object, "Ready")?.reason === "ReconcilePaused",
    );
    expect(condition(said, "Ready")?.status).toBe("False");
    await sleep(1_000);
    expect(record.changes()).toEqual([]);
    await stage.annotate("PlatformProject", "held", { [PAUSED]: null });
    await stage.waitFor("PlatformProject", "held", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
  });

  it("reconcile-requested-at reads anew at once, and is echoed", async () => {
    await stage.apply(project("asked"), environment(stage, "asked", "asked"));
    const before = await stage.waitFor("PlatformEnvironment", "asked", { status: "True" });
    await calm(stage);
    const record = await stage.record();
    await stage.annotate("PlatformEnvironment", "asked", { [RECONCILE_REQUESTED_AT]: "now" });
    const after = await stage.waitFor(
      "PlatformEnvironment",
      "asked",
      ({ status }) => member(status, "lastHandledReconcileAt") === "now",
    );
    expect(idOf(after)).toBe(idOf(before));
    expect(reads(record.calls(), idOf(await stage.get("PlatformProject", "asked")))).toBeGreaterThan(0);
    expect(record.changes()).toEqual([]);
    // Asked once, answered once.
    await stage.quiet(2);
  });

  it("poll-interval: what cannot be read is told once, and the default holds", async () => {
    await stage.apply(project("polled"));
    await stage.waitFor("PlatformProject", "polled", { status: "True" });
    await stage.annotate("PlatformProject", "polled", { [POLL_INTERVAL]: "often" });
    await vi.waitFor(async () => {
      expect(await eventsOf(stage, "polled", "InvalidSpec")).toEqual([
        expect.stringContaining('poll-interval is "often"'),
      ]);
    }, PATIENCE_MS);
    expect(condition(await stage.get("PlatformProject", "polled"), "Ready")?.status).toBe("True");
  });
});

describe("poll-interval", () => {
  const stage = createStage({ surface: "documented", windows: { pollMs: 400 } });

  it("makes the polls of one object rarer, down from the default", async () => {
    await stage.apply(...defaults(stage), project("rare"), project("usual"));
    for (const name of ["rare", "usual"]) {
      await stage.apply(environment(stage, name, name));
      await stage.waitFor("PlatformEnvironment", name, { status: "True" });
    }
    for (const kind of ["PlatformProject", "PlatformEnvironment"])
      await stage.annotate(kind, "rare", { [POLL_INTERVAL]: "1h" });
    await calm(stage);
    const [rare, usual] = await Promise.all(
      ["rare", "usual"].map(async (name) => idOf(await stage.get("PlatformProject", name))),
    );
    const record = await stage.record();
    // Reads are shared for five seconds.
    await sleep(6_500);
    const stats = record.calls("getProjectEnvironmentStats").map(({ path }) => path);
    expect(stats.filter((path) => path.includes(rare ?? "?"))).toEqual([]);
    expect(stats.filter((path) => path.includes(usual ?? "?")).length).toBeGreaterThan(0);
  });
});

describe("resources that the API server takes and the operator rejects", () => {
  const stage = createStage({ surface: "full" });

  it("[E16] say so each, and their neighbours go on", async () => {
    await stage.apply(
      ...defaults(stage),
      secret("metadata", { token: "not-a-real-token" }),
      connection(stage, "metadata", { baseUrl: "http://169.254.169.254" }),
      project("metadata", { connectionRef: { name: "metadata" } }),
      project("nowhere", { externalId: "00000000-0000-4000-8000-00000000dead" }),
      environment(stage, "orphan", "constructor"),
      application("polluted", "proto", { variables: [{ name: "__proto__", value: "x".repeat(32_000) }] }),
      ...tree(stage, "neighbour"),
    );
    await expectSettled(stage, "neighbour");
    const refused = await stage.waitFor("PlatformConnection", "metadata", { reason: "InvalidSpec" });
    expect(condition(refused, "Stalled")).toMatchObject({ status: "True" });
    expect(condition(refused, "Ready")?.message).toContain("the operator's list of allowed platform hosts");
    await stage.waitFor("PlatformProject", "metadata", { reason: "ConnectionNotReady" });
    await stage.waitFor("PlatformProject", "nowhere", { reason: "InvalidSpec" });
    await stage.waitFor("PlatformEnvironment", "orphan", { reason: "ParentNotFound" });
    await stage.waitFor("PlatformApplication", "polluted", { reason: "ParentNotFound" });
    await calm(stage);
    const record = await stage.record();
    await stage.patch("PlatformApplication", "neighbour", deploying(NEXT_COMMIT));
    await stage.waitFor("PlatformApplication", "neighbour", { status: "True" });
    expect(record.changes()).toEqual(["deployApplication"]);
  });
});
