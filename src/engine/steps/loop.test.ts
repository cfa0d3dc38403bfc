import { describe, expect, it } from "vitest";

import { apiError } from "../../../test/support/engine/fake-platform.ts";
import { aCondition, aStatus } from "../../../test/support/engine/objects.ts";
import {
  endOf,
  ID,
  READY,
  RECORDED,
  resolved,
  type Script,
  scripted,
  SETTLED,
  step,
  STEPS,
  WORKING,
} from "../../../test/support/engine/scripted.ts";
import { ACTION_STARTED } from "../../api/names.ts";
import type { ApiFailure } from "../../platform/transport/errors.ts";
import { runSteps } from "./loop.ts";

async function reconcile(script: Script) {
  const env = await scripted(script);
  const r = await resolved(env);
  const result = await runSteps(r);
  return { ...env, r, result, end: endOf(result) };
}

type Row = readonly [what: string, script: Script, happened: readonly string[], end: string];

const GONE = { reason: "ExternalResourceDeleted", message: "It is gone." } as const;

describe("one reconcile", () => {
  it.each<Row>([
    ["ends with a plan that has no step", RECORDED, ["read"], "settled Available"],
    [
      "ends with a plan that waits for the platform",
      { ...RECORDED, plans: [{ is: "waiting", why: WORKING }] },
      ["read"],
      "waiting Deploying",
    ],
    [
      "ends with a plan that needs a person",
      { ...RECORDED, plans: [{ is: "stalled", why: GONE }] },
      ["read"],
      "stalled ExternalResourceDeleted",
    ],
    [
      "ends with a plan that cannot observe the object",
      { ...RECORDED, plans: [{ is: "unknown", why: { reason: "UnknownState", message: "An odd state." } }] },
      ["read"],
      "unknown UnknownState",
    ],
    [
      "sends a repeatable step once the API server confirmed the object, and plans again without another read",
      { ...RECORDED, plans: [step(STEPS.update), SETTLED] },
      ["read", "confirm", "send update"],
      "settled Available",
    ],
    [
      "stores the intent of a create before it is sent, and the id instead of the intent after it",
      { plans: [step(STEPS.create), SETTLED] },
      ["read", "write intent", "send create", "write no intent, id"],
      "settled Available",
    ],
    [
      "sets the finalizer together with the intent of a create, where a deletion will have something to do",
      { spec: { lifecycle: { deletionPolicy: "Delete" } }, plans: [step(STEPS.create), SETTLED] },
      ["read", "write intent, finalizer", "send create", "write no intent, id"],
      "settled Available",
    ],
    [
      "stores the intent of an action in the status before it is sent",
      { ...RECORDED, plans: [step(STEPS.deploy), SETTLED] },
      ["read", "write status with intent", "send deploy"],
      "settled Available",
    ],
    [
      "takes several steps in the order of the plans",
      { plans: [step(STEPS.create), step(STEPS.update), step(STEPS.deploy), SETTLED] },
      [
        "read",
        "write intent",
        "send create",
        "write no intent, id",
        "send update",
        "write status with intent",
        "send deploy",
      ],
      "settled Available",
    ],
    [
      "records an adopted object without a request, and reads it again",
      { plans: [{ is: "adopt", id: ID }, SETTLED] },
      ["read", "write id", "read"],
      "settled Available",
    ],
    [
      "forgets an object that is gone, and leaves its creation to the next reconcile",
      { ...RECORDED, plans: [{ is: "forget", why: GONE }] },
      ["read", "write no id", "write status"],
      "waiting Creating",
    ],
    [
      "does not forget an id that the user gave",
      { ...RECORDED, spec: { externalId: ID }, plans: [{ is: "forget", why: GONE }] },
      ["read"],
      "stalled ExternalResourceDeleted",
    ],
    ["restores the backup of the id first", { status: RECORDED.status }, ["write id", "read"], "settled Available"],
  ])("%s", async (_, script, expected, expectedEnd) => {
    const { happened, end } = await reconcile(script);
    expect(happened).toEqual(expected);
    expect(end).toBe(expectedEnd);
  });

  it("yields to other objects after eight requests, and goes on at once", async () => {
    const { happened, result } = await reconcile({ ...RECORDED, plans: [step(STEPS.update)] });
    expect(happened.filter((one) => one === "send update")).toHaveLength(8);
    expect(result).toMatchObject({ is: "waiting", why: { reason: "Progressing" }, again: 0 });
  });

  it("yields for longer where the platform does not keep what is written, reconcile after reconcile", async () => {
    const env = await scripted({ ...RECORDED, plans: [step(STEPS.update)] });
    env.r.local.waiting.streak = { reason: "Progressing", times: 8 };
    expect(await runSteps(await resolved(env))).toMatchObject({ is: "waiting", again: undefined });
  });

  it("plans again on a new read when another resource wrote to the object meanwhile", async () => {
    const env = await scripted({ ...RECORDED, plans: [step(STEPS.update), SETTLED] });
    const r = await resolved(env);
    const writer = { ...r.object, kind: "Other", metadata: { ...r.object.metadata, name: "writer" } };
    r.ports.externalWrites.note(writer, [{ id: ID, writtenAt: "2026-11-21T09:00:00Z" }], r.recordedIdentity);
    await runSteps(r);
    expect(env.happened).toEqual(["read", "read", "confirm", "send update"]);
    expect(r.context.records.writtenAt).toBe("2026-11-21T09:00:00Z");
  });
});

const failing = (op: string, failure: ApiFailure, status: number): Script => ({
  ...(op === "create" ? {} : RECORDED),
  plans: [step(STEPS[op as "create" | "update" | "deploy"]), SETTLED],
  answers: { [op]: apiError(op, failure, status) },
});

const LOST = { is: "OutcomeUnknown" } as const;

describe("the started marker", () => {
  const report = () => ({ ready: READY, conditions: [], status: {}, notObservableAfterwards: true });

  it("is set again where it is missing and the memory records an action that the platform does not show", async () => {
    const env = await scripted({ ...RECORDED, kind: { report } });
    await runSteps(await resolved(env));
    expect(env.happened).toEqual(["read", "write started"]);
  });

  it("is not written again while the object has it", async () => {
    const annotations = { ...RECORDED.meta.annotations, [ACTION_STARTED]: "uid-of-a-backup team/a" };
    const env = await scripted({ ...RECORDED, meta: { annotations }, kind: { report } });
    await runSteps(await resolved(env));
    expect(env.happened).toEqual(["read"]);
  });
});

describe("after a failed exchange", () => {
  it.each<Row>([
    [
      "a read is tried again",
      { ...RECORDED, unread: apiError("get", { is: "Server" }, 503) },
      ["read"],
      "retry PlatformUnavailable",
    ],
    [
      "a create that was certainly not executed closes its intent",
      failing("create", { is: "Invalid" }, 422),
      ["read", "write intent", "send create", "write no intent"],
      "stalled InvalidSpec",
    ],
    [
      "a create that may have been executed keeps its intent",
      failing("create", LOST, 504),
      ["read", "write intent", "send create"],
      "waiting Creating",
    ],
    [
      "an action that may have been executed keeps its intent",
      failing("deploy", LOST, 504),
      ["read", "write status with intent", "send deploy"],
      "waiting Progressing",
    ],
    [
      "an action that the platform does not take now is tried again",
      failing("deploy", { is: "Conflict" }, 409),
      ["read", "write status with intent", "send deploy"],
      "retry Queued",
    ],
    [
      "a forbidden write needs a person",
      failing("update", { is: "Forbidden" }, 403),
      ["read", "confirm", "send update"],
      "stalled PermissionDenied",
    ],
    [
      "a write beyond the rate is deferred",
      failing("update", { is: "RateLimited", retryAfterMs: 4_000 }, 429),
      ["read", "confirm", "send update"],
      "deferred",
    ],
    [
      "an operation that the platform lacks is left out of the plan",
      {
        ...failing("update", { is: "NotSupported" }, 405),
        plans: [({ policies }) => (policies.blockedOperations.has("update") ? SETTLED : step(STEPS.update))],
      },
      ["read", "confirm", "send update"],
      "stalled NotSupportedByPlatform",
    ],
    [
      "a 404 about an object that a new read shows counts as such an operation",
      {
        ...failing("update", { is: "NotFound" }, 404),
        plans: [({ policies }) => (policies.blockedOperations.has("update") ? SETTLED : step(STEPS.update))],
        kind: { shows: () => true },
      },
      ["read", "confirm", "send update", "read"],
      "stalled NotSupportedByPlatform",
    ],
  ])("%s", async (_, script, expected, expectedEnd) => {
    const { happened, end } = await reconcile(script);
    expect(happened).toEqual(expected);
    expect(end).toBe(expectedEnd);
  });

  it.each<[what: string, failure: ApiFailure, status: number, sent: number]>([
    ["that was rejected for good is not sent again", { is: "Invalid" }, 422, 1],
    ["that was forbidden is sent again: a token can get a scope without notice", { is: "Forbidden" }, 403, 2],
  ])("a step %s by the next reconcile", async (_, failure, status, sent) => {
    const env = await scripted(failing("update", failure, status));
    env.r.local.failures.count = 9;
    await runSteps(await resolved(env));
    const again = await scripted({ ...failing("update", failure, status) });
    Object.assign(again.r, { local: env.r.local });
    await runSteps(await resolved(again));
    expect([...env.happened, ...again.happened].filter((one) => one === "send update")).toHaveLength(sent);
  });
});

describe("an error that the connection may have caused", () => {
  const settledAt = {
    ...RECORDED,
    status: aStatus([aCondition("Ready", "True", "Available", { observedGeneration: 1 })], RECORDED.status),
    unread: apiError("get", { is: "Server" }, 503),
  };

  it.each<[what: string, script: Script, probedAt: number | undefined, end: string]>([
    ["is held back for a settled object until a probe has ended", settledAt, undefined, "held PlatformUnavailable"],
    ["is held back where the last probe is older than the first failure", settledAt, 10, "held PlatformUnavailable"],
    ["is reported where a probe has ended since the first failure", settledAt, 11, "retry PlatformUnavailable"],
    [
      "is reported at once for an object that is not settled",
      { ...settledAt, status: RECORDED.status },
      undefined,
      "retry PlatformUnavailable",
    ],
  ])("%s", async (_, script, probedAt, end) => {
    const env = await scripted(script);
    const r = await resolved(env);
    r.local.failures.count = 1;
    r.local.failures.since = 10;
    r.connection.probedAt = probedAt;
    await env.clock.advance(20);
    expect(endOf(await runSteps(r))).toBe(end);
    expect(r.local.failures.since).toBe(10);
  });

  it("requests a probe", async () => {
    const env = await scripted(settledAt);
    const r = await resolved(env);
    r.connection.nextProbeAt = Infinity;
    await runSteps(r);
    expect(r.connection.nextProbeAt).toBeLessThan(Infinity);
  });
});

it("an object that was denied a request is reconciled as soon as the token changes", async () => {
  const env = await scripted(failing("update", { is: "Forbidden" }, 403));
  const r = await resolved(env);
  await runSteps(r);
  expect([...r.connection.denied]).toEqual(["Widget/team/a"]);
});

it("an object that is gone is not created again while the limit of mass changes holds", async () => {
  const env = await scripted({ ...RECORDED, plans: [{ is: "forget", why: GONE }] });
  const r = await resolved(env);
  r.connection.massChangeLimit.hold(env.clock.now());
  expect(endOf(await runSteps(r))).toBe("waiting ConnectionNotReady");
  expect(env.happened).toEqual(["read"]);
});

it.each<[what: string, plan: NonNullable<Script["plans"]>[number], isFollowed: boolean]>([
  ["goes on while the plan waits for the platform", { is: "waiting", why: WORKING }, true],
  ["ends with a plan that does not wait", SETTLED, false],
])("the time of the platform's work %s", async (_, plan, isFollowed) => {
  const env = await scripted({ ...RECORDED, plans: [plan] });
  env.r.local.waiting.work = { message: WORKING.message, since: 0 };
  await runSteps(await resolved(env));
  expect(env.r.local.waiting.work !== undefined).toBe(isFollowed);
});
