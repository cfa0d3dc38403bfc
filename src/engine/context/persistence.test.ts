import { describe, expect, it } from "vitest";
import { z } from "zod";

import { anObject } from "../../../test/support/engine/objects.ts";
import type { Json } from "../../kube/api/types.ts";
import type { Kind } from "../contract/kind.ts";
import { Persistence, type PersistenceState } from "./persistence.ts";

const kind = { resource: { memory: z.object({ deployed: z.string().optional() }) } } as unknown as Kind;
const over = { externalId: "id", deployed: "c1", state: "READY" };
const object = anObject({ status: over });
const known = { id: "id", memory: { deployed: "c2" } };
const built = { signature: "Ready=True", object, status: {}, note: undefined, refusal: undefined };

type Event = (persistence: Persistence) => void;

const first: Event = (one) => one.noteAttempt("1-a", 100);
const second: Event = (one) => one.noteAttempt("1-b", 200);
const outcome: Event = (one) => one.noteOutcome(object, known);
const learned: Event = (one) => one.noteLearned(object, known);
const delayed: Event = (one) => one.delayStatus(built, 100);

function after(...events: readonly Event[]): PersistenceState {
  const persistence = new Persistence();
  for (const event of events) event(persistence);
  return persistence.state;
}

describe("an attempt counts as unsent", () => {
  it.each<[when: string, unsent: readonly string[], events: readonly Event[]]>([
    ["before its intent is written", ["1-a"], [first]],
    ["beside an earlier one, while it is not known which of the two is stored", ["1-a", "1-b"], [first, second]],
    ["alone, once its intent is stored", ["1-b"], [first, second, (one) => one.noteIntentStored("1-b")]],
    ["no more, once its request begins", [], [first, (one) => one.noteSent()]],
    [
      "again, once its request was certainly not executed",
      ["1-a"],
      [first, (one) => one.noteSent(), (one) => one.noteNotExecuted("1-a")],
    ],
  ])("%s", (_, unsent, events) => {
    expect(after(...events).unsent).toEqual(unsent);
  });
});

describe("the time for which an open intent was seen", () => {
  it.each<[what: string, attempt: string, seenFor: number]>([
    ["begins when this process writes the intent", "1-a", 400],
    ["begins at the first look at the intent of another process", "9-z", 0],
  ])("%s", (_, attempt, seenFor) => {
    const persistence = new Persistence();
    first(persistence);
    expect(persistence.seenFor(attempt, 500)).toBe(seenFor);
  });

  it("goes on at the next look", () => {
    const persistence = new Persistence();
    persistence.seenFor("9-z", 500);
    expect(persistence.seenFor("9-z", 700)).toBe(200);
  });
});

it("the answer to a create is kept until its id is stored", () => {
  const answer = { attempt: "1-a", id: "id", memory: {} };
  expect(after((one) => one.noteAnswer(answer)).answer).toEqual(answer);
  expect(
    after(
      (one) => one.noteAnswer(answer),
      (one) => one.noteAnswerStored(),
    ).answer,
  ).toBeUndefined();
});

describe("an outcome", () => {
  it("has the status that it extends, and closes the intent of its action", () => {
    expect(after(outcome).outcome).toEqual({ ...known, closesIntent: true, over });
  });

  it.each<[what: string, closesIntent: boolean, events: readonly Event[]]>([
    ["leaves the intent open where no step has ended", false, [learned]],
    ["leaves the intent closed after a step", true, [outcome, learned]],
  ])("that a report or output told %s", (_, closesIntent, events) => {
    expect(after(...events).outcome?.closesIntent).toBe(closesIntent);
  });

  it("that is stored before a request leaves the delayed status", () => {
    const { outcome: left, delayed: status } = after(outcome, delayed, (one) => one.noteOutcomeStored());
    expect(left).toBeUndefined();
    expect(status).toEqual({ ...built, since: 100 });
  });

  it("that is stored with the status ends the delay", () => {
    const { outcome: left, delayed: status } = after(outcome, delayed, (one) => one.noteStatusStored());
    expect(left).toBeUndefined();
    expect(status).toBeUndefined();
  });

  it.each<[what: string, status: Json, isDropped: boolean]>([
    ["is kept with the same status", over, false],
    ["is kept with another state", { ...over, state: "BUSY" }, false],
    ["is dropped with another id", { ...over, externalId: "other" }, true],
    ["is dropped with an intent", { ...over, writeLedger: { intent: { v: 1 } } }, true],
    ["is dropped with another memory", { ...over, deployed: "c2" }, true],
  ])("%s that another process wrote", (_, status, isDropped) => {
    const { outcome: left } = after(outcome, (one) => one.dropOvertaken(kind, anObject({ status })));
    expect(left === undefined).toBe(isDropped);
  });
});

describe("the delay of a status", () => {
  it.each<[what: string, signature: string, since: number]>([
    ["goes on while the status looks the same", "Ready=True", 100],
    ["begins again when the status looks different", "Ready=False", 300],
  ])("%s", (_, signature, since) => {
    expect(after(delayed, (one) => one.delayStatus({ ...built, signature }, 300)).delayed?.since).toBe(since);
  });
});
