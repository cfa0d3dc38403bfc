import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { nextAction, readSlot, traceOutcome, whyNotSend, type Intent, type IntentFacts } from "./intent.ts";

const PARENT = "00000000-0000-4000-8000-00000000000a";
const ID = "00000000-0000-4000-8000-00000000000b";
const BY = { uid: "uid-a", resource: "Widget/team/a", installation: "installation-1" };
const ATTEMPT = { v: 1, ...BY, attempt: "2-abc", op: "create" } as const;
const WHAT = { creates: true, generation: 2, parentId: PARENT, name: "a", id: ID, commit: "c1" };
const INTENT: Intent = { ...ATTEMPT, ...WHAT, mark: { ids: ["x"], absentAt: null } };

const KNOWN: IntentFacts = {
  writer: "Own",
  isElsewhere: false,
  generation: 2,
  unsent: [],
  seenForMs: 0,
  landingMs: 60_000,
  resolved: false,
};

describe("readSlot", () => {
  it.each([undefined, null, ""])("finds nothing in %j", (raw) => {
    expect(readSlot(raw)).toEqual({ is: "empty" });
  });

  it("reads an intent as text and as a member of status", () => {
    expect(readSlot({ ...INTENT })).toEqual({ is: "open", intent: INTENT });
    expect(readSlot(JSON.stringify(INTENT))).toEqual({ is: "open", intent: INTENT });
  });

  it("reads a slot of a cluster-scoped resource", () => {
    const intent = { ...INTENT, resource: "ClusterLink//a" };
    expect(readSlot(JSON.stringify(intent))).toEqual({ is: "open", intent });
  });

  it.each(["parentId", "name", "id", "commit"] as const)("reads a slot without %s", (member) => {
    const { [member]: _, ...rest } = INTENT;
    expect(readSlot(JSON.stringify(rest))).toEqual({ is: "open", intent: rest });
  });

  it.each(["{", "[]", "7"])("drops nothing that it cannot read: %s", (raw) => {
    expect(readSlot(raw)).toEqual({ is: "unreadable" });
  });

  it.each<[string, object]>([
    ["another version", { v: 2 }],
    ["a version as text", { v: "1" }],
    ["no uid", { uid: undefined }],
    ["no resource", { resource: undefined }],
    ["a resource that is no key", { resource: "team/a" }],
    ["a resource with a path", { resource: "Widget/team/a/../b" }],
    ["a resource that ends a sentence", { resource: "Widget/team/a. Do" }],
    ["an empty attempt", { attempt: "" }],
    ["no operation", { op: 7 }],
    ["no installation", { installation: null }],
    ["a generation as text", { generation: "2" }],
    ["an id that leads elsewhere", { id: "../../project" }],
    ["a parent that is a path", { parentId: `${PARENT}/../${ID}` }],
    ["no word on what it does", { creates: undefined }],
  ])("drops nothing of an intent with %s", (_, change) => {
    expect(readSlot(JSON.stringify({ ...INTENT, ...change }))).toEqual({ is: "unreadable" });
  });

  it("never throws, and never takes anything else for an intent", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.jsonValue()), (raw) => {
        const slot = readSlot(raw);
        expect(slot.is === "open").toBe(false);
      }),
    );
  });
});

const create = INTENT;
const action = { ...INTENT, creates: false };
const repetition = { ...action, repetition: true } as const;

it.each<[string, Intent, Partial<IntentFacts>, ReturnType<typeof nextAction>]>([
  ["an intent of its own", create, {}, "trace"],
  ["an action of its own", action, {}, "trace"],
  ["a create that another resource still follows", create, { writer: "None" }, "clear"],
  ["a copied status", action, { writer: "None" }, "clear"],
  ["the create of a resource that is gone", create, { writer: "Left" }, "trace"],
  ["a create that was not sent", create, { unsent: ["2-xyz", "2-abc"] }, "clear"],
  ["an action that was not sent", action, { unsent: ["2-xyz", "2-abc"] }, "clear"],
  ["a repetition that was not sent", repetition, { unsent: ["2-abc"] }, "repeat"],
  ["one that a newer generation overtakes", repetition, { unsent: ["2-abc"], generation: 3 }, "clear"],
  ["a repetition that may have been sent", repetition, {}, "trace"],
  ["another attempt that was not sent", create, { unsent: ["2-xyz"] }, "trace"],
  ["a create that the user resolved", create, { resolved: true }, "clear"],
  ["an action, which the user's annotation does not concern", action, { resolved: true }, "trace"],
  ["a newer generation", create, { generation: 3 }, "trace"],
  ["an old intent", create, { seenForMs: 1e9 }, "trace"],
])("the next action about %s", (_, intent, known, expected) => {
  expect(nextAction(intent, { ...KNOWN, ...known })).toBe(expected);
});

it.each([
  ["may be sent at once", { sinceMs: 0, leads: true }, undefined],
  ["may be sent at the end of the send window", { sinceMs: 5_000, leads: true }, undefined],
  ["is too late after the send window", { sinceMs: 5_001, leads: true }, "TooLate"],
  ["is not sent without the lease", { sinceMs: 0, leads: false }, "NotLeader"],
  ["is not sent without the lease after the send window", { sinceMs: 5_001, leads: false }, "NotLeader"],
])("a request %s", (_, now, expected) => {
  expect(whyNotSend({ ...now, sendMs: 5_000 })).toBe(expected);
});

describe("the outcome of a trace", () => {
  const rows = (["landed", "absent", "repeatable", "unknowable", "unread"] as const).flatMap((finding) =>
    [true, false].flatMap((creates) =>
      [59_999, 60_000].flatMap((seenForMs) =>
        [2, 3].map((generation) => ({ finding, creates, seenForMs, generation })),
      ),
    ),
  );

  /** The rule of docs/project/architecture.md §6, in other words than the code's. */
  function rule(row: (typeof rows)[number]): string {
    const window = row.seenForMs < 60_000;
    const superseded = row.generation > 2 && !row.creates;
    if (row.finding === "landed") return "record";
    if (row.finding === "absent") return window ? "wait" : "retry";
    if (row.creates) return row.finding !== "unknowable" && window ? "wait" : "stall";
    if (window) return "wait";
    if (superseded) return "retry";
    return row.finding === "repeatable" ? "repeat" : "stall";
  }

  it.each(rows)("$finding, creates $creates, seen for $seenForMs ms, generation $generation", (row) => {
    const { finding, creates, seenForMs, generation } = row;
    const decision = traceOutcome(finding, { ...INTENT, creates }, { ...KNOWN, seenForMs, generation });
    expect(decision).toBe(rule(row));
  });

  it.each([
    ["unknowable", 59_999, "wait"],
    ["unknowable", 60_000, "stall"],
    ["landed", 0, "record"],
  ] as const)("of another installation's create is awaited: %s, seen for %d ms", (finding, seenForMs, decision) => {
    const known = { ...KNOWN, isElsewhere: true, seenForMs };
    expect(traceOutcome(finding, { ...INTENT, creates: true }, known)).toBe(decision);
  });

  it.each([
    ["landed", 0, "retry"],
    ["absent", 59_999, "wait"],
    ["absent", 60_000, "retry"],
    ["unknowable", 60_000, "stall"],
    ["unread", 60_000, "stall"],
  ] as const)("records no result of a resource that is gone: %s, seen for %d ms", (finding, seenForMs, decision) => {
    expect(traceOutcome(finding, { ...INTENT, creates: true }, { ...KNOWN, writer: "Left", seenForMs })).toBe(decision);
  });

  it.each([
    ["absent", 59_999, "wait"],
    ["absent", 60_000, "stall"],
    ["unknowable", 59_999, "stall"],
    ["unknowable", 60_000, "stall"],
    ["landed", 60_000, "record"],
  ] as const)("never repeats an accepted create: %s, seen for %d ms", (finding, seenForMs, decision) => {
    expect(traceOutcome(finding, { ...INTENT, creates: true, accepted: {} }, { ...KNOWN, seenForMs })).toBe(decision);
  });

  it.each([
    [59_999, 2, "wait"],
    [60_000, 2, "stall"],
    [60_000, 3, "retry"],
  ] as const)("repeats no repetition: seen for %d ms, generation %d", (seenForMs, generation, decision) => {
    const intent = { ...INTENT, creates: false, repetition: true } as const;
    expect(traceOutcome("repeatable", intent, { ...KNOWN, seenForMs, generation })).toBe(decision);
  });
});
