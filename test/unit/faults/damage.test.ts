import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { editRecord, removeRecord } from "../../../simulator/control/records.ts";
import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { effort } from "../../support/env/effort.ts";
import {
  application,
  blueprint,
  database,
  defaults,
  NEXT_COMMIT,
  resource,
  secret,
  tree,
} from "../../support/kube/manifests.ts";
import { figure } from "../../support/platform/figure.ts";
import { operatorBench, type OperatorBench } from "../../support/platform/operator-env.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const idOf = (bench: OperatorBench, kind: string, name: string): string =>
  (bench.get(kind, name).status as { readonly externalId: string }).externalId;

/** Everything that has a list to be missed in, one of each. */
async function fleet(lifecycle: JsonObject = {}): Promise<OperatorBench> {
  const bench = await operatorBench();
  bench.apply(...defaults(bench), ...tree(bench, "a", { lifecycle }));
  bench.apply(database("d", "a", { lifecycle }), blueprint("b", "a", { lifecycle }));
  await bench.run(15 * MINUTE);
  return bench;
}

function change(bench: OperatorBench, kind: string, name: string, members: object): void {
  bench.cluster.spec(kind, name, { ...(bench.get(kind, name).spec as object), ...members });
}

const gone = [
  ["PlatformApplication", "a", ["createApplication", "deployApplication"]],
  ["PlatformDatabase", "d", ["createDatabase", "deployDatabase"]],
  ["PlatformBlueprint", "b", ["createBlueprint"]],
] as const;

/** Others delete all services. */
function takeAway({ platform }: OperatorBench): void {
  for (const id of platform.world().services.keys()) removeRecord(platform.sim, id);
}

describe("[C7] an object that is gone from the platform", { timeout: 60_000 }, () => {
  it("is told under Fail, and nothing is made in its place", async ({ task }) => {
    const bench = await fleet();
    const from = bench.mark();
    takeAway(bench);
    await bench.run(HOUR);
    for (const [kind, name] of gone) expect(bench.told(kind, name), kind).toBe("False/ExternalResourceDeleted");
    expect(bench.writes(from)).toEqual([]);
    figure(task, "0 creates under Fail", gone.length);
  });

  it("is made anew once under Recreate", async ({ task }) => {
    const bench = await fleet({ onMissing: "Recreate" });
    const from = bench.mark();
    takeAway(bench);
    await bench.run(HOUR);
    for (const [kind, name] of gone) expect(bench.told(kind, name), kind).toMatch(/^True/);
    expect(bench.writes(from).toSorted()).toEqual(gone.flatMap(([, , operations]) => operations).toSorted());
    figure(task, "1 create each under Recreate", gone.length);
  });

  it("by one 404 of any read alone is not missed, under Recreate either", async ({ task }) => {
    const bench = await fleet({ onMissing: "Recreate" });
    const from = bench.mark();
    const reads = [
      ...new Set(bench.calls().flatMap(({ method, operation }) => (method === "GET" && operation ? [operation] : []))),
    ];
    for (const operation of reads) {
      bench.platform.sim.faults.add({ match: { operation }, answer: { is: "status", status: 404 } });
      for (const { kind, metadata } of bench.cluster.all()) {
        bench.cluster.annotate(kind, metadata.name, { [RECONCILE_REQUESTED_AT]: operation });
      }
      await bench.run(2 * MINUTE);
    }
    await bench.run(15 * MINUTE);
    expect(bench.writes(from)).toEqual([]);
    for (const { kind, metadata } of bench.cluster.all())
      expect(bench.told(kind, metadata.name), kind).toMatch(/^True/);
    figure(task, "0 creates after one 404 of each read", reads.length);
  });

  it("is not told before the lists that lag have it", async () => {
    const bench = await operatorBench();
    bench.platform.sim.settings.listLagSeconds = 40;
    bench.apply(...defaults(bench), ...tree(bench, "a", { lifecycle: { onMissing: "Recreate" } }));
    await bench.run(15 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
    expect(bench.writes().toSorted()).toEqual([
      "createApplication",
      "createEnvironment",
      "createProject",
      "deployApplication",
    ]);
  });
});

const taken = { message: "The name is already taken", error: "Conflict", status: 409 };
const busy = { message: "Operation is in progress", error: "Conflict", status: 409 };

describe("[C8] a 409", { timeout: 60_000 }, () => {
  it("to a create is a NameConflict: told, not repeated, over with another name", async ({ task }) => {
    const bench = await fleet();
    const from = bench.mark();
    const creates = ["createProject", "createEnvironment", "createApplication", "createDatabase", "createBlueprint"];
    for (const operation of creates) {
      bench.platform.sim.faults.add({ match: { operation }, answer: { is: "status", status: 409, body: taken } });
    }
    const named = (kind: string, spec: JsonObject) => resource(kind, "x", { name: "x", ...spec });
    const clusterRef = { externalId: bench.platform.clusterIds[0] ?? "" };
    const all = [
      named("PlatformProject", {}),
      named("PlatformEnvironment", { projectRef: { name: "a" }, clusterRef }),
      application("x", "a"),
      database("x", "a"),
      blueprint("x", "a"),
    ];
    bench.apply(...all);
    await bench.run(HOUR);
    for (const { kind } of all) {
      expect(bench.told(kind, "x"), kind).toBe("False/NameConflict");
      expect(bench.looks(kind, "x"), kind).toContain("Stalled=True/NameConflict");
    }
    expect(bench.writes(from).toSorted()).toEqual(creates.toSorted());
    for (const { kind } of all) change(bench, kind, "x", { name: "y" });
    await bench.run(20 * MINUTE);
    for (const { kind } of all) expect(bench.told(kind, "x"), kind).toMatch(/^True/);
    figure(task, "1 request each, not repeated", creates.length);
  });

  it("to an action is waited out, and is no failure", async ({ task }) => {
    const bench = await fleet();
    const actions = [
      ["deployApplication", "PlatformApplication", "a", { deploy: { gitCommitId: NEXT_COMMIT } }],
      ["stopApplication", "PlatformApplication", "a", { runState: "Stopped" }],
      ["stopDatabase", "PlatformDatabase", "d", { runState: "Stopped" }],
      ["deployDatabase", "PlatformDatabase", "d", { runState: "Running" }],
    ] as const;
    for (const [operation, kind, name, members] of actions) {
      const from = bench.mark();
      bench.platform.sim.faults.add({
        match: { operation },
        count: 6,
        answer: { is: "status", status: 409, body: busy },
      });
      change(bench, kind, name, members);
      await bench.run(20 * SECOND);
      // Each attempt tells what it is for, until it is refused.
      expect(bench.told(kind, name), operation).toMatch(/^False\/(Queued|Deploying|Stopping)$/);
      expect(bench.looks(kind, name), operation).not.toContain("Stalled");
      await bench.run(20 * MINUTE);
      expect(bench.told(kind, name), operation).toMatch(/^True/);
      expect(bench.writes(from), operation).toEqual(Array.from({ length: 7 }, () => operation));
    }
    figure(task, "requeued, then 1 accepted", actions.length);
  });
});

describe("[C8] a 400", { timeout: 60_000 }, () => {
  it("to an action that stays is given up after a few attempts, and sent again for a new commit", async () => {
    const bench = await fleet();
    const from = bench.mark();
    const match = { operation: "deployApplication" };
    bench.platform.sim.faults.add({
      match,
      count: null,
      answer: { is: "status", status: 400, body: { message: "no" } },
    });
    change(bench, "PlatformApplication", "a", { deploy: { gitCommitId: NEXT_COMMIT } });
    await bench.run(2 * HOUR);
    expect(bench.looks("PlatformApplication", "a")).toContain("Stalled=True/InvalidSpec");
    expect(bench.writes(from).length).toBeLessThanOrEqual(6);
    bench.platform.sim.faults.clear();
    change(bench, "PlatformApplication", "a", { deploy: { gitCommitId: "feedface01" } });
    await bench.run(15 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
  });
});

describe("[C11] somebody who changes the same thing again and again", { timeout: 60_000 }, () => {
  it.for([
    ["Correct", 1],
    ["Report", 0],
  ] as const)(
    "under %s: at most %d correction for each look, and it is told",
    async ([driftPolicy, most], { task }) => {
      const bench = await operatorBench();
      const spec = { cpu: 500, lifecycle: { driftPolicy } };
      bench.apply(...defaults(bench), ...tree(bench, "a").slice(0, 2), application("a", "a", spec));
      await bench.run(15 * MINUTE);
      const from = bench.mark();
      const id = idOf(bench, "PlatformApplication", "a");
      const looks = effort.cases(4, 20);
      for (let minute = 0; minute < 10 * looks; minute += 1) {
        editRecord(bench.platform.sim, id, { cpu: 250 });
        await bench.run(MINUTE);
      }
      const corrections = bench.writes(from).filter((operation) => operation === "updateApplication");
      // A poll of ten minutes, give or take a tenth.
      expect(corrections.length).toBeLessThanOrEqual(most * (looks + 1));
      expect(corrections.length).toBeGreaterThanOrEqual(most * (looks - 2));
      expect(bench.events).toContainEqual(expect.objectContaining({ reason: "DriftDetected", type: "Warning" }));
      expect(bench.told("PlatformConnection", "default"), "the brake is for others").toBe("True/Available");
      figure(task, `${corrections.length} corrections in ${looks} poll intervals of changes each minute`);
    },
  );
});

describe("[C12] a secret variable", { timeout: 60_000 }, () => {
  const variables = [{ name: "PIN", secret: true, valueFrom: { secretKeyRef: { name: "pin", key: "pin" } } }];
  const PIN = "1234";

  /** What a list of likely values would be compared with. */
  const hashes = (): readonly string[] =>
    [
      PIN,
      `PIN=${PIN}`,
      `PIN${PIN}`,
      JSON.stringify(PIN),
      JSON.stringify({ PIN }),
      JSON.stringify([["PIN", PIN]]),
    ].flatMap((text) =>
      (["md5", "sha1", "sha256", "sha384", "sha512"] as const).flatMap((algorithm) =>
        (["hex", "base64", "base64url"] as const).map((encoding) =>
          createHash(algorithm).update(text).digest(encoding).slice(0, 16),
        ),
      ),
    );

  it("is written again when its value changes and at no other time, and leaves no hash of it", async ({ task }) => {
    const bench = await operatorBench();
    bench.apply(...defaults(bench), secret("pin", { pin: PIN }), ...tree(bench, "a").slice(0, 2));
    bench.apply(application("a", "a", { variables }));
    await bench.run(20 * MINUTE);
    expect(bench.told("PlatformApplication", "a")).toBe("True/Deployed");
    const from = bench.mark();
    for (let touches = 0; touches < 3; touches += 1) {
      bench.apply(secret("pin", { pin: PIN }));
      await bench.run(12 * MINUTE);
    }
    await bench.restart();
    await bench.run(12 * MINUTE);
    expect(bench.writes(from)).toEqual([]);
    const shown = JSON.stringify([bench.cluster.all(), bench.events, bench.cluster.writes]);
    for (const hash of hashes()) expect(shown).not.toContain(hash);
    bench.apply(secret("pin", { pin: "9876" }));
    await bench.run(20 * MINUTE);
    const written = bench.writes(from);
    expect(written.filter((operation) => operation === "deployApplication")).toHaveLength(1);
    // A secret that is there already is replaced by its id.
    expect(new Set(written)).toEqual(
      new Set(["importEnvironmentVariable", "updateApplicationSecret", "deployApplication"]),
    );
    expect(written).toHaveLength(3);
    figure(task, "1 write for each new value, 0 hashes of a secret shown");
  });
});
