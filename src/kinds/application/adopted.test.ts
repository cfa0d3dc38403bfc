import { describe, expect, it } from "vitest";

import {
  COMMIT,
  inputsWith,
  OTHER_COMMIT,
  passWith,
  print,
  plannedBy,
  observedFull,
  observedIn,
} from "../../../test/support/services/applications.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** The result of the plan, with the commit that is deployed now. */
function planned(change: Change, observed: Observed): string {
  return plannedBy(passWith(change), observed);
}

const DEPLOY = `deployApplication ${COMMIT}`;
const variables = [{ name: "KEY", value: "value", isSecret: false }];

describe("an application that was deployed before we came, or whose status was lost", () => {
  const adopted = { surface: "Full", memory: { lastDeployment: undefined } } as const;

  it.each<[string, Change, Observed, string]>([
    [
      "is not deployed again when its commit is the spec's",
      adopted,
      observedFull("DEPLOYED", { gitRepository: { deployedCommitId: COMMIT } }),
      "settled",
    ],
    [
      "is not deployed again when it does not show its commit",
      { memory: { lastDeployment: undefined } },
      observedIn("DEPLOYED"),
      "settled",
    ],
    [
      "is not deployed again when it failed",
      { memory: { lastDeployment: undefined } },
      observedIn("BUILD_ERROR"),
      "stalled BuildFailed",
    ],
    [
      "gets the spec's commit when it shows another",
      adopted,
      observedFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } }),
      DEPLOY,
    ],
    [
      "keeps its variables when their keys are there",
      { ...adopted, inputs: inputsWith(variables) },
      observedFull("DEPLOYED", {}, { keys: new Set(["KEY"]) }),
      "settled",
    ],
    [
      "gets the variables that it misses",
      { ...adopted, inputs: inputsWith(variables) },
      observedFull("DEPLOYED", {}, { keys: new Set(["OTHER"]) }),
      "importVariables",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });

  it("takes what it found as the baseline, once", () => {
    const observed = observedFull("DEPLOYED", { gitRepository: { deployedCommitId: COMMIT } });
    const first = application.report(passWith(adopted), observed).status as ApplicationMemory;
    expect(first.lastDeployment).toEqual({
      gitCommitId: COMMIT,
      state: "DEPLOYED",
      finishedAt: "2026-11-21T10:00:00.400Z",
      settings: 0,
      variablesAt: "",
      variables: print("none"),
    });
    const later = passWith({ surface: "Full", memory: first, now: new Date("2026-11-22T10:00:00Z") });
    expect((application.report(later, observed).status as ApplicationMemory).lastDeployment).toEqual(
      first.lastDeployment,
    );
  });
});
