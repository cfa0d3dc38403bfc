import { describe, expect, it } from "vitest";

import type { Simulator } from "../../../simulator/simulator.ts";
import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { connection, database, NEXT_COMMIT, project, secret, tree } from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long a deletion waits for a connection or a token that is gone. */
const RELEASE = 6 * MINUTE;

const fresh = ({ sim, organizationId }: Simulator, name: string): string =>
  sim.auth.createToken({ name, organizationId, scopes: ["Admin"] }).value;

/** A settled tree and a database whose connection has a token of its own. */
async function settled(lifecycle: Readonly<Record<string, string>> = {}): Promise<OperatorBench> {
  const bench = await operatorBench();
  bench.apply(
    secret("default", { token: fresh(bench.platform, "first") }),
    connection(bench, "default"),
    ...tree(bench, "a", { lifecycle }),
    database("a", "a", { lifecycle }),
  );
  await bench.run(20 * MINUTE);
  expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
  return bench;
}

/** Has the connection looked at, and what follows from it. */
async function noticed(bench: OperatorBench): Promise<void> {
  if (bench.cluster.find("PlatformConnection", "default") !== undefined) {
    bench.cluster.annotate("PlatformConnection", "default", { [RECONCILE_REQUESTED_AT]: String(bench.mark()) });
  }
  await bench.run(MINUTE);
}

const objects = (bench: OperatorBench) => bench.cluster.all().filter(({ kind }) => kind !== "PlatformConnection");
const versions = (bench: OperatorBench): readonly string[] =>
  objects(bench).map(({ kind, metadata }) => `${kind} ${metadata.resourceVersion}`);
const removeAll = (bench: OperatorBench): void => {
  // Parents first, the connection before all: the order that suits us least.
  for (const { kind, metadata } of bench.cluster.all()) bench.cluster.remove(kind, metadata.name);
};
const warnings = (bench: OperatorBench) => bench.events.filter(({ reason }) => reason === "Orphaned");
const ids = (bench: OperatorBench): readonly string[] =>
  objects(bench).map(({ status }) => (status as { readonly externalId: string }).externalId);

const losses: readonly (readonly [what: string, spoil: (bench: OperatorBench) => void, reason: string])[] = [
  ["is revoked", ({ platform }) => void platform.sim.auth.revoke("first"), "CredentialsInvalid"],
  [
    "becomes one of another organization",
    (bench) => bench.apply(secret("default", { token: bench.platform.tokens.foreign })),
    "PermissionDenied",
  ],
];

describe("[C6] a token that", { timeout: 60_000 }, () => {
  it.for(losses)(
    "%s: at most one probe a minute, nothing is deleted or made again, and back within 10 s",
    async ([, spoil, reason], { task }) => {
      const bench = await settled();
      const before = versions(bench);
      const from = bench.mark();
      spoil(bench);
      await noticed(bench);
      expect(bench.told("PlatformConnection", "default")).toBe(`False/${reason}`);
      bench.apply(project("late"));
      await bench.run(MINUTE);
      expect(bench.told("PlatformProject", "late")).toBe("False/ConnectionNotReady");
      const probing = bench.mark();
      await bench.run(10 * MINUTE);
      const probes = bench.calls(probing).map((call) => bench.at(call));
      const gaps = probes.slice(1).map((at, index) => at - (probes[index] ?? 0));
      expect(probes.length).toBeGreaterThan(5);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(MINUTE);
      figure(task, `${Math.floor(Math.min(...gaps) / SECOND)} s between probes at least, 0 deletions, 0 creations`);
      expect(bench.writes(from)).toEqual([]);
      expect(versions(bench).filter((version) => !before.includes(version))).toEqual([
        expect.stringMatching(/^PlatformProject/),
      ]);

      bench.apply(secret("default", { token: fresh(bench.platform, "second") }));
      await bench.run(10 * SECOND);
      expect(bench.told("PlatformConnection", "default")).toBe("True/Available");
      await bench.run(10 * SECOND);
      expect(bench.told("PlatformProject", "late")).toBe("True/Available");
      expect(bench.writes(from)).toEqual(["createProject"]);
    },
  );

  it.each([
    ["Write", "deployApplication", (bench: OperatorBench) => redeploy(bench), "PlatformApplication", "a"],
    ["Deploy", "createProject", (bench: OperatorBench) => bench.apply(project("late")), "PlatformProject", "late"],
    ["Read", "createProject", (bench: OperatorBench) => bench.apply(project("late")), "PlatformProject", "late"],
  ] as const)(
    "is narrowed to %s: what needs more says so and is not hammered",
    async (scope, operation, ask, kind, name) => {
      const bench = await settled();
      const before = versions(bench);
      const from = bench.mark();
      const token = bench.platform.sim.auth.token("first");
      if (token !== undefined) token.scopes = [scope];
      ask(bench);
      await bench.run(30 * MINUTE);
      expect(bench.told(kind, name)).toBe("False/PermissionDenied");
      expect(bench.told("PlatformConnection", "default")).toBe("True/Available");
      const refused = bench.writes(from);
      expect(new Set(refused)).toEqual(new Set([operation]));
      expect(refused.length).toBeLessThanOrEqual(5);
      expect(versions(bench).filter((version) => !before.includes(version)).length).toBeLessThanOrEqual(1);

      bench.apply(secret("default", { token: fresh(bench.platform, "second") }));
      await bench.run(10 * SECOND);
      expect(bench.writes(from)).toEqual([...refused, operation]);
      await bench.run(15 * MINUTE);
      expect(bench.told(kind, name)).toMatch(/^True/);
      expect(bench.writes(from)).toEqual([...refused, operation]);
    },
  );
});

function redeploy(bench: OperatorBench): void {
  const spec = bench.get("PlatformApplication", "a").spec as object;
  bench.cluster.spec("PlatformApplication", "a", { ...spec, deploy: { gitCommitId: NEXT_COMMIT } });
}

describe("[K1] credentials", { timeout: 60_000 }, () => {
  it("that no header can carry are the connection's trouble, and over with it", async () => {
    const bench = await settled();
    const from = bench.mark();
    bench.apply(secret("default", { token: "abc\ndef" }));
    bench.apply(project("late"));
    await bench.run(MINUTE);
    expect(bench.told("PlatformConnection", "default")).toBe("False/CredentialsInvalid");
    expect(bench.told("PlatformProject", "late")).toBe("False/ConnectionNotReady");

    bench.apply(secret("default", { token: fresh(bench.platform, "second") }));
    await bench.run(20 * SECOND);
    expect(bench.told("PlatformProject", "late")).toBe("True/Available");
    expect(bench.writes(from)).toEqual(["createProject"]);
  });

  it("that are rotated: the old token is not used any more after 30 s, and nothing is written", async ({ task }) => {
    const bench = await settled();
    const before = versions(bench);
    const from = bench.mark();
    const rotatedAt = bench.clock.monotonic();
    bench.apply(secret("default", { token: fresh(bench.platform, "second") }));
    await bench.run(30 * MINUTE);
    const used = bench.calls(from).map((call) => ({ principal: call.principal, after: bench.at(call) - rotatedAt }));
    const last = Math.max(0, ...used.filter(({ principal }) => principal === "first").map(({ after }) => after));
    expect(used.some(({ principal }) => principal === "second")).toBe(true);
    expect(last).toBeLessThanOrEqual(30 * SECOND);
    expect(versions(bench)).toEqual(before);
    expect(bench.writes(from)).toEqual([]);
    figure(task, `old token last used ${Math.ceil(last / SECOND)} s after its rotation`);
  });

  /** How the credentials of a whole namespace go before their users do. */
  const ends: readonly (readonly [what: string, end: (bench: OperatorBench) => Promise<void>, deletes: boolean])[] = [
    ["Secret deleted first", async (bench) => bench.cluster.secret("default", undefined), true],
    ["connection deleted first", async (bench) => bench.cluster.remove("PlatformConnection", "default"), true],
    [
      "Secret, then connection, noticed in between",
      async (bench) => {
        bench.cluster.secret("default", undefined);
        await noticed(bench);
        bench.cluster.remove("PlatformConnection", "default");
        await noticed(bench);
      },
      true,
    ],
    [
      "token revoked, unnoticed",
      async (bench) => {
        bench.platform.sim.auth.revoke("first");
        bench.cluster.secret("default", undefined);
      },
      false,
    ],
    [
      "token revoked, unnoticed, connection deleted later",
      async (bench) => {
        bench.platform.sim.auth.revoke("first");
        for (const { kind, metadata } of objects(bench)) bench.cluster.remove(kind, metadata.name);
        bench.cluster.secret("default", undefined);
        await bench.run(20 * MINUTE);
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
      async (bench) => {
        bench.platform.sim.auth.revoke("first");
        await noticed(bench);
        bench.cluster.secret("default", undefined);
      },
      false,
    ],
    [
      "token of another organization",
      async (bench) => {
        bench.apply(secret("default", { token: bench.platform.tokens.foreign }));
        await noticed(bench);
      },
      false,
    ],
    [
      "restart without the Secret",
      async (bench) => {
        bench.cluster.secret("default", undefined);
        await bench.restart();
        await noticed(bench);
      },
      false,
    ],
    [
      "restart without the connection",
      async (bench) => {
        bench.cluster.remove("PlatformConnection", "default");
        await bench.restart();
        await noticed(bench);
      },
      false,
    ],
  ];

  it.each(ends)(
    "%s, under Delete: everything goes, and what stays on the platform is named",
    async (_what, end, deletes) => {
      const bench = await settled({ deletionPolicy: "Delete" });
      const named = ids(bench);
      const from = bench.mark();
      await end(bench);
      removeAll(bench);
      await bench.run(3 * RELEASE);
      expect(bench.cluster.all().map(({ kind }) => kind)).toEqual([]);
      const { services, environments, projects } = bench.platform.world();
      const left = named.filter((id) => services.has(id) || environments.has(id) || projects.has(id));
      expect(left).toEqual(deletes ? [] : named);
      expect(bench.writes(from).filter((operation) => !operation.startsWith("delete"))).toEqual([]);
      for (const id of left) {
        expect(warnings(bench)).toContainEqual(
          expect.objectContaining({ type: "Warning", note: expect.stringContaining(id) }),
        );
      }
    },
  );

  it.each(ends)("%s, under Retain: everything goes at once, and the platform is not asked to", async (_what, end) => {
    const bench = await settled();
    const from = bench.mark();
    await end(bench);
    removeAll(bench);
    await bench.run(0);
    expect(bench.cluster.all()).toEqual([]);
    await bench.run(2 * MINUTE);
    expect(bench.writes(from)).toEqual([]);
  });

  it("in all these orders: 0 deletes under Retain, 0 re-creates, nothing hangs", ({ task }) => {
    figure(task, "0 deletes under Retain, 0 re-creates, nothing left hanging", 2 * ends.length);
    expect(ends.length).toBeGreaterThan(0);
  });
});
