import { describe, expect, it } from "vitest";

import type { OpenIntent } from "../../src/engine/contract/kind.ts";
import { database } from "../../src/kinds/database/index.ts";
import { databaseEnv } from "../support/services/database-runner.ts";

describe("a database whose state the surface does not show", () => {
  const env = databaseEnv("Documented");
  const reads = (): number => env.harness.simulator.journal().filter((entry) => entry.is === "call").length;

  it("has a Secret with ids and names, and is not read for it", async () => {
    const ref = { writeConnectionSecretToRef: { name: "main" } };
    const runner = await env.deployed(ref);
    const before = reads();
    const { report, status } = await runner.run({ spec: env.spec({ ...ref, lifecycle: { driftPolicy: "Report" } }) });
    const data = {
      id: runner.id(),
      name: env.harness.service(runner.id()).name,
      environmentId: env.environmentId,
      environment: "staging",
    };
    expect(report.secret).toMatchObject({ name: "main", data });
    expect(Object.keys(report.secret?.data ?? {})).toEqual(Object.keys(data));
    expect(reads()).toBe(before);
    expect(JSON.stringify(status)).not.toContain('"data"');
    expect((await runner.run()).report.secret).toBeUndefined();
  });

  it.each([
    ["gives no request id", () => env.harness.change({ nullRequestIds: true })],
    [
      "answers without a body",
      () => env.harness.fault({ match: { operation: "deployDatabase" }, effect: "applied", answer: { is: "empty" } }),
    ],
  ])("is not observable when the platform %s, and is not asked for ever after", async (_name, set) => {
    set();
    const runner = env.applied();
    const first = await runner.run();
    expect(first).toMatchObject({
      ops: ["createDatabase", "deployDatabase"],
      is: "settled",
      why: { reason: "NotObservable" },
    });
    expect(first.report.conditions).toMatchObject([{ type: "Deployed", status: "Unknown", reason: "NotObservable" }]);
    expect(first.status).not.toHaveProperty("state");
    const before = reads();
    env.harness.pass(600);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", wrote: false });
    expect(reads()).toBe(before);
  });

  it("is ordered to stop and to run again all the same, once each", async () => {
    env.harness.change({ nullRequestIds: true });
    const runner = env.applied();
    await runner.run();
    env.harness.pass(120);
    const stop = await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    expect(stop).toMatchObject({ ops: ["stopDatabase"], is: "settled", why: { reason: "NotObservable" } });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "NotObservable" },
    });
    env.harness.pass(120);
    const start = await runner.run({ spec: env.spec() });
    expect(start).toMatchObject({ ops: ["deployDatabase"], is: "settled", why: { reason: "NotObservable" } });
    expect(await runner.run({ requested: "look" })).toMatchObject({ ops: ["deployDatabase"], is: "settled" });
    expect(await runner.run({ requested: "look" })).toMatchObject({ ops: [], is: "settled" });
    env.harness.pass(120);
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: ["stopDatabase"], is: "stalled" });
  });

  it("is found to be stopped already, and stays at that", async () => {
    const runner = await env.deployed();
    await env.harness.api.databases.stop(runner.id() ?? "");
    env.harness.pass(120);
    const stop = await runner.run({ spec: env.spec({ runState: "Stopped" }) });
    expect(stop).toMatchObject({ is: "settled", why: { reason: "Stopped" }, status: { state: "STOPPED" } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Stopped" }, wrote: false });
    expect(await runner.run({ goal: "stopped" })).toMatchObject({ ops: [], is: "settled" });
    const start = await runner.run({ spec: env.spec() });
    expect(start).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
  });

  it("is seen again with the next order that has a request id", async () => {
    env.harness.change({ nullRequestIds: true });
    const runner = env.applied();
    await runner.run();
    env.harness.change({ nullRequestIds: false });
    env.harness.pass(120);
    expect(await runner.run({ requested: "again" })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run({ requested: "again" })).toMatchObject({
      ops: [],
      is: "settled",
      why: { reason: "Available" },
    });
  });

  it("is looked for a while when the platform does not know the request yet", async () => {
    const runner = env.applied();
    await runner.run();
    const unknown = { match: { operation: "getDeploymentStatusByRequest" }, count: null } as const;
    env.harness.fault({ ...unknown, answer: { is: "status", status: 404 } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "waiting" });
    const last = runner.status()["lastDeployment"] as { readonly [key: string]: string };
    runner.lose({ ...runner.status(), lastDeployment: { ...last, startedAt: "2026-11-21T09:00:00.000Z" } });
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "NotObservable" } });
    env.harness.simulator.sim.faults.clear();
    env.harness.pass(120);
    expect(await runner.run()).toMatchObject({ ops: [], is: "settled", why: { reason: "Available" } });
  });

  it("is taken over by its id where the connection lets it, and left as it is until somebody asks", async () => {
    const externalId = await env.foreign();
    const runner = env.applied({ externalId });
    expect(await runner.run({ allowUnverifiedIds: false })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "NotObservable" },
    });
    expect(await runner.run()).toMatchObject({
      ops: ["adopt"],
      is: "settled",
      why: { reason: "NotObservable" },
    });
    expect(await runner.run()).toMatchObject({ ops: [], wrote: false });
    expect(await runner.run({ requested: "now" })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
    env.harness.pass(120);
    expect(await runner.run({ requested: "now" })).toMatchObject({
      ops: [],
      is: "settled",
      why: { reason: "Available" },
    });
  });

  it("is deployed when all that is known of it is that we made it", async () => {
    const runner = env.applied({ runState: "Stopped" });
    await runner.run();
    runner.lose({ externalId: runner.id() ?? "" });
    expect(await runner.run({ spec: env.spec() })).toMatchObject({ ops: ["deployDatabase"], is: "waiting" });
  });

  it("cannot be changed or deleted, and says so", async () => {
    const runner = await env.deployed({ storage: 10 });
    const change = await runner.run({ spec: env.spec({ version: "17", storage: 20 }) });
    expect(change).toMatchObject({ ops: [], is: "stalled", why: { reason: "UpdateNotSupported" } });
    expect(change.why.message).toContain("spec.storage, spec.version");
    expect(await runner.run({ spec: env.spec({ storage: 10 }) })).toMatchObject({ ops: [], is: "settled" });
    expect(await runner.run({ goal: "absent" })).toMatchObject({
      ops: [],
      is: "stalled",
      why: { reason: "DeleteNotSupported" },
    });
  });

  it("cannot be traced: an order that nobody confirmed is given again on request only", async () => {
    const runner = await env.deployed();
    const intent: OpenIntent = {
      op: "stopDatabase",
      creates: false,
      parentId: env.environmentId,
      name: undefined,
      id: runner.id(),
      commit: undefined,
      mark: null,
    };
    expect(await database.trace(intent, runner.pass(), env.harness.api)).toMatchObject({
      is: "unknowable",
      why: { reason: "NotObservable" },
    });
    expect(await database.trace(intent, runner.pass({ requested: "again" }), env.harness.api)).toEqual({
      is: "absent",
    });
    const create = { ...intent, creates: true, op: "createDatabase", name: "main" };
    expect(await database.trace(create, runner.pass(), env.harness.api)).toMatchObject({
      is: "unknowable",
      why: { reason: "CreateResultUnknown" },
    });
  });
});
