import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { removeRecord } from "../../../simulator/control/records.ts";
import { RECONCILE_REQUESTED_AT } from "../../../src/api/names.ts";
import { conditionOf } from "../../../src/engine/contract/status.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { application, blueprint, database, NEXT_COMMIT, resource, secret, tree } from "../../support/kube/manifests.ts";
import { HOUR, MINUTE, SECOND } from "../../support/platform/durations.ts";
import { figure } from "../../support/platform/figure.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { unready } from "./restores.ts";

/** Everything that has a list to be missed in, one of each. */
function fleet(lifecycle: JsonObject = {}): Promise<OperatorEnv> {
  const services = [database("d", "a", { lifecycle }), blueprint("b", "a", { lifecycle })];
  return settledEnv((env) => [...tree(env, "a", { lifecycle }), ...services]);
}

const gone = [
  ["PlatformApplication", "a", ["createApplication", "deployApplication"]],
  ["PlatformDatabase", "d", ["createDatabase", "deployDatabase"]],
  ["PlatformBlueprint", "b", ["createBlueprint"]],
] as const;

describe("[C7] an object that the platform no longer has", () => {
  it.for([
    ["is reported under Fail, and nothing is created in its place", {}, /^False\/ExternalResourceDeleted$/, 0],
    ["is created again once under Recreate", { onMissing: "Recreate" }, /^True/, 1],
  ] as const)("%s", async ([, lifecycle, condition, creates], { task }) => {
    const env = await fleet(lifecycle);
    const from = env.baseline();
    for (const id of env.platform.world().services.keys()) removeRecord(env.platform.sim, id);
    await env.run(HOUR);
    for (const [kind, name] of gone) expect(env.condition(kind, name), kind).toMatch(condition);
    const operations = creates === 0 ? [] : gone.flatMap((row) => row[2]);
    expect(env.writes(from).toSorted()).toEqual(operations.toSorted());
    figure(task, creates === 0 ? "0 creates under Fail" : "1 create each under Recreate", gone.length);
  });

  it("is not concluded from one 404 of any read, under Recreate either", async ({ task }) => {
    const env = await fleet({ onMissing: "Recreate" });
    const from = env.baseline();
    const reads = env.calls().flatMap(({ method, operation }) => (method === "GET" && operation ? [operation] : []));
    const operations = [...new Set(reads)];
    for (const operation of operations) {
      env.platform.sim.faults.add({ match: { operation }, answer: { is: "status", status: 404 } });
      for (const { kind, metadata } of env.cluster.all()) {
        env.cluster.annotate(kind, metadata.name, { [RECONCILE_REQUESTED_AT]: operation });
      }
      await env.run(2 * MINUTE);
    }
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(unready(env)).toEqual([]);
    figure(task, "0 creates after one 404 of each read", operations.length);
  });
});

function refuse({ platform }: OperatorEnv, operation: string, message: string, count = 1) {
  const answer = { is: "status", status: 409, body: { message, status: 409 } } as const;
  platform.sim.faults.add({ match: { operation }, answer, count });
}

const CREATES = ["createApplication", "createBlueprint", "createDatabase", "createEnvironment", "createProject"];

/** One new resource of each kind that creates an object, all named "x". */
function eachKind(env: OperatorEnv) {
  const named = (kind: string, spec: JsonObject) => resource(kind, "x", { name: "x", ...spec });
  const clusterRef = { externalId: env.platform.clusterIds[0] ?? "" };
  return [
    named("PlatformProject", {}),
    named("PlatformEnvironment", { projectRef: { name: "a" }, clusterRef }),
    application("x", "a"),
    database("x", "a"),
    blueprint("x", "a"),
  ];
}

describe("[C8] a 402 of the platform", () => {
  const body = { status: 402, message: "No payment method on file" };

  it("to a create is reported with the platform's sentence, and not repeated", async ({ task }) => {
    const env = await fleet();
    const from = env.baseline();
    for (const operation of CREATES)
      env.platform.sim.faults.add({ match: { operation }, answer: { is: "status", status: 402, body }, count: null });
    const all = eachKind(env);
    env.apply(...all);
    await env.run(HOUR);
    for (const { kind } of all) {
      expect(env.summary(kind, "x"), kind).toContain("Stalled=True/Rejected");
      expect(conditionOf(env.cluster.get(kind, "x"), "Ready")?.message, kind).toContain(": No payment method on file.");
    }
    expect(env.writes(from).toSorted()).toEqual(CREATES);
    figure(task, "1 request each, not repeated", CREATES.length);
  });

  it.for(["importEnvironmentVariable", "deployApplication"])(
    "to %s is Rejected as well, and not repeated",
    async (operation) => {
      const env = await fleet();
      const from = env.baseline();
      env.platform.sim.faults.add({ match: { operation }, answer: { is: "status", status: 402, body }, count: null });
      const deploy = { gitCommitId: NEXT_COMMIT };
      env.apply(application("x", "a", { deploy, variables: [{ name: "A", value: "1" }] }));
      await env.run(HOUR);
      expect(env.summary("PlatformApplication", "x")).toContain("Stalled=True/Rejected");
      expect(env.writes(from).filter((sent) => sent === operation)).toEqual([operation]);
    },
  );
});

describe("[C8] a 409 of the platform", () => {
  it("to a create is repeated with growing pauses, until the platform frees the name", async ({ task }) => {
    const env = await fleet();
    const from = env.baseline();
    for (const operation of CREATES) refuse(env, operation, "The name is already taken", 3);
    env.apply(...eachKind(env));
    await env.run(HOUR);
    expect(unready(env)).toEqual([]);
    const creates = env.writes(from).filter((operation) => operation.startsWith("create"));
    expect(creates.toSorted()).toEqual(CREATES.flatMap((operation) => Array.from({ length: 4 }, () => operation)));
    figure(task, "3 refused, then 1 accepted", CREATES.length);
  });

  it("to a create that lasts is a NameConflict, and is resolved by another name", async ({ task }) => {
    const env = await fleet();
    for (const operation of CREATES) refuse(env, operation, "The name is already taken", 10);
    const all = eachKind(env);
    env.apply(...all);
    await env.run(5 * MINUTE);
    for (const { kind } of all) {
      expect(env.condition(kind, "x"), kind).toBe("False/NameConflict");
      expect(env.summary(kind, "x"), kind).toContain("Stalled=True/NameConflict");
    }
    env.platform.sim.faults.clear();
    for (const { kind } of all) env.cluster.patch(kind, "x", { spec: { name: "y" } });
    await env.run(5 * MINUTE);
    expect(unready(env)).toEqual([]);
    figure(task, "Stalled, then 1 accepted", CREATES.length);
  });

  it("to a deployment or a stop is no failure, and the request is repeated until the platform accepts it", async ({
    task,
  }) => {
    const env = await fleet();
    const actions = [
      ["deployApplication", "PlatformApplication", "a", { deploy: { gitCommitId: NEXT_COMMIT } }],
      ["stopApplication", "PlatformApplication", "a", { runState: "Stopped" }],
      ["stopDatabase", "PlatformDatabase", "d", { runState: "Stopped" }],
      ["deployDatabase", "PlatformDatabase", "d", { runState: "Running" }],
    ] as const;
    for (const [operation, kind, name, members] of actions) {
      const from = env.baseline();
      refuse(env, operation, "Operation is in progress", 6);
      env.cluster.patch(kind, name, { spec: members });
      await env.run(20 * SECOND);
      // Each attempt reports what it is for, until it is refused.
      expect(env.condition(kind, name), operation).toMatch(/^False\/(Queued|Deploying|Stopping)$/);
      expect(env.summary(kind, name), operation).not.toContain("Stalled");
      await env.run(20 * MINUTE);
      expect(env.condition(kind, name), operation).toMatch(/^True/);
      expect(env.writes(from), operation).toEqual(Array.from({ length: 7 }, () => operation));
    }
    figure(task, "requeued, then 1 accepted", actions.length);
  });
});

describe("[C12] a variable from a Secret", () => {
  const variables = [{ name: "PIN", secret: true, valueFrom: { secretKeyRef: { name: "pin", key: "pin" } } }];
  const PIN = "1234";

  /** What a list of likely values would be compared with. */
  const hashes = (): readonly string[] => {
    const json = [PIN, { PIN }, [["PIN", PIN]]].map((one) => JSON.stringify(one));
    const texts = [PIN, `PIN=${PIN}`, `PIN${PIN}`, ...json];
    return ["md5", "sha1", "sha256", "sha384", "sha512"].flatMap((algorithm) =>
      (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
        texts.map((text) => createHash(algorithm).update(text).digest(encoding).slice(0, 16)),
      ),
    );
  };

  it("is written again only when its value changes, and no hash of the value is shown", async ({ task }) => {
    const env = await settledEnv((env) => [
      secret("pin", { pin: PIN }),
      ...tree(env, "a").slice(0, 2),
      application("a", "a", { variables }),
    ]);
    expect(env.condition("PlatformApplication", "a")).toBe("True/Deployed");
    const from = env.baseline();
    for (let touches = 0; touches < 3; touches += 1) {
      env.apply(secret("pin", { pin: PIN }));
      await env.run(12 * MINUTE);
    }
    await env.restart();
    await env.run(12 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    const shown = JSON.stringify([env.cluster.all(), env.events, env.cluster.writes]);
    for (const hash of hashes()) expect(shown).not.toContain(hash);
    env.apply(secret("pin", { pin: "9876" }));
    await env.run(20 * MINUTE);
    const written = env.writes(from);
    // A secret that is there already is replaced by its id.
    expect(written.toSorted()).toEqual(["deployApplication", "updateApplicationSecret"]);
    figure(task, "1 write for each new value, 0 hashes of a secret shown");
  });
});
