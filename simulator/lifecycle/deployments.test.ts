import { describe, expect, it } from "vitest";

import { platformBench } from "../../test/support/env/simulated-platform.ts";
import type { Action } from "../model/actions.ts";
import { markEdited } from "../model/state-changes.ts";
import { cancel } from "./deployments.ts";

const enough = 1000;

describe("an action on one service", () => {
  it.each<[Action, string, string[]]>([
    ["deploy", "READY", ["DEPLOYMENT_QUEUED", "BUILDING", "DEPLOYING", "DEPLOYED"]],
    ["stop", "DEPLOYED", ["STOP_QUEUED", "STOPPING", "STOPPED"]],
    ["restart", "DEPLOYED", ["RESTART_QUEUED", "RESTARTING", "RESTARTED"]],
    ["delete", "DEPLOYED", ["DELETE_QUEUED", "DELETING", "DELETED"]],
  ])("%s from %s passes its states in order", async (action, state, expected) => {
    const bench = platformBench();
    const app = bench.service("application", "web", state);
    bench.order(action, [app]);
    await bench.wait(enough);
    expect(bench.path(app.id)).toEqual(expected);
  });

  it("takes the realistic times at speed 1: queue 2 s, build 20 s, deploy 10 s", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    bench.order("deploy", [app]);
    const seen: string[] = [];
    for (const seconds of [1, 2, 18, 1, 9, 1]) {
      await bench.wait(seconds);
      seen.push(app.state);
    }
    expect(seen).toEqual(["DEPLOYMENT_QUEUED", "BUILDING", "BUILDING", "DEPLOYING", "DEPLOYING", "DEPLOYED"]);
    expect(app.lastDeploymentDate).toBe("2026-11-21T10:00:32.000Z");
  });

  it("never builds a database, and executes a job", async () => {
    const bench = platformBench();
    const database = bench.service("database", "db");
    const job = bench.service("job", "migrate");
    bench.order("deploy", [database, job]);
    await bench.wait(enough);
    expect(bench.path(database.id)).toEqual(["DEPLOYMENT_QUEUED", "DEPLOYING", "DEPLOYED"]);
    expect(bench.path(job.id)).toEqual(["DEPLOYMENT_QUEUED", "WAITING_RUNNING", "DEPLOYING", "EXECUTING", "DEPLOYED"]);
  });

  it("keeps a stuck service where it is until it comes loose", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    bench.order("deploy", [app]);
    await bench.wait(30);
    app.stuck = true;
    await bench.wait(24 * 3600);
    expect(app.state).toBe("DEPLOYING");
    app.stuck = false;
    await bench.wait(0);
    expect(app.state).toBe("DEPLOYED");
  });

  it("shows the old state for the accept latency, the request at once", async () => {
    const bench = platformBench();
    bench.sim.settings.acceptLatencySeconds = 5;
    const app = bench.service("application", "web", "DEPLOYED");
    const request = bench.order("deploy", [app]);
    await bench.wait(4);
    expect([app.state, app.requestId, request.status]).toEqual(["DEPLOYED", null, "DEPLOYMENT_QUEUED"]);
    await bench.wait(1);
    expect([app.state, app.requestId]).toEqual(["DEPLOYMENT_QUEUED", request.id]);
  });
});

describe("failures", () => {
  it("fails the build of a commit that starts with bad", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    const request = bench.order("deploy", [app], { commit: "badc0de" });
    await bench.wait(enough);
    expect(bench.path(app.id)).toEqual(["DEPLOYMENT_QUEUED", "BUILDING", "BUILD_ERROR"]);
    expect(request.status).toBe("BUILD_ERROR");
    expect(app.commit).toBeNull();
  });

  it.each<[Action, string]>([
    ["deploy", "DEPLOYMENT_ERROR"],
    ["stop", "STOP_ERROR"],
    ["restart", "RESTART_ERROR"],
    ["delete", "DELETE_ERROR"],
  ])("fails the next %s with %s, once", async (action, error) => {
    const bench = platformBench();
    const app = bench.service("application", "web", "DEPLOYED");
    app.failNext.push(action);
    bench.order(action, [app]);
    await bench.wait(enough);
    expect([app.state, app.failNext]).toEqual([error, []]);
    expect(bench.sim.world.services.has(app.id)).toBe(true);
  });

  it("cancels what has not begun, and leaves what is done", async () => {
    const bench = platformBench();
    const database = bench.service("database", "db");
    const box = bench.service("container", "worker");
    const twin = bench.service("container", "twin");
    const app = bench.service("application", "web");
    box.failNext.push("deploy");
    const request = bench.order("deploy", [database, box, twin, app]);
    await bench.wait(enough);
    expect([database.state, box.state, twin.state, app.state]).toEqual([
      "DEPLOYED",
      "DEPLOYMENT_ERROR",
      "DEPLOYED",
      "CANCELED",
    ]);
    expect(request.status).toBe("DEPLOYMENT_ERROR");
  });
});

describe("service_deployment_status", () => {
  it("goes NEVER_DEPLOYED, UP_TO_DATE, OUT_OF_DATE by an edit, UP_TO_DATE by a deploy", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    markEdited(app);
    expect(app.deploymentStatus).toBe("NEVER_DEPLOYED");
    bench.order("deploy", [app]);
    await bench.wait(enough);
    expect(app.deploymentStatus).toBe("UP_TO_DATE");
    markEdited(app);
    expect(app.deploymentStatus).toBe("OUT_OF_DATE");
    bench.order("stop", [app]);
    await bench.wait(enough);
    expect(app.deploymentStatus).toBe("OUT_OF_DATE");
    bench.order("deploy", [app], { commit: "badbadb" });
    await bench.wait(enough);
    expect(app.deploymentStatus).toBe("OUT_OF_DATE");
    bench.order("deploy", [app]);
    await bench.wait(enough);
    expect(app.deploymentStatus).toBe("UP_TO_DATE");
  });

  it("ends OUT_OF_DATE when an edit comes during the deploy, but not before it begins", async () => {
    const bench = platformBench();
    const early = bench.service("application", "early");
    bench.order("deploy", [early]);
    markEdited(early);
    await bench.wait(5);
    const late = bench.service("application", "late");
    bench.order("deploy", [late]);
    await bench.wait(30);
    markEdited(late);
    await bench.wait(enough);
    expect([early.deploymentStatus, late.deploymentStatus]).toEqual(["UP_TO_DATE", "OUT_OF_DATE"]);
  });
});

describe("the queue of an environment", () => {
  it("merges what one principal asks for as long as it has not begun, the last commit winning", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    const other = bench.service("application", "api");
    const first = bench.order("deploy", [app], { commit: "1111111" });
    const second = bench.order("deploy", [other], { commit: "2222222" });
    const third = bench.order("deploy", [app], { commit: "3333333" });
    expect([second.id, third.id]).toEqual([first.id, first.id]);
    await bench.wait(enough);
    expect([app.commit, other.commit]).toEqual(["3333333", "2222222"]);
  });

  it.each([
    ["another principal", { principal: "you" }, "deploy"],
    ["another action", {}, "stop"],
  ] as const)("does not merge %s", (_what, more, action) => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    const first = bench.order("deploy", [app]);
    expect(bench.order(action, [app], more).id).not.toBe(first.id);
  });

  it("works on one request at a time, in the order of arrival", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    const first = bench.order("deploy", [app]);
    await bench.wait(10);
    const second = bench.order("stop", [app]);
    const third = bench.order("deploy", [app], { commit: "7777777" });
    expect([first.status, second.status, third.status]).toEqual(["BUILDING", "STOP_QUEUED", "DEPLOYMENT_QUEUED"]);
    await bench.wait(enough);
    expect(bench.path(app.id).filter((state) => state.endsWith("ED"))).toEqual([
      "DEPLOYMENT_QUEUED",
      "DEPLOYED",
      "STOP_QUEUED",
      "STOPPED",
      "DEPLOYMENT_QUEUED",
      "DEPLOYED",
    ]);
    expect([first.status, second.status, third.status]).toEqual(["DEPLOYED", "STOPPED", "DEPLOYED"]);
  });
});

describe("cancel", () => {
  it("drops a queued request and gives the state before back", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web", "STOPPED");
    const request = bench.order("deploy", [app]);
    expect(cancel(bench.sim, request)).toBe(true);
    expect([app.state, request.status, bench.environment.queue]).toEqual(["STOPPED", "CANCELED", []]);
    expect(cancel(bench.sim, request)).toBe(false);
  });

  it("leaves the work of the request before alone", async () => {
    const bench = platformBench();
    const app = bench.service("application", "web");
    bench.order("deploy", [app]);
    await bench.wait(5);
    const second = bench.order("deploy", [app], { commit: "2222222" });
    cancel(bench.sim, second);
    expect(app.state).toBe("BUILDING");
    await bench.wait(enough);
    expect([app.state, app.commit]).toEqual(["DEPLOYED", "abcdef1"]);
  });

  it("takes a request under way through CANCELING, what is done stays", async () => {
    const bench = platformBench();
    const database = bench.service("database", "db");
    const app = bench.service("application", "web");
    const request = bench.order("deploy", [database, app]);
    await bench.wait(33);
    expect([database.state, app.state]).toEqual(["DEPLOYED", "DEPLOYING"]);
    expect(cancel(bench.sim, request)).toBe(true);
    expect([app.state, request.status, cancel(bench.sim, request)]).toEqual(["CANCELING", "CANCELING", false]);
    await bench.wait(2);
    expect([database.state, app.state, request.status]).toEqual(["DEPLOYED", "CANCELED", "CANCELED"]);
  });
});
