import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { aCondition, anObject, aStatus, SETTLED, WORKING } from "../../../test/support/engine/objects.ts";
import { anyText } from "../../../test/support/hostile/values.ts";
import type { Json, JsonObject } from "../../kube/api/types.ts";
import type { Report } from "../contract/kind.ts";
import { conditionsOf } from "../contract/status.ts";
import { buildStatus, type ReconcileOutcome } from "./build.ts";
import type { ReconcileResult, Exchange } from "./outcome.ts";

const NOW = new Date("2026-11-21T10:00:00.789Z");
const EXCHANGES: readonly Exchange[] = ["ok", "failed", "none"];
const AVAILABLE = { reason: "Available", message: "It is there." } as const;
const QUEUED = { reason: "Queued", message: "It waits." } as const;
const ODD = { reason: "UnknownState", message: "?" } as const;
const INVALID = { reason: "InvalidSpec", message: "It is wrong." } as const;

const SETTLES: ReconcileResult = { is: "settled", why: AVAILABLE };
const RETRIES: ReconcileResult = { is: "retry", why: QUEUED };
const PAUSES: ReconcileResult = { is: "paused" };
const waits = (exchange: Exchange): ReconcileResult => ({ is: "waiting", why: QUEUED, exchange });
const stalls = (exchange: Exchange): ReconcileResult => ({ is: "stalled", why: INVALID, exchange });
const held = (stale: boolean): ReconcileResult => ({ is: "held", why: QUEUED, stale });
const unknown = (keepsReady: boolean): ReconcileResult => ({ is: "unknown", why: ODD, keepsReady });

const RESOURCE = { lifecycle: "Managed", recorded: ["sent"] } as const;

type More = Partial<ReconcileOutcome>;

function outcome(status: Json | undefined, result: ReconcileResult, more: More = {}): ReconcileOutcome {
  const object = anObject(status === undefined ? {} : { status });
  const resolved = { id: undefined, recordedIdentity: undefined, isListed: false, policyStatus: undefined, memory: {} };
  const ended = { report: undefined, intent: undefined, handled: undefined };
  return { object, result, resource: RESOURCE, ...resolved, ...ended, now: NOW, ...more };
}

function told(status: Json | undefined, result: ReconcileResult, more: More = {}): readonly string[] {
  const composed = buildStatus(outcome(status, result, more));
  return conditionsOf({ status: composed }).map(({ type, status, reason }) => `${type}=${status}/${reason}`);
}

const DEPLOYED = { type: "Deployed", status: "True", reason: "DEPLOYED", message: "As the platform says." } as const;
const REPORT: Report = { ready: AVAILABLE, conditions: [DEPLOYED], status: { state: "DEPLOYED" }, drift: [] };

const READY = "Ready=True/Available";
const OK = "Synced=True/ReconcileSuccess";
const QUEUING = "Ready=False/Queued";
const UNSYNCED = "Synced=False/Queued";
const UNTRIED = "Synced=Unknown/Progressing";
const PROGRESSING = "Reconciling=True/Progressing";
const WRONG = "Ready=False/InvalidSpec";
const STALLED = "Stalled=True/InvalidSpec";
const PAUSED = "Synced=False/ReconcilePaused";

describe("a condition that compares the spec with the platform", () => {
  const upToDate = (generation: number) =>
    aStatus([{ ...aCondition("UpToDate", "True", "UpToDate"), observedGeneration: generation }]);

  it.each([
    ["is kept while nothing new was observed", 2, "UpToDate=True/UpToDate"],
    ["is Unknown while a newer spec was not compared", 1, "UpToDate=Unknown/Progressing"],
  ])("%s", (_, generation, expected) => {
    expect(told(upToDate(generation), RETRIES)).toContain(expected);
  });
});

describe("conditions of a result", () => {
  const failed = aStatus([aCondition("Ready", "False", "InvalidSpec"), aCondition("Stalled", "True", "InvalidSpec")]);

  it.each<[string, Json | undefined, ReconcileResult, readonly string[]]>([
    ["settled, new", undefined, SETTLES, [READY, OK]],
    ["settled, before", WORKING, SETTLES, [READY, OK]],
    ["waiting after an exchange, settled before", SETTLED, waits("ok"), [QUEUING, OK, PROGRESSING]],
    ["waiting without an exchange, new", undefined, waits("none"), [QUEUING, UNTRIED, PROGRESSING]],
    ["waiting after a failed exchange", WORKING, waits("failed"), [QUEUING, UNSYNCED, PROGRESSING]],
    ["unknown, settled before", SETTLED, unknown(true), [READY, OK]],
    ["unknown for long", SETTLED, unknown(false), ["Ready=Unknown/UnknownState", OK]],
    ["stalled by an answer, settled before", SETTLED, stalls("failed"), [WRONG, "Synced=False/InvalidSpec", STALLED]],
    ["stalled without an exchange, working before", WORKING, stalls("none"), [WRONG, OK, STALLED]],
    ["retry, settled before", SETTLED, RETRIES, [READY, UNSYNCED]],
    ["retry, new", undefined, RETRIES, [QUEUING, UNSYNCED, PROGRESSING]],
    ["held, settled before", SETTLED, held(false), [READY, OK]],
    ["held and stale, settled before", SETTLED, held(true), [READY, UNSYNCED]],
    ["held, working before", WORKING, held(false), [QUEUING, OK, PROGRESSING]],
    ["held, new", undefined, held(false), [QUEUING, UNTRIED, PROGRESSING]],
    ["paused, settled before", SETTLED, PAUSES, [READY, PAUSED]],
    ["paused, new", undefined, PAUSES, ["Ready=False/ReconcilePaused", PAUSED]],
    ["paused, stalled before", failed, PAUSES, [WRONG, PAUSED, STALLED]],
    ["paused, working before", WORKING, PAUSES, ["Ready=False/Deploying", PAUSED]],
  ])("%s", (_, status, result, expected) => {
    expect(told(status, result)).toEqual(expected);
  });

  it("with Ready of an older generation report pending work, not a settled object", () => {
    const old = aStatus([aCondition("Ready", "True", "Available", { observedGeneration: 1 })]);
    expect(told(old, held(true))).toContain(QUEUING);
  });
});

describe("observedGeneration", () => {
  const old = aStatus([aCondition("Ready", "True", "Available", { observedGeneration: 1 })], { observedGeneration: 1 });
  it.each<[string, Json | undefined, ReconcileResult, number]>([
    ["of what was evaluated is the object's", old, SETTLES, 2],
    ["of what is wrong is the object's", old, stalls("none"), 2],
    ["of what waits is the object's", old, waits("none"), 2],
    ["of what is held with work pending is the object's", old, held(true), 2],
    ["of what is held and settled stays", SETTLED, held(true), 2],
    ["of what is paused stays", old, PAUSES, 1],
    ["of an object that is paused before its first reconcile is -1", undefined, PAUSES, -1],
  ])("%s", (_, status, result, expected) => {
    expect(buildStatus(outcome(status, result))).toMatchObject({ observedGeneration: expected });
  });

  it("of a kept condition is the generation that it was evaluated for", () => {
    const kept = aStatus([aCondition("Deployed", "True", "DEPLOYED", { observedGeneration: 1 })]);
    const composed = buildStatus(outcome(kept, RETRIES));
    expect(conditionsOf({ status: composed }).find(({ type }) => type === "Deployed")?.observedGeneration).toBe(1);
  });
});

it("lastTransitionTime changes with the status, in whole seconds, and with nothing else", () => {
  const composed = buildStatus(outcome(SETTLED, RETRIES));
  const times = conditionsOf({ status: composed }).map(
    ({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`,
  );
  expect(times).toEqual(["Ready 2026-11-21T09:00:00Z", "Synced 2026-11-21T10:00:00Z"]);
  const other = buildStatus(outcome(WORKING, waits("ok")));
  expect(new Set(conditionsOf({ status: other }).map(({ lastTransitionTime }) => lastTransitionTime)).size).toBe(1);
});

describe("messages", () => {
  it.each([
    ["stalled", stalls("failed"), ["Ready", "Stalled"]],
    ["waiting", waits("failed"), ["Ready", "Reconciling"]],
    ["tried again", RETRIES, ["Ready", "Reconciling"]],
  ])("of a failed exchange are not repeated by Synced: %s", (_, result, types) => {
    const composed = conditionsOf({ status: buildStatus(outcome(WORKING, result)) });
    const message = composed.find(({ type }) => type === "Ready")?.message;
    expect(composed.filter((condition) => condition.message === message).map(({ type }) => type)).toEqual(types);
    expect(composed.find(({ type }) => type === "Synced")?.message).toBe("The last exchange with the platform failed.");
  });

  it("of a failed exchange of a settled object are those of Synced, as Ready stays", () => {
    const composed = conditionsOf({ status: buildStatus(outcome(SETTLED, RETRIES)) });
    expect(composed.find(({ type }) => type === "Synced")?.message).toBe("It waits.");
  });

  it("[E13] are one line without characters that turn a terminal or a text", () => {
    const shows = (text: string): boolean => {
      const drift = [{ path: "spec.name", desired: "a", observed: `a\u001b[31m\nb\u202e${text}` }];
      const composed = buildStatus(outcome(undefined, RETRIES, { report: { ...REPORT, drift } }));
      return conditionsOf({ status: composed }).some(({ message }) => /[\p{Cc}\u2028\u202e]/u.test(message));
    };
    fc.assert(fc.property(anyText(), (text) => !shows(text)));
  });

  it("are cut to 1,024 characters, never within one", () => {
    const message = `${"x".repeat(1_022)}😀${"y".repeat(100)}`;
    const composed = buildStatus(outcome(undefined, { is: "retry", why: { reason: "Queued", message } }));
    const shown = conditionsOf({ status: composed }).find(({ type }) => type === "Ready")?.message ?? "";
    expect(shown).toMatch(/x…$/);
    expect(shown.length).toBeLessThanOrEqual(1_024);
    expect(shown.isWellFormed()).toBe(true);
  });

  it("of an outage are the first ones while the reason stays", () => {
    const reason = "PlatformUnavailable";
    const down = (message: string): ReconcileResult => ({ is: "retry", why: { reason, message } });
    const first = buildStatus(outcome(undefined, down("with 503")));
    expect(buildStatus(outcome(first, down("with 502")))).toEqual(first);
    const queued = buildStatus(outcome(first, RETRIES));
    expect(JSON.stringify(queued)).not.toContain("503");
  });
});

describe("facts", () => {
  it("of a report replace the stored ones; without a report these stay", () => {
    const conditions = [aCondition("Deployed", "False", "BUILDING"), aCondition("Drifted", "True", "DriftDetected")];
    const before = aStatus(conditions, { state: "BUILDING", gone: 1, drift: { fields: [] } });
    const kept = buildStatus(outcome(before, RETRIES));
    expect(kept).toMatchObject({ state: "BUILDING", gone: 1, drift: { fields: [] } });
    expect(told(before, RETRIES)).toContain("Drifted=True/DriftDetected");
    const fresh = buildStatus(outcome(before, SETTLES, { report: REPORT }));
    expect(fresh).toMatchObject({ state: "DEPLOYED" });
    expect(fresh).not.toHaveProperty("gone");
    expect(fresh).not.toHaveProperty("drift");
    const facts = ["Deployed=True/DEPLOYED", "Drifted=False/NoDrift"];
    expect(told(before, SETTLES, { report: REPORT })).toEqual([READY, OK, ...facts]);
  });

  it("list at most 20 differences and name five", () => {
    const drift = Array.from({ length: 25 }, (_, index) => ({ path: `spec.f${index}`, desired: "a", observed: "b" }));
    const composed = buildStatus(outcome(undefined, SETTLES, { report: { ...REPORT, drift } }));
    expect(composed).toMatchObject({ drift: { fields: drift.slice(0, 20) } });
    const message = conditionsOf({ status: composed }).find(({ type }) => type === "Drifted")?.message;
    expect(message).toContain("spec.f4 is b instead of a, and 20 more.");
  });

  it.each([
    ["Drifted is Unknown for an object that the resource describes", "Managed", ["Drifted=Unknown/NotObservable"]],
    ["Drifted is absent where the spec may want nothing", "Independent", []],
  ] as const)("that cannot be compared are no drift: %s", (_, lifecycle, expected) => {
    const { drift: _drift, ...report } = REPORT;
    const facts = told(SETTLED, SETTLES, { report, resource: { ...RESOURCE, lifecycle } });
    expect(facts.filter((text) => text.startsWith("Drifted"))).toEqual(expected);
  });

  it.each<[what: string, report: Report | undefined]>([
    ["a reconcile that observed", REPORT],
    ["one that did not", undefined],
  ])("have what only the operator reads in the write ledger alone: %s", (_, report) => {
    const before = { ...SETTLED, writeLedger: { sent: "old" } };
    const recordedIdentity = { connectionUid: "uid", host: "h", organizationId: "org", installation: "here" };
    const memory = { ...(report !== undefined && { sent: "new" }), commit: "c1" };
    const built = buildStatus(outcome(before, SETTLES, { report, memory, recordedIdentity, isListed: true }));
    const sent = report === undefined ? "old" : "new";
    expect(built).toMatchObject({
      commit: "c1",
      writeLedger: { sent, identity: { ...recordedIdentity, listed: true } },
    });
    expect(Object.keys(built)).not.toEqual(expect.arrayContaining(["sent"]));
  });

  it("have no write ledger while nothing is recorded", () => {
    expect(buildStatus(outcome(undefined, RETRIES))).not.toHaveProperty("writeLedger");
  });

  it("keep an intent that cannot be read, and a token that was handled", () => {
    const kept = { writeLedger: { intent: { v: 9 } }, lastHandledReconcileAt: "t1" };
    const before = { ...SETTLED, ...kept };
    expect(buildStatus(outcome(before, PAUSES))).toMatchObject(kept);
    expect(buildStatus(outcome(before, PAUSES, { handled: "t2" }))).toMatchObject({ lastHandledReconcileAt: "t2" });
  });
});

describe("every result over every status", () => {
  const reason = fc.constantFrom("Queued", "UnknownState", "PlatformUnavailable");
  const why = fc.record({ reason, message: fc.string() });
  const result = fc.oneof(
    fc.record({ is: fc.constant("settled"), why }),
    fc.record({ is: fc.constantFrom("waiting", "stalled"), why, exchange: fc.constantFrom(...EXCHANGES) }),
    fc.record({ is: fc.constant("retry"), why }),
    fc.record({ is: fc.constant("held"), why, stale: fc.boolean() }),
    fc.constant({ is: "paused" }),
  ) as fc.Arbitrary<ReconcileResult>;
  const before = fc.constantFrom<Json | undefined>(undefined, { observedGeneration: -1 }, SETTLED, WORKING, "odd", {
    conditions: [7, { type: "Ready" }],
  });
  const report = fc.constantFrom(undefined, REPORT);
  /** As the API server keeps it. */
  const stored = (status: JsonObject) => JSON.parse(JSON.stringify(status)) as JsonObject;

  it("has Ready and Synced once, never both Reconciling and Stalled, and is the same an hour later", () => {
    fc.assert(
      fc.property(before, result, report, (status, how, said) => {
        const more = { report: said, id: "id", memory: { written: { a: 1 } } };
        const first = stored(buildStatus(outcome(status, how, more)));
        const types = conditionsOf({ status: first }).map(({ type }) => type);
        expect(new Set(types).size).toBe(types.length);
        expect(types.slice(0, 2)).toEqual(["Ready", "Synced"]);
        expect(types.includes("Reconciling") && types.includes("Stalled")).toBe(false);
        const again = stored(buildStatus({ ...outcome(first, how, more), now: new Date(NOW.getTime() + 3_600_000) }));
        expect(JSON.stringify(again)).toBe(JSON.stringify(first));
      }),
    );
  });
});
