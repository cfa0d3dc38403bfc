import { describe, expect, it } from "vitest";

import { BACKUP_SIGNATURE, RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import type { Manifest } from "../../support/env/cluster.ts";
import { effort } from "../../support/env/effort.ts";
import { database, deploying, NEXT_COMMIT, project, secret, tree } from "../../support/kube/manifests.ts";
import { MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

/** How long a deletion waits for a connection or a token that is gone. */
const RELEASE = 6 * MINUTE;

function fresh({ platform: { sim, organizationId } }: OperatorEnv, name: string): Manifest {
  return secret("default", { token: sim.auth.createToken({ name, organizationId, scopes: ["Admin"] }).value });
}

/** A settled tree and a database whose connection has a token of its own. */
async function settled(lifecycle: Readonly<Record<string, string>> = {}): Promise<OperatorEnv> {
  const env = await settledEnv((env) => [
    fresh(env, "first"),
    ...tree(env, "a", { lifecycle }),
    database("a", "a", { lifecycle }),
  ]);
  expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
  return env;
}

/** Has the connection looked at, and what follows from it. */
async function noticed(env: OperatorEnv): Promise<void> {
  if (env.cluster.find("PlatformConnection", "default") !== undefined) {
    env.cluster.annotate("PlatformConnection", "default", { [RECONCILE_REQUESTED_AT]: String(env.baseline()) });
  }
  await env.run(MINUTE);
}

const objects = (env: OperatorEnv) => env.cluster.all().filter(({ kind }) => kind !== "PlatformConnection");
const versions = (env: OperatorEnv): readonly string[] =>
  objects(env).map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`);
const removeAll = (env: OperatorEnv): void => {
  // Parents first, the connection before all: the order that suits us least.
  for (const { kind, metadata } of env.cluster.all()) env.cluster.remove(kind, metadata.name);
};
const ids = (env: OperatorEnv): readonly string[] =>
  objects(env).map(({ status }) => (status as { readonly externalId: string }).externalId);

/** What somebody does to the credentials, and what is waited for. */
type Step = (env: OperatorEnv) => unknown;
const revoke: Step = ({ platform }) => platform.sim.auth.revoke("first");
const takeForeign: Step = (env) => env.apply(secret("default", { token: env.platform.tokens.foreign }));
const narrow = ({ platform }: OperatorEnv, scope: "Read" | "Write" | "Deploy"): void => {
  const token = platform.sim.auth.token("first");
  if (token !== undefined) token.scopes = [scope];
};
const withoutSecret: Step = ({ cluster }) => cluster.secret("default", undefined);
const withoutConnection: Step = ({ cluster }) => cluster.remove("PlatformConnection", "default");
const withoutObjects: Step = (env) => {
  for (const { kind, metadata } of objects(env)) env.cluster.remove(kind, metadata.name);
};
const restart: Step = (env) => env.restart();
const patience: Step = (env) => env.run(20 * MINUTE);

const losses: readonly (readonly [what: string, spoil: Step, reason: string])[] = [
  ["is revoked", revoke, "CredentialsInvalid"],
  ["becomes one of another organization", takeForeign, "PermissionDenied"],
];

describe("[C6] a token that", () => {
  it.for(losses)("%s: one probe a minute, no write, and back within 10 s", async ([, spoil, reason], { task }) => {
    const env = await settled();
    const before = versions(env);
    const from = env.baseline();
    spoil(env);
    await noticed(env);
    expect(env.condition("PlatformConnection", "default")).toBe(`False/${reason}`);
    env.apply(project("late"));
    await env.run(MINUTE);
    expect(env.condition("PlatformProject", "late")).toBe("False/ConnectionNotReady");
    const probing = env.baseline();
    await env.run(10 * MINUTE);
    const probes = env.calls(probing).map((call) => env.at(call));
    const gaps = probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
    expect(probes.length).toBeGreaterThan(5);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MINUTE);
    figure(task, `${Math.floor(Math.min(...gaps) / SECOND)} s between probes at least, 0 deletions, 0 creations`);
    expect(env.writes(from)).toEqual([]);
    expect(versions(env).filter((version) => !before.includes(version))).toEqual([
      expect.stringMatching(/^PlatformProject/),
    ]);

    env.apply(fresh(env, "second"));
    await env.run(10 * SECOND);
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
    await env.run(10 * SECOND);
    expect(env.condition("PlatformProject", "late")).toBe("True/Available");
    expect(env.writes(from)).toEqual(["createProject"]);
  });

  const narrowings = [
    ["Write", "deployApplication", "PlatformApplication", "a"],
    ["Deploy", "createProject", "PlatformProject", "late"],
    ["Read", "createProject", "PlatformProject", "late"],
  ] as const;
  it.each(narrowings)(
    "is narrowed to %s: the other operations report it and are rarely retried",
    async (scope, operation, kind, name) => {
      const env = await settled();
      const before = versions(env);
      const from = env.baseline();
      narrow(env, scope);
      if (name === "late") env.apply(project(name));
      else env.cluster.patch(kind, name, deploying(NEXT_COMMIT));
      await env.run(30 * MINUTE);
      expect(env.condition(kind, name)).toBe("False/PermissionDenied");
      expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
      const refused = env.writes(from);
      expect(new Set(refused)).toEqual(new Set([operation]));
      expect(refused.length).toBeLessThanOrEqual(5);
      expect(versions(env).filter((version) => !before.includes(version)).length).toBeLessThanOrEqual(1);

      env.apply(fresh(env, "second"));
      await env.run(10 * SECOND);
      expect(env.writes(from)).toEqual([...refused, operation]);
      await env.run(15 * MINUTE);
      expect(env.condition(kind, name)).toMatch(/^True/);
      expect(env.writes(from)).toEqual([...refused, operation]);
    },
  );
});

describe("[K1] credentials", () => {
  it("that no header can carry are the connection's trouble, and over with it", async () => {
    const env = await settled();
    const from = env.baseline();
    env.apply(secret("default", { token: "abc\ndef" }));
    env.apply(project("late"));
    await env.run(MINUTE);
    expect(env.condition("PlatformConnection", "default")).toBe("False/CredentialsInvalid");
    expect(env.condition("PlatformProject", "late")).toBe("False/ConnectionNotReady");

    env.apply(fresh(env, "second"));
    await env.run(20 * SECOND);
    expect(env.condition("PlatformProject", "late")).toBe("True/Available");
    expect(env.writes(from)).toEqual(["createProject"]);
  });

  it("that are rotated: the old token is used for 30 s at most, each id is signed again by one write", async ({
    task,
  }) => {
    const env = await settled();
    const written = env.cluster.writes.length;
    const from = env.baseline();
    const rotatedAt = env.clock.monotonic();
    env.apply(fresh(env, "second"));
    await env.run(30 * MINUTE);
    const used = env.calls(from).map((call) => ({ principal: call.principal, after: env.at(call) - rotatedAt }));
    const last = Math.max(0, ...used.filter(({ principal }) => principal === "first").map(({ after }) => after));
    expect(used.some(({ principal }) => principal === "second")).toBe(true);
    expect(last).toBeLessThanOrEqual(30 * SECOND);
    const changes = env.cluster.writes.slice(written).filter(({ key }) => !key.startsWith("PlatformConnection/"));
    const body = { [BACKUP_SIGNATURE]: expect.any(String) };
    expect(changes).toEqual(changes.map(({ key }) => ({ what: "checked", key, body })));
    expect(new Set(changes.map(({ key }) => key)).size).toBe(objects(env).length);
    expect(changes).toHaveLength(objects(env).length);
    expect(env.writes(from)).toEqual([]);
    figure(task, `old token last used ${Math.ceil(last / SECOND)} s after its rotation`);
  });

  /** How the credentials of a whole namespace go before their users do, step by step. */
  const ends: readonly (readonly [what: string, steps: readonly Step[], deletes: boolean])[] = [
    ["Secret deleted first", [withoutSecret], true],
    ["connection deleted first", [withoutConnection], true],
    ["Secret, then connection, noticed in between", [withoutSecret, noticed, withoutConnection, noticed], true],
    ["token revoked, unnoticed", [revoke, withoutSecret], false],
    ["token revoked, unnoticed, connection deleted later", [revoke, withoutObjects, withoutSecret, patience], false],
    ["token narrowed, unnoticed", [(env) => narrow(env, "Read")], false],
    ["token revoked, noticed", [revoke, noticed, withoutSecret], false],
    ["token of another organization", [takeForeign, noticed], false],
    ["restart without the Secret", [withoutSecret, restart, noticed], false],
    ["restart without the connection", [withoutConnection, restart, noticed], false],
  ];
  const some = ends.filter((_, index) => effort.all || index % 3 === 0);

  it.each(some)("%s, under Delete: all goes, and what stays is named", async (_what, steps, deletes) => {
    const env = await settled({ deletionPolicy: "Delete" });
    const named = ids(env);
    const from = env.baseline();
    for (const step of steps) await step(env);
    removeAll(env);
    await env.run(3 * RELEASE);
    expect(env.cluster.all().map(({ kind }) => kind)).toEqual([]);
    const left = named.filter((id) => env.remotes().has(id));
    expect(left).toEqual(deletes ? [] : named);
    expect(env.writes(from).filter((operation) => !operation.startsWith("delete"))).toEqual([]);
    const warning = { type: "Warning", reason: "Orphaned" };
    for (const id of left)
      expect(env.events).toContainEqual(expect.objectContaining({ ...warning, note: expect.stringContaining(id) }));
  });

  it.each(some)("%s, under Retain: everything goes at once, and the platform is not asked to", async (_what, steps) => {
    const env = await settled();
    const from = env.baseline();
    for (const step of steps) await step(env);
    removeAll(env);
    await env.run(0);
    expect(env.cluster.all()).toEqual([]);
    await env.run(2 * MINUTE);
    expect(env.writes(from)).toEqual([]);
  });
});
