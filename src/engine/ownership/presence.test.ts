import { describe, expect, it } from "vitest";

import type { Goal, ListEvidence } from "../contract/kind.ts";
import { presenceOf, noteDeleted, listHistoryOf, type ListHistory } from "./presence.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";
const MINUTE = 60_000;

type Look = readonly [atMs: number, evidence: ListEvidence];

/** The presence after the last of these reads. */
function last(looks: readonly Look[], goal: Goal = "present", deleted = false): string {
  const local: { listHistory: ListHistory | undefined } = { listHistory: undefined };
  if (deleted) noteDeleted(local, ID);
  const found = looks.map(([now, evidence]) =>
    presenceOf(listHistoryOf(local, ID), evidence, { goal, now, absenceMs: MINUTE }),
  );
  return found.at(-1) ?? "";
}

const SHOWN: Look = [0, "Shown"];
const missing = (at: number): Look => [at, "Missing"];
const unclear = (at: number): Look => [at, "Unclear"];

describe("[C7] an object that a list lacks", () => {
  it.each<[string, readonly Look[], string]>([
    ["is there while the list shows it", [SHOWN], "Present"],
    ["is not gone at once", [SHOWN, missing(1)], "Unconfirmed"],
    ["is not gone at a second read that comes soon", [SHOWN, missing(1), missing(MINUTE)], "Unconfirmed"],
    ["is gone at the second read a minute later", [SHOWN, missing(1), missing(MINUTE + 1)], "Gone"],
    ["is not gone if it was shown in between", [SHOWN, missing(1), [2, "Shown"], missing(MINUTE + 1)], "Unconfirmed"],
    ["may be there if no list ever showed it", [missing(1), missing(10 * MINUTE)], "Unproven"],
    ["may be on another page", [SHOWN, unclear(1), unclear(10 * MINUTE)], "Unproven"],
    ["is not gone by one list that holds all there is", [SHOWN, unclear(1), missing(MINUTE + 1)], "Unconfirmed"],
  ])("%s", (_name, looks, expected) => {
    expect(last(looks)).toBe(expected);
  });

  it.each<[string, readonly Look[], boolean, string]>([
    ["is gone at once where the platform accepted its deletion", [SHOWN, missing(1)], true, "Gone"],
    ["still goes while it is shown", [SHOWN], true, "Present"],
    ["is not gone at once where nothing was asked for", [SHOWN, missing(1)], false, "Unconfirmed"],
    ["is gone after a minute, though a new process never saw it", [missing(1), missing(MINUTE + 1)], false, "Gone"],
    ["may be on another page", [unclear(1), unclear(MINUTE + 1)], false, "Unproven"],
  ])("[A5] while its resource is deleted: %s", (_name, looks, deleted, expected) => {
    expect(last(looks, "absent", deleted)).toBe(expected);
  });

  it("has no history under a new id", () => {
    const local: { listHistory: ListHistory | undefined } = { listHistory: undefined };
    const at = { goal: "present", now: 0, absenceMs: MINUTE } as const;
    presenceOf(listHistoryOf(local, ID), "Shown", at);
    expect(presenceOf(listHistoryOf(local, OTHER), "Missing", at)).toBe("Unproven");
  });
});
