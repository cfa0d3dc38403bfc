import { describe, expect, it } from "vitest";

import { COMMIT, OTHER_COMMIT } from "../../../test/support/services/applications.ts";
import { historyWith, successNote } from "./history.ts";

const START = "2026-11-21T09:00:00.000Z";
const after = (seconds: number): string => new Date(Date.parse(START) + seconds * 1000).toISOString();
const took = (seconds: number) => {
  return { gitCommitId: COMMIT, state: "DEPLOYED", startedAt: START, finishedAt: after(seconds) };
};
const past = (...seconds: readonly number[]) =>
  seconds.map((each) => ({ commit: COMMIT, state: "DEPLOYED", at: START, seconds: each }));

describe("the history of an application", () => {
  it("has the replaced deployment first, with few members", () => {
    const [first, ...rest] = historyWith(past(60), took(134)) ?? [];
    expect(first).toEqual({ commit: COMMIT, state: "DEPLOYED", at: "2026-11-21T09:02:14Z", seconds: 134 });
    expect(rest).toEqual(past(60));
  });

  it("holds ten deployments", () => {
    const full = past(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    expect(historyWith(full, took(11))?.map(({ seconds }) => seconds)).toEqual([11, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("has the start of a deployment whose end was not seen, and is undefined without a deployment", () => {
    const open = { gitCommitId: OTHER_COMMIT, state: "BUILDING", startedAt: START };
    const started = { commit: OTHER_COMMIT, state: "BUILDING", at: "2026-11-21T09:00:00Z" };
    expect(historyWith(undefined, open)).toEqual([started]);
    expect(historyWith(undefined, undefined)).toBeUndefined();
  });
});

const DEPLOYED = `Commit ${COMMIT.slice(0, 7)} was deployed in`;

it.each([
  ["nothing of an unknown time", { ...took(134), startedAt: undefined }, undefined],
  ["minutes and seconds", took(134), `${DEPLOYED} 2 min 14 s.`],
  ["seconds", took(40), `${DEPLOYED} 40 s.`],
  ["whole minutes", took(120), `${DEPLOYED} 2 min.`],
])("the event of a deployment that succeeded says %s", (_name, last, note) => {
  expect(successNote(last)).toBe(note);
});
