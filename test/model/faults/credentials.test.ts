import { describe, expect, it } from "vitest";

import type { Simulator } from "../../../simulator/simulator.ts";
import { BACKUP_SIGNATURE, RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { connection, database, NEXT_COMMIT, project, secret, tree } from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a deletion waits for a connection or a token that is gone. */
const RELEASE = 6 * MINUTE;

const fresh = ({ sim, organizationId }: Simulator, name: string): string =>
  sim.auth.createToken({ name, organizationId, scopes: ["Admin"] }).value;

/** A settled tree and a database whose connection has a token of its own. */
async function settled(lifecycle: Readonly<Record<string, string>> = {}): Promise<OperatorEnv> {
  const env = await operatorEnv();
  env.apply(
    secret("default", { token: fresh(env.platform, "first") }),
    connection(env, "default"),
    ...tree(env, "a", { lifecycle }),
    database("a", "a", { lifecycle }),
  );
  await env.run(20 * MINUTE);
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
const warnings = (env: OperatorEnv) => env.events.filter(({ reason }) => reason === "Orphaned");
const ids = (env: OperatorEnv): readonly string[] =>
  objects(env).map(({ status }) => (status as { readonly externalId: string }).externalId);

const losses: readonly (readonly [what: string, spoil: (env: OperatorEnv) => void, reason: string])[] = [
  ["is revoked", ({ platform }) => void platform.sim.auth.revoke("first"), "CredentialsInvalid"],
  [
    "becomes one of another organization",
    (env) => env.apply(secret("default", { token: env.platform.tokens.foreign })),
    "PermissionDenied",
  ],
];

describe("[C6] a token that", { timeout: 60_000 }, () => {
  it.for(losses)(
    "%s: at most one probe a minute, nothing is deleted or made again, and back within 10 s",
    async ([, spoil, reason], { task }) => {
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

      env.apply(secret("default", { token: fresh(env.platform, "second") }));
      await env.run(10 * SECOND);
      expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
      await env.run(10 * SECOND);
      expect(env.condition("PlatformProject", "late")).toBe("True/Available");
      expect(env.writes(from)).toEqual(["createProject"]);
    },
  );

  it.each([
    ["Write", "deployApplication", (env: OperatorEnv) => redeploy(env), "PlatformApplication", "a"],
    ["Deploy", "createProject", (env: OperatorEnv) => env.apply(project("late")), "PlatformProject", "late"],
    ["Read", "createProject", (env: OperatorEnv) => env.apply(project("late")), "PlatformProject", "late"],
  ] as const)(
    "is narrowed to %s: what needs more says so and is not hammered",
    async (scope, operation, ask, kind, name) => {
      const env = await settled();
      const before = versions(env);
      const from = env.baseline();
      const token = env.platform.sim.auth.token("first");
      if (token !== undefined) token.scopes = [scope];
      ask(env);
      await env.run(30 * MINUTE);
      expect(env.condition(kind, name)).toBe("False/PermissionDenied");
      expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
      const refused = env.writes(from);
      expect(new Set(refused)).toEqual(new Set([operation]));
      expect(refused.length).toBeLessThanOrEqual(5);
      expect(versions(env).filter((version) => !before.includes(version)).length).toBeLessThanOrEqual(1);

      env.apply(secret("default", { token: fresh(env.platform, "second") }));
      await env.run(10 * SECOND);
      expect(env.writes(from)).toEqual([...refused, operation]);
      await env.run(15 * MINUTE);
      expect(env.condition(kind, name)).toMatch(/^True/);
      expect(env.writes(from)).toEqual([...refused, operation]);
    },
  );
});

function redeploy(env: OperatorEnv): void {
  const spec = env.get("PlatformApplication", "a").spec as object;
  env.cluster.spec("PlatformApplication", "a", { ...spec, deploy: { gitCommitId: NEXT_COMMIT } });
}

describe("[K1] credentials", { timeout: 60_000 }, () => {
  it("that no header can carry are the connection's trouble, and over with it", async () => {
    const env = await settled();
    const from = env.baseline();
    env.apply(secret("default", { token: "abc\ndef" }));
    env.apply(project("late"));
    await env.run(MINUTE);
    expect(env.condition("PlatformConnection", "default")).toBe("False/CredentialsInvalid");
    expect(env.condition("PlatformProject", "late")).toBe("False/ConnectionNotReady");

    env.apply(secret("default", { token: fresh(env.platform, "second") }));
    await env.run(20 * SECOND);
    expect(env.condition("PlatformProject", "late")).toBe("True/Available");
    expect(env.writes(from)).toEqual(["createProject"]);
  });

  it("that are rotated: the old token is not used after 30 s, and each id gets a new signature by one write", async ({
    task,
  }) => {
    const env = await settled();
    const written = env.cluster.writes.length;
    const from = env.baseline();
    const rotatedAt = env.clock.monotonic();
    env.apply(secret("default", { token: fresh(env.platform, "second") }));
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

  /** How the credentials of a whole namespace go before their users do. */
  const ends: readonly (readonly [what: string, end: (env: OperatorEnv) => Promise<void>, deletes: boolean])[] = [
    ["Secret deleted first", async (env) => env.cluster.secret("default", undefined), true],
    ["connection deleted first", async (env) => env.cluster.remove("PlatformConnection", "default"), true],
    [
      "Secret, then connection, noticed in between",
      async (env) => {
        env.cluster.secret("default", undefined);
        await noticed(env);
        env.cluster.remove("PlatformConnection", "default");
        await noticed(env);
      },
      true,
    ],
    [
      "token revoked, unnoticed",
      async (env) => {
        env.platform.sim.auth.revoke("first");
        env.cluster.secret("default", undefined);
      },
      false,
    ],
    [
      "token revoked, unnoticed, connection deleted later",
      async (env) => {
        env.platform.sim.auth.revoke("first");
        for (const { kind, metadata } of objects(env)) env.cluster.remove(kind, metadata.name);
        env.cluster.secret("default", undefined);
        await env.run(20 * MINUTE);
      },
      false,
    ],
    [
      "token narrowed, unnoticed",
      async ({ platform }) => {
        const token = platform.sim.auth.token("first");
        if (token !== undefined) token.scopes = ["Read"];
      },
      false,
    ],
    [
      "token revoked, noticed",
      async (env) => {
        env.platform.sim.auth.revoke("first");
        await noticed(env);
        env.cluster.secret("default", undefined);
      },
      false,
    ],
    [
      "token of another organization",
      async (env) => {
        env.apply(secret("default", { token: env.platform.tokens.foreign }));
        await noticed(env);
      },
      false,
    ],
    [
      "restart without the Secret",
      async (env) => {
        env.cluster.secret("default", undefined);
        await env.restart();
        await noticed(env);
      },
      false,
    ],
    [
      "restart without the connection",
      async (env) => {
        env.cluster.remove("PlatformConnection", "default");
        await env.restart();
        await noticed(env);
      },
      false,
    ],
  ];

  it.each(ends)(
    "%s, under Delete: everything goes, and what stays on the platform is named",
    async (_what, end, deletes) => {
      const env = await settled({ deletionPolicy: "Delete" });
      const named = ids(env);
      const from = env.baseline();
      await end(env);
      removeAll(env);
      await env.run(3 * RELEASE);
      expect(env.cluster.all().map(({ kind }) => kind)).toEqual([]);
      const { services, environments, projects } = env.platform.world();
      const left = named.filter((id) => services.has(id) || environments.has(id) || projects.has(id));
      expect(left).toEqual(deletes ? [] : named);
      expect(env.writes(from).filter((operation) => !operation.startsWith("delete"))).toEqual([]);
      for (const id of left) {
        expect(warnings(env)).toContainEqual(
          expect.objectContaining({ type: "Warning", note: expect.stringContaining(id) }),
        );
      }
    },
  );

  it.each(ends)("%s, under Retain: everything goes at once, and the platform is not asked to", async (_what, end) => {
    const env = await settled();
    const from = env.baseline();
    await end(env);
    removeAll(env);
    await env.run(0);
    expect(env.cluster.all()).toEqual([]);
    await env.run(2 * MINUTE);
    expect(env.writes(from)).toEqual([]);
  });
});
