import { describe, expect, it } from "vitest";

import { APPROVED_PLAN, REDEPLOY_REQUESTED_AT } from "../../../src/api/names.ts";
import { planIn } from "../../../src/engine/policies/policy-status.ts";
import { member } from "../../../src/kube/api/json.ts";
import type { JsonObject } from "../../../src/kube/api/types.ts";
import { application, COMMIT, database, environment, NEXT_COMMIT, project } from "../../support/kube/manifests.ts";
import { MINUTE } from "../../support/platform/durations.ts";
import { settledEnv, type OperatorEnv } from "../../support/platform/operator-env.ts";
import { NO_STATUS, SURFACES } from "./restores.ts";

type Service = readonly [kind: string, name: string];

const APPLICATION: Service = ["PlatformApplication", "api"];
const DATABASE: Service = ["PlatformDatabase", "orders"];
const SERVICES: readonly { readonly service: Service; readonly deploy: string }[] = [
  { service: APPLICATION, deploy: "deployApplication" },
  { service: DATABASE, deploy: "deployDatabase" },
];

/** An application and a database that run. */
const running = (surface: (typeof SURFACES)[number], spec: JsonObject = {}): Promise<OperatorEnv> =>
  settledEnv(
    (env) => [
      project("shop"),
      environment(env, "staging", "shop"),
      application("api", "staging", spec),
      database("orders", "staging"),
    ],
    { surface },
  );

const request = (env: OperatorEnv, [kind, name]: Service, value: string | null): void =>
  env.cluster.annotate(kind, name, { [REDEPLOY_REQUESTED_AT]: value });

const answerOf = (env: OperatorEnv, [kind, name]: Service) =>
  member(env.get(kind, name).status, "lastHandledRedeployAt");

/** The sentences of refused requests. */
const refusals = (env: OperatorEnv): readonly string[] =>
  env.events.filter(({ reason }) => reason === "RedeployRefused").map(({ note }) => note);

describe.each(SURFACES)("the annotation redeploy-requested-at, %s surface,", (surface) => {
  it.each(SERVICES)("causes $deploy once for each value, also in a new process", async ({ service, deploy }) => {
    const env = await running(surface);
    const from = env.baseline();
    for (const value of ["first", "second"]) {
      request(env, service, value);
      await env.run(15 * MINUTE);
      await env.restart();
      await env.run(15 * MINUTE);
      expect(answerOf(env, service)).toBe(value);
    }
    request(env, service, null);
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual([deploy, deploy]);
    expect(env.condition(...service)).toMatch(/^True/);
    expect(refusals(env)).toEqual([]);
  });

  it.each(SERVICES)("causes $deploy after the deployment that is running", async ({ service, deploy }) => {
    const env = await running(surface);
    const from = env.baseline();
    request(env, service, "first");
    await env.run(0);
    request(env, service, "second");
    await env.run(0);
    expect(env.writes(from)).toEqual([deploy]);
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([deploy, deploy]);
    expect(answerOf(env, service)).toBe("second");
  });

  it("is answered by the deployment of another commit that begins at the same time", async () => {
    const env = await running(surface);
    const from = env.baseline();
    env.cluster.patch(...APPLICATION, { spec: { deploy: { gitCommitId: NEXT_COMMIT } } });
    request(env, APPLICATION, "first");
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual(["deployApplication"]);
    expect(answerOf(env, APPLICATION)).toBe("first");
  });

  it.each(SERVICES)("causes $deploy although others have stopped it", async ({ service, deploy }) => {
    const env = await running(surface);
    const { services } = env.platform.world();
    for (const each of services.values()) if (each.name === service[1]) each.state = "STOPPED";
    await env.run(15 * MINUTE);
    const from = env.baseline();
    request(env, service, "first");
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual([deploy]);
    expect(env.condition(...service)).toMatch(/^True/);
  });

  it.each(SERVICES)("causes no $deploy when all statuses are lost", async ({ service, deploy }) => {
    const env = await running(surface);
    request(env, service, "first");
    await env.run(15 * MINUTE);
    const from = env.baseline();
    env.kill();
    for (const { kind, metadata } of env.cluster.all()) env.cluster.status(kind, metadata.name, NO_STATUS);
    await env.restart();
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(answerOf(env, service)).toBe("first");
    request(env, service, "second");
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual([deploy]);
  });

  it("that a manifest brings along is answered by the first deployment", async () => {
    const env = await settledEnv(
      (env) => {
        const { metadata, ...rest } = application("api", "staging");
        const annotated = { ...rest, metadata: { ...metadata, annotations: { [REDEPLOY_REQUESTED_AT]: "first" } } };
        return [project("shop"), environment(env, "staging", "shop"), annotated];
      },
      { surface },
    );
    expect(env.writes().filter((write) => write === "deployApplication")).toHaveLength(1);
    expect(answerOf(env, APPLICATION)).toBe("first");
    expect(refusals(env)).toEqual([]);
  });

  describe("[A4] causes a deployment with an unknown outcome:", () => {
    it.each([
      ["applied", "applied"],
      ["lost before its effect", "none"],
    ] as const)("an application is deployed exactly once (%s)", async (_what, effect) => {
      const env = await running(surface);
      const from = env.baseline();
      env.platform.sim.faults.add({ match: { operation: "deployApplication" }, effect, answer: { is: "reset" } });
      request(env, APPLICATION, "first");
      await env.run(0);
      await env.restart();
      await env.run(30 * MINUTE);
      expect(env.effects(from)).toEqual(["deployApplication deployed api"]);
      expect(answerOf(env, APPLICATION)).toBe("first");
      expect(env.condition(...APPLICATION)).toBe("True/Deployed");
    });

    it("a database is deployed at most once, and a person is asked where nothing shows the outcome", async () => {
      const env = await running(surface);
      const from = env.baseline();
      const match = { operation: "deployDatabase" };
      env.platform.sim.faults.add({ match, effect: "applied", answer: { is: "reset" } });
      request(env, DATABASE, "first");
      await env.run(0);
      await env.restart();
      await env.run(30 * MINUTE);
      expect(env.effects(from)).toEqual(["deployDatabase deployed orders"]);
      expect(env.condition(...DATABASE)).toBe(surface === "full" ? "True/Available" : "False/NotObservable");
      request(env, DATABASE, "second");
      await env.run(30 * MINUTE);
      expect(env.writes(from)).toEqual(["deployDatabase", "deployDatabase"]);
      expect(env.condition(...DATABASE)).toBe("True/Available");
      expect(answerOf(env, DATABASE)).toBe("second");
    });
  });

  it("is answered by a rejection, and the request is not sent again", async () => {
    const env = await running(surface);
    const from = env.baseline();
    const answer = { is: "status", status: 422, body: { message: "no quota is left" } } as const;
    const match = { operation: "deployApplication" };
    env.platform.sim.faults.add({ match, count: null, effect: "none", answer });
    request(env, APPLICATION, "first");
    await env.run(2 * MINUTE);
    expect(env.condition(...APPLICATION)).toBe("False/InvalidSpec");
    expect(answerOf(env, APPLICATION)).toBe("first");
    const sent = env.writes(from).length;
    await env.restart();
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toHaveLength(sent);
    expect(env.condition(...APPLICATION)).toBe("True/Deployed");
    env.platform.sim.faults.clear();
    request(env, APPLICATION, "second");
    await env.run(30 * MINUTE);
    expect(env.effects(from)).toEqual(["deployApplication deployed api"]);
  });
});

describe("the annotation redeploy-requested-at", () => {
  it("waits for the approval of its plan", async () => {
    const env = await running("full", { lifecycle: { applyPolicy: "Manual" } });
    const approve = async (): Promise<void> => {
      const hash = planIn(env.get(...APPLICATION))?.hash;
      env.cluster.annotate(...APPLICATION, { [APPROVED_PLAN]: hash ?? "no plan" });
      await env.run(15 * MINUTE);
    };
    await approve();
    const from = env.baseline();
    request(env, APPLICATION, "first");
    await env.run(15 * MINUTE);
    expect(planIn(env.get(...APPLICATION))?.actions).toMatchObject([
      { operation: "deployApplication", commit: COMMIT },
    ]);
    expect(env.writes(from)).toEqual([]);
    expect(answerOf(env, APPLICATION)).toBeUndefined();
    await approve();
    expect(env.writes(from)).toEqual(["deployApplication"]);
    expect(answerOf(env, APPLICATION)).toBe("first");
  });

  it("does not count toward the limit of mass changes", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `app-${index}`);
    const env = await settledEnv((env) => [
      project("shop"),
      environment(env, "staging", "shop"),
      ...names.map((name) => application(name, "staging")),
    ]);
    const from = env.baseline();
    for (const name of names) env.cluster.annotate("PlatformApplication", name, { [REDEPLOY_REQUESTED_AT]: "first" });
    await env.run(30 * MINUTE);
    expect(env.writes(from)).toEqual(names.map(() => "deployApplication"));
    expect(env.condition("PlatformConnection", "default")).toBe("True/Available");
  });

  it.each<[string, JsonObject, RegExp]>([
    ["without a commit", { deploy: null }, /No commit is known to be deployed, and spec\.deploy names none/],
    ["that is to be stopped", { runState: "Stopped" }, /is to be stopped, as spec\.runState or spec\.runSchedule says/],
    ["under ObserveOnly", { lifecycle: { managementPolicy: "ObserveOnly" } }, /managementPolicy is ObserveOnly/],
    ["under CreateOnly", { lifecycle: { managementPolicy: "CreateOnly" } }, /managementPolicy is CreateOnly/],
  ])("is refused with one Warning for an application %s", async (_what, spec, says) => {
    // Without a commit it was never deployed.
    const env = await running("full", "deploy" in spec ? { deploy: undefined } : {});
    if (!("deploy" in spec)) env.cluster.patch(...APPLICATION, { spec });
    await env.run(15 * MINUTE);
    const from = env.baseline();
    request(env, APPLICATION, "first");
    await env.run(15 * MINUTE);
    await env.restart();
    await env.run(15 * MINUTE);
    expect(env.writes(from)).toEqual([]);
    expect(refusals(env)).toEqual([expect.stringMatching(says)]);
    expect(answerOf(env, APPLICATION)).toBe("first");
    expect(env.condition(...APPLICATION)).toMatch(/^True/);
  });

  it("is refused for a database that does not exist yet, which is then deployed once", async () => {
    const env = await settledEnv(() => [database("orders", "staging")]);
    request(env, DATABASE, "first");
    await env.run(1 * MINUTE);
    expect(refusals(env)).toEqual([expect.stringContaining("nothing to deploy again")]);
    env.apply(project("shop"), environment(env, "staging", "shop"));
    await env.run(30 * MINUTE);
    expect(env.effects().filter((effect) => effect.includes(" deployed "))).toEqual(["deployDatabase deployed orders"]);
    expect(answerOf(env, DATABASE)).toBe("first");
  });

  it("deploys the commit of the spec under the policy Manual", async () => {
    const env = await running("full", { deploy: { gitCommitId: COMMIT, policy: "Manual" } });
    request(env, APPLICATION, "first");
    await env.run(15 * MINUTE);
    expect(commitsOf(env)).toEqual([COMMIT]);
  });

  it("deploys the running commit where the spec names none", async () => {
    const env = await running("full");
    env.cluster.patch(...APPLICATION, { spec: { deploy: null } });
    await env.run(15 * MINUTE);
    request(env, APPLICATION, "first");
    await env.run(15 * MINUTE);
    expect(commitsOf(env)).toEqual([COMMIT, COMMIT]);
    expect(env.condition(...APPLICATION)).toBe("True/Deployed");
  });
});

/** The commits that were sent to be deployed. */
const commitsOf = (env: OperatorEnv): readonly unknown[] =>
  env
    .calls()
    .filter(({ operation }) => operation === "deployApplication")
    .map(({ body }) => member(body, "git_commit_id"));
