import { describe, expect, it } from "vitest";

import { apiError } from "../../../test/support/engine/fake-platform.ts";
import {
  endOf,
  ID,
  RECORDED,
  resolved,
  type Script,
  scripted,
  type Scripted,
  STEPS,
} from "../../../test/support/engine/scripted.ts";
import { INTENT } from "../../api/names.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { parseJson, stringMember } from "../../kube/api/json.ts";
import type { PersistenceState } from "../context/persistence.ts";
import type { Goal, Step } from "../contract/kind.ts";
import { recordedIn } from "../contract/status.ts";
import type { Resolved } from "../status/reconciliation.ts";
import { execute } from "./execute.ts";

type Env = Omit<Scripted, "r"> & { readonly r: Resolved };

const SEEN = { all: undefined, own: undefined };

/** Returns a reconcile that is about to take a step. */
async function planned(script: Script = {}): Promise<Env> {
  const env = await scripted(script);
  return Object.assign(env, { r: await resolved(env) });
}

/** Takes a step. @returns how that ends: "done", "failed" with the failure, or the end of the reconcile */
async function take({ r }: Env, step: Step): Promise<string> {
  const done = await execute(r, SEEN, step);
  if ("error" in done) return `failed ${done.error.failure.is}`;
  return "is" in done ? endOf(done) : "done";
}

/** What is not stored yet, in words. */
function unstored({ unsent, answer, outcome }: PersistenceState): readonly string[] {
  return [
    ...unsent.map(() => "an unsent attempt"),
    ...(answer === undefined ? [] : [`the answer ${answer.id}`]),
    ...(outcome === undefined ? [] : [`the outcome ${outcome.closesIntent ? "with" : "without"} a closed intent`]),
  ];
}

type Arrange = (env: Env) => void;

const nothing: Arrange = () => {};
const lostLease: Arrange = (env) => {
  const leading = () => env.happened.length === 0;
  Object.assign(env.r.ports, { fence: { mayWrite: leading, leading } });
};
/** The lease is still this process's, and too short for a write. */
const shortLease: Arrange = (env) => {
  Object.assign(env.r.ports, { fence: { mayWrite: () => env.happened.length === 0, leading: () => true } });
};
/** The API server takes this long for each write. */
const slow =
  (ms: number): Arrange =>
  (env) => {
    env.afterWrite = () => env.clock.advance(ms);
  };
const repeating: Arrange = ({ r }) => {
  r.repeats = "deploy";
};

describe("a step that must not happen twice", () => {
  it.each<
    [
      what: string,
      step: Step,
      script: Script,
      arrange: Arrange,
      happened: readonly string[],
      end: string,
      unstored: readonly string[],
    ]
  >([
    [
      "is sent at the end of the send window",
      STEPS.create,
      {},
      slow(5_000),
      ["write intent", "send create", "write no intent, id"],
      "done",
      ["the outcome with a closed intent"],
    ],
    [
      "is not sent after the send window",
      STEPS.create,
      {},
      slow(5_001),
      ["write intent"],
      "waiting Progressing",
      ["an unsent attempt"],
    ],
    [
      "is not sent when the lease is lost while the intent is written",
      STEPS.create,
      {},
      lostLease,
      ["write intent"],
      "waiting Progressing",
      ["an unsent attempt"],
    ],
    [
      "that the platform certainly did not execute closes the intent of a create",
      STEPS.create,
      { answers: { create: apiError("create", { is: "Invalid" }, 422) } },
      nothing,
      ["write intent", "send create", "write no intent"],
      "failed Invalid",
      ["an unsent attempt"],
    ],
    [
      "that the platform certainly did not execute closes the intent of an action with the next status",
      STEPS.deploy,
      { ...RECORDED, answers: { deploy: apiError("deploy", { is: "Conflict" }, 409) } },
      nothing,
      ["write status with intent", "send deploy"],
      "failed Conflict",
      ["an unsent attempt", "the outcome with a closed intent"],
    ],
    [
      "that repeats another one keeps its intent where it was certainly not executed",
      STEPS.deploy,
      { ...RECORDED, answers: { deploy: apiError("deploy", { is: "Conflict" }, 409) } },
      repeating,
      ["write status with intent", "send deploy"],
      "failed Conflict",
      ["an unsent attempt"],
    ],
    [
      "whose outcome is unknown counts as sent, and keeps its intent",
      STEPS.create,
      { answers: { create: apiError("create", { is: "OutcomeUnknown" }, 504) } },
      nothing,
      ["write intent", "send create"],
      "failed OutcomeUnknown",
      [],
    ],
    [
      "that is answered without an id notes the answer in its intent, and has an unknown outcome",
      STEPS.create,
      { answers: { create: "" } },
      nothing,
      ["write intent", "send create", "write intent"],
      "failed OutcomeUnknown",
      [],
    ],
    [
      "that is carried out leaves an outcome for the next status",
      STEPS.deploy,
      RECORDED,
      nothing,
      ["write status with intent", "send deploy"],
      "done",
      ["the outcome with a closed intent"],
    ],
    [
      "that the platform does not show afterwards sets the started marker as soon as it is carried out",
      { ...STEPS.deploy, notObservableAfterwards: true },
      RECORDED,
      nothing,
      ["write status with intent", "send deploy", "write started"],
      "done",
      ["the outcome with a closed intent"],
    ],
    [
      "that the platform does not show afterwards sets no marker where it was certainly not executed",
      { ...STEPS.deploy, notObservableAfterwards: true },
      { ...RECORDED, answers: { deploy: apiError("deploy", { is: "Conflict" }, 409) } },
      nothing,
      ["write status with intent", "send deploy"],
      "failed Conflict",
      ["an unsent attempt", "the outcome with a closed intent"],
    ],
  ])("%s", async (_, step, script, arrange, happened, end, expected) => {
    const env = await planned(script);
    arrange(env);
    expect(await take(env, step)).toBe(end);
    expect(env.happened).toEqual(happened);
    expect(unstored(env.r.local.persistence.state)).toEqual(expected);
  });

  it.each<[what: string, arrange: Arrange, message: RegExp]>([
    ["a lost lease", lostLease, /holds the lease/],
    ["a lease that is not renewed in time", shortLease, /slow to renew the operator's lease/],
    ["a slow API server", slow(5_001), /API server was slow/],
  ])("tells %s from the other causes of a request that is not sent", async (_, arrange, message) => {
    const env = await planned();
    arrange(env);
    const done = await execute(env.r, SEEN, STEPS.create);
    expect("why" in done && done.why.message).toMatch(message);
  });

  it("is not sent when its intent cannot be stored, and the attempt may still be stored", async () => {
    const env = await planned();
    env.cluster.hooks.before = () => Promise.reject(new KubeError("Unreachable", 0, "no answer"));
    await expect(take(env, STEPS.create)).rejects.toThrow("no answer");
    expect(env.happened).toEqual([]);
    expect(unstored(env.r.local.persistence.state)).toEqual(["an unsent attempt"]);
  });

  it("keeps the answer to a create while the API server refuses its record", async () => {
    const env = await planned();
    env.cluster.hooks.before = async ({ what }) => {
      if (what === "outcome") await Promise.reject(new KubeError("Invalid", 422, "too long"));
    };
    await expect(Promise.race([take(env, STEPS.create), env.clock.advance(600_000)])).rejects.toThrow("too long");
    expect(unstored(env.r.local.persistence.state)).toEqual([`the answer ${ID}`]);
  });

  it("counts only the stored intent as unsent: the API server would refuse an earlier one", async () => {
    const env = await planned();
    env.r.local.persistence.noteAttempt("1-earlier", 0);
    lostLease(env);
    await take(env, STEPS.create);
    expect(unstored(env.r.local.persistence.state)).toEqual(["an unsent attempt"]);
  });

  it("ends the creation of an object that was gone", async () => {
    const env = await planned();
    env.r.local.recreates = true;
    await take(env, STEPS.create);
    expect(env.r.local.recreates).toBe(false);
  });

  it("names in its intent the attempt, the operation and the baseline, and marks a repetition", async () => {
    const env = await planned(RECORDED);
    repeating(env);
    await take(env, STEPS.deploy);
    expect(recordedIn(env.object() ?? {}, "intent")).toMatchObject({
      uid: env.r.object.metadata.uid,
      resource: "Widget/team/a",
      op: "deploy",
      creates: false,
      generation: 1,
      id: ID,
      commit: "c1",
      mark: 0,
      repetition: true,
    });
  });

  it("does not mark a step of another operation as the repetition", async () => {
    const env = await planned();
    repeating(env);
    await take(env, STEPS.create);
    const written = stringMember(env.cluster.writes[0]?.body, INTENT) ?? "";
    expect(parseJson(written)).not.toHaveProperty("repetition");
  });
});

describe("before a step is taken", () => {
  it.each<[what: string, step: Step]>([
    ["a create", STEPS.create],
    ["a repeatable step", STEPS.update],
  ])("without the lease, nothing is written or sent for %s", async (_, step) => {
    const env = await planned({ ports: { fence: { mayWrite: () => false, leading: () => false } } });
    expect(await take(env, step)).toBe("waiting Progressing");
    expect(env.happened).toEqual([]);
  });

  it("a repeatable step is not sent when the lease is lost while the API server confirms the object", async () => {
    const env = await planned(RECORDED);
    Object.assign(env.r.ports, { fence: { mayWrite: () => !env.happened.includes("confirm"), leading: () => true } });
    expect(await take(env, STEPS.update)).toBe("waiting Progressing");
    expect(env.happened).toEqual(["confirm"]);
  });

  it("a spec that changed within the reconcile ends it", async () => {
    const env = await planned(RECORDED);
    env.r.object = { ...env.r.object, metadata: { ...env.r.object.metadata, generation: 2 } };
    await expect(take(env, STEPS.update)).rejects.toMatchObject({ failure: "Conflict" });
    expect(env.happened).toEqual([]);
  });

  it("a rate gate that has no place writes no intent", async () => {
    const env = await planned();
    const refuse = () => Promise.reject(apiError("reserve", { is: "RateLimited", retryAfterMs: 4_000 }, 0));
    Object.assign(env.r.connection.api, { reserve: refuse });
    expect(await take(env, STEPS.create)).toBe("failed RateLimited");
    expect(env.happened).toEqual([]);
  });

  it("a connection that was edited while the step waited for a place begins the reconcile again", async () => {
    const env = await planned();
    Object.assign(env.r.ports.connections, { last: () => undefined });
    expect(await take(env, STEPS.create)).toBe("deferred");
    expect(env.happened).toEqual([]);
  });
});

it.each<[what: string, step: Step, goal: Goal, isNoted: boolean]>([
  [
    "of a deletion that the platform accepted, one list without the object proves that it is gone",
    STEPS.delete,
    "absent",
    true,
  ],
  ["of a stop under deletionPolicy Stop, one list without the object proves nothing", STEPS.stop, "stopped", false],
])("after the request %s", async (_, step, goal, isNoted) => {
  const env = await scripted(RECORDED);
  await take({ ...env, r: await resolved(env, goal) }, step);
  expect(env.r.local.reads.listHistory?.deleted ?? false).toBe(isNoted);
});

it.each<[title: string, status: Script["status"], happened: readonly string[]]>([
  ["that begins is written to the status, which confirms the object", {}, ["write status", "send delete"]],
  [
    "that failed before is confirmed by a read, and the status keeps the failure",
    { conditions: [{ type: "Synced", status: "False", reason: "PermissionDenied", message: "No." }] },
    ["confirm", "send delete"],
  ],
])("a deletion %s", async (_title, status, happened) => {
  const env = await scripted({ ...RECORDED, status: { ...RECORDED.status, ...status } });
  const r = await resolved(env, "absent");
  expect(await take({ ...env, r }, { ...STEPS.delete, message: "The platform deletes it." })).toBe("done");
  expect(env.happened).toEqual(happened);
});

describe("while the limit of mass changes holds", () => {
  it.each<[what: string, step: Step, script: Script, end: string]>([
    ["a step that no user caused waits", STEPS.update, RECORDED, "held ConnectionNotReady"],
    ["a scheduled step is taken", { ...STEPS.stop, scheduled: true }, RECORDED, "done"],
    ["a step that follows a change of a Secret is taken", { ...STEPS.update, follows: true }, RECORDED, "done"],
    [
      "a step of a new generation is taken",
      STEPS.update,
      { ...RECORDED, status: { ...RECORDED.status, appliedGeneration: 0 } },
      "done",
    ],
    [
      "a step of a requested reconcile is taken",
      STEPS.update,
      {
        ...RECORDED,
        meta: {
          annotations: { ...RECORDED.meta.annotations, "platform-operator.io/reconcile-requested-at": "now" },
        },
      },
      "done",
    ],
  ])("%s", async (_, step, script, end) => {
    const env = await planned(script);
    env.r.connection.massChangeLimit.hold(env.clock.now());
    expect(await take(env, step)).toBe(end);
  });

  it("a deletion goes on", async () => {
    const env = await scripted(RECORDED);
    const r = await resolved(env, "absent");
    r.connection.massChangeLimit.hold(env.clock.now());
    expect(await take({ ...env, r }, STEPS.delete)).toBe("done");
  });
});
