import { describe, expect, it } from "vitest";

import {
  COMMIT,
  inputsWith,
  OTHER_COMMIT,
  passWith,
  print,
  plannedBy,
  seenFull,
  seenIn,
} from "../../../test/support/services/applications.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Seen } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** What the plan comes to, with the commit that is deployed now. */
function planned(change: Change, seen: Seen): string {
  return plannedBy(passWith(change), seen);
}

const DEPLOY = `deployApplication ${COMMIT}`;
const variables = [{ name: "KEY", value: "value", isSecret: false }];

describe("an application that was deployed before we came, or whose status was lost", () => {
  const adopted = { surface: "Full", memory: { lastDeployment: undefined } } as const;

  it.each<[string, Change, Seen, string]>([
    [
      "is not deployed again when its commit is the spec's",
      adopted,
      seenFull("DEPLOYED", { gitRepository: { deployedCommitId: COMMIT } }),
      "settled",
    ],
    [
      "is not deployed again when it does not show its commit",
      { memory: { lastDeployment: undefined } },
      seenIn("DEPLOYED"),
      "settled",
    ],
    [
      "is not deployed again when it failed",
      { memory: { lastDeployment: undefined } },
      seenIn("BUILD_ERROR"),
      "stalled BuildFailed",
    ],
    [
      "gets the spec's commit when it shows another",
      adopted,
      seenFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } }),
      DEPLOY,
    ],
    [
      "keeps its variables when their keys are there",
      { ...adopted, inputs: inputsWith(variables) },
      seenFull("DEPLOYED", {}, { keys: new Set(["KEY"]) }),
      "settled",
    ],
    [
      "gets the variables that it misses",
      { ...adopted, inputs: inputsWith(variables) },
      seenFull("DEPLOYED", {}, { keys: new Set(["OTHER"]) }),
      "importVariables",
    ],
  ])("%s", (_name, change, seen, expected) => {
    expect(planned(change, seen)).toBe(expected);
  });

  it("takes what it found as the baseline, once", () => {
    const seen = seenFull("DEPLOYED", { gitRepository: { deployedCommitId: COMMIT } });
    const first = application.report(passWith(adopted), seen).status as ApplicationMemory;
    expect(first.lastDeployment).toEqual({
      gitCommitId: COMMIT,
      state: "DEPLOYED",
      finishedAt: "2026-11-21T10:00:00.400Z",
      settings: 0,
      variablesAt: "",
      variables: print("none"),
    });
    const later = passWith({ surface: "Full", memory: first, now: new Date("2026-11-22T10:00:00Z") });
    expect((application.report(later, seen).status as ApplicationMemory).lastDeployment).toEqual(first.lastDeployment);
  });
});
