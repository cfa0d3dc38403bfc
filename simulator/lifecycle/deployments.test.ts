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
  ])("%s from %s runs through its states in their order", async (action, state, expected) => {
    const { env, app } = withApp(state);
    env.order(action, [app]);
    await env.wait(enough);
    expect(env.path(app.id)).toEqual(expected);
  });

  it("takes 2 s in the queue, 20 s to build and 10 s to deploy at speed 1", async () => {
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

  it("builds no database, and executes a job", async () => {
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
])("a failure that a test sets makes the next %s end with %s, once", async (action, error) => {
  const { env, app } = withApp("DEPLOYED");
  app.failNext.push(action);
  env.order(action, [app]);
  await env.wait(enough);
  expect(app.state).toBe(error);
  expect(app.failNext).toEqual([]);
  expect(env.sim.world.services.has(app.id)).toBe(true);
});

it("the failure of one service cancels the services that have not begun, and keeps the deployed ones", async () => {
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
  it("is NEVER_DEPLOYED at first, OUT_OF_DATE after an edit and UP_TO_DATE after a deploy", async () => {
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

  it("is OUT_OF_DATE after an edit during a deploy, but not after an edit before its start", async () => {
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
    expect(early.deploymentStatus).toBe("UP_TO_DATE");
    expect(late.deploymentStatus).toBe("OUT_OF_DATE");
  });
});

describe("the queue of an environment", () => {
  it("merges waiting requests of one principal, with the last commit", async () => {
    const { env, app } = withApp();
    const other = env.service("application", "api");
    const first = env.order("deploy", [app], { commit: "1111111" });
    const second = env.order("deploy", [other], { commit: "2222222" });
    const third = env.order("deploy", [app], { commit: "3333333" });
    expect(second.id).toBe(first.id);
    expect(third.id).toBe(first.id);
    await env.wait(enough);
    expect(app.commit).toBe("3333333");
    expect(other.commit).toBe("2222222");
  });

  it.each([
    ["another principal", { principal: "you" }, "deploy"],
    ["with another action", {}, "stop"],
  ] as const)("does not merge a request of %s", (_what, more, action) => {
    const { env, app } = withApp();
    const first = env.order("deploy", [app]);
    expect(env.order(action, [app], more).id).not.toBe(first.id);
  });

  it("executes one request at a time, in the order of their arrival", async () => {
    const { env, app } = withApp();
    const first = env.order("deploy", [app]);
    await env.wait(10);
    const second = env.order("stop", [app]);
    const third = env.order("deploy", [app], { commit: "7777777" });
    expect(first.status).toBe("BUILDING");
    expect(second.status).toBe("STOP_QUEUED");
    expect(third.status).toBe("DEPLOYMENT_QUEUED");
    await env.wait(enough);
    const states = ["DEPLOYMENT_QUEUED", "DEPLOYED", "STOP_QUEUED", "STOPPED", "DEPLOYMENT_QUEUED", "DEPLOYED"];
    expect(env.path(app.id).filter((state) => state.endsWith("ED"))).toEqual(states);
    expect(first.status).toBe("DEPLOYED");
    expect(second.status).toBe("STOPPED");
    expect(third.status).toBe("DEPLOYED");
  });
});

describe("cancel()", () => {
  it("drops a waiting request and restores the state before it", async () => {
    const { env, app } = withApp("STOPPED");
    const request = env.order("deploy", [app]);
    expect(cancel(env.sim, request)).toBe(true);
    expect(app.state).toBe("STOPPED");
    expect(request.status).toBe("CANCELED");
    expect(env.environment.queue).toEqual([]);
    expect(cancel(env.sim, request)).toBe(false);
  });

  it("does not change the request before it", async () => {
    const { env, app } = withApp();
    env.order("deploy", [app]);
    await env.wait(5);
    const second = env.order("deploy", [app], { commit: "2222222" });
    cancel(env.sim, second);
    expect(app.state).toBe("BUILDING");
    await env.wait(enough);
    expect(app.state).toBe("DEPLOYED");
    expect(app.commit).toBe("abcdef1");
  });

  it("cancels a running request through CANCELING, and keeps the services that it deployed", async () => {
    const { env, app } = withApp();
    const database = env.service("database", "db");
    const request = env.order("deploy", [database, app]);
    await env.wait(33);
    expect(database.state).toBe("DEPLOYED");
    expect(app.state).toBe("DEPLOYING");
    expect(cancel(env.sim, request)).toBe(true);
    expect(app.state).toBe("CANCELING");
    expect(request.status).toBe("CANCELING");
    expect(cancel(env.sim, request)).toBe(false);
    await env.wait(2);
    expect(database.state).toBe("DEPLOYED");
    expect(app.state).toBe("CANCELED");
    expect(request.status).toBe("CANCELED");
  });
});
