import { describe, expect, it } from "vitest";

import { platformEnv } from "../../test/support/env/simulated-platform.ts";
import type { Action } from "../model/actions.ts";
import { markEdited } from "../model/state-changes.ts";
import { cancel } from "./deployments.ts";

const enough = 1000;

function withApp(state?: string) {
  const env = platformEnv();
  return { env, app: env.service("application", "web", state) };
}

describe("an action on one service", () => {
  it.each<[Action, string, string[]]>([
    ["stop", "DEPLOYED", ["STOP_QUEUED", "STOPPING", "STOPPED"]],
    ["restart", "DEPLOYED", ["RESTART_QUEUED", "RESTARTING", "RESTARTED"]],
    ["delete", "DEPLOYED", ["DELETE_QUEUED", "DELETING", "DELETED"]],
  ])("%s from %s passes its states in order", async (action, state, expected) => {
    const { env, app } = withApp(state);
    env.order(action, [app]);
    await env.wait(enough);
    expect(env.path(app.id)).toEqual(expected);
  });

  it("takes realistic times at speed 1: queue 2 s, build 20 s, deploy 10 s", async () => {
    const { env, app } = withApp();
    env.order("deploy", [app]);
    const seen: string[] = [];
    for (const seconds of [1, 2, 18, 1, 9, 1]) {
      await env.wait(seconds);
      seen.push(app.state);
    }
    expect(seen).toEqual(["DEPLOYMENT_QUEUED", "BUILDING", "BUILDING", "DEPLOYING", "DEPLOYING", "DEPLOYED"]);
    expect(app.lastDeploymentDate).toBe("2026-11-21T10:00:32.000Z");
  });

  it("never builds a database, and executes a job", async () => {
    const env = platformEnv();
    const database = env.service("database", "db");
    const job = env.service("job", "migrate");
    env.order("deploy", [database, job]);
    await env.wait(enough);
    expect(env.path(database.id)).toEqual(["DEPLOYMENT_QUEUED", "DEPLOYING", "DEPLOYED"]);
    expect(env.path(job.id)).toEqual(["DEPLOYMENT_QUEUED", "WAITING_RUNNING", "DEPLOYING", "EXECUTING", "DEPLOYED"]);
  });
});

it.each<[Action, string]>([
  ["deploy", "DEPLOYMENT_ERROR"],
  ["stop", "STOP_ERROR"],
  ["restart", "RESTART_ERROR"],
  ["delete", "DELETE_ERROR"],
])("a failure fails the next %s with %s, once", async (action, error) => {
  const { env, app } = withApp("DEPLOYED");
  app.failNext.push(action);
  env.order(action, [app]);
  await env.wait(enough);
  expect([app.state, app.failNext]).toEqual([error, []]);
  expect(env.sim.world.services.has(app.id)).toBe(true);
});

it("failures cancel the targets that have not begun, and keep the others", async () => {
  const { env, app } = withApp();
  const database = env.service("database", "db");
  const box = env.service("container", "worker");
  const twin = env.service("container", "twin");
  box.failNext.push("deploy");
  const request = env.order("deploy", [database, box, twin, app]);
  await env.wait(enough);
  const states = [database, box, twin, app].map(({ state }) => state);
  expect(states).toEqual(["DEPLOYED", "DEPLOYMENT_ERROR", "DEPLOYED", "CANCELED"]);
  expect(request.status).toBe("DEPLOYMENT_ERROR");
});

describe("service_deployment_status", () => {
  it("is NEVER_DEPLOYED, UP_TO_DATE, OUT_OF_DATE after an edit, UP_TO_DATE after a deploy", async () => {
    const { env, app } = withApp();
    const after = async (action: Action, commit = "abcdef1"): Promise<string> => {
      env.order(action, [app], { commit });
      await env.wait(enough);
      return app.deploymentStatus;
    };
    markEdited(app);
    expect(app.deploymentStatus).toBe("NEVER_DEPLOYED");
    expect(await after("deploy")).toBe("UP_TO_DATE");
    markEdited(app);
    expect(app.deploymentStatus).toBe("OUT_OF_DATE");
    expect(await after("stop")).toBe("OUT_OF_DATE");
    expect(await after("deploy", "badbadb")).toBe("OUT_OF_DATE");
    expect(await after("deploy")).toBe("UP_TO_DATE");
  });

  it("is OUT_OF_DATE after an edit during the deploy, but not after one before its begin", async () => {
    const env = platformEnv();
    const early = env.service("application", "early");
    env.order("deploy", [early]);
    markEdited(early);
    await env.wait(5);
    const late = env.service("application", "late");
    env.order("deploy", [late]);
    await env.wait(30);
    markEdited(late);
    await env.wait(enough);
    expect([early.deploymentStatus, late.deploymentStatus]).toEqual(["UP_TO_DATE", "OUT_OF_DATE"]);
  });
});

describe("the queue of an environment", () => {
  it("merges requests of one principal that have not begun, with the last commit", async () => {
    const { env, app } = withApp();
    const other = env.service("application", "api");
    const first = env.order("deploy", [app], { commit: "1111111" });
    const second = env.order("deploy", [other], { commit: "2222222" });
    const third = env.order("deploy", [app], { commit: "3333333" });
    expect([second.id, third.id]).toEqual([first.id, first.id]);
    await env.wait(enough);
    expect([app.commit, other.commit]).toEqual(["3333333", "2222222"]);
  });

  it.each([
    ["another principal", { principal: "you" }, "deploy"],
    ["another action", {}, "stop"],
  ] as const)("does not merge %s", (_what, more, action) => {
    const { env, app } = withApp();
    const first = env.order("deploy", [app]);
    expect(env.order(action, [app], more).id).not.toBe(first.id);
  });

  it("executes one request at a time, in the order of arrival", async () => {
    const { env, app } = withApp();
    const first = env.order("deploy", [app]);
    await env.wait(10);
    const second = env.order("stop", [app]);
    const third = env.order("deploy", [app], { commit: "7777777" });
    expect([first.status, second.status, third.status]).toEqual(["BUILDING", "STOP_QUEUED", "DEPLOYMENT_QUEUED"]);
    await env.wait(enough);
    const states = ["DEPLOYMENT_QUEUED", "DEPLOYED", "STOP_QUEUED", "STOPPED", "DEPLOYMENT_QUEUED", "DEPLOYED"];
    expect(env.path(app.id).filter((state) => state.endsWith("ED"))).toEqual(states);
    expect([first.status, second.status, third.status]).toEqual(["DEPLOYED", "STOPPED", "DEPLOYED"]);
  });
});

describe("cancel", () => {
  it("drops a queued request and restores the previous state", async () => {
    const { env, app } = withApp("STOPPED");
    const request = env.order("deploy", [app]);
    expect(cancel(env.sim, request)).toBe(true);
    expect([app.state, request.status, env.environment.queue]).toEqual(["STOPPED", "CANCELED", []]);
    expect(cancel(env.sim, request)).toBe(false);
  });

  it("does not affect the previous request", async () => {
    const { env, app } = withApp();
    env.order("deploy", [app]);
    await env.wait(5);
    const second = env.order("deploy", [app], { commit: "2222222" });
    cancel(env.sim, second);
    expect(app.state).toBe("BUILDING");
    await env.wait(enough);
    expect([app.state, app.commit]).toEqual(["DEPLOYED", "abcdef1"]);
  });

  it("cancels a running request through CANCELING, and keeps finished targets", async () => {
    const { env, app } = withApp();
    const database = env.service("database", "db");
    const request = env.order("deploy", [database, app]);
    await env.wait(33);
    expect([database.state, app.state]).toEqual(["DEPLOYED", "DEPLOYING"]);
    expect(cancel(env.sim, request)).toBe(true);
    expect([app.state, request.status, cancel(env.sim, request)]).toEqual(["CANCELING", "CANCELING", false]);
    await env.wait(2);
    expect([database.state, app.state, request.status]).toEqual(["DEPLOYED", "CANCELED", "CANCELED"]);
  });
});
