import { describe, expect, it } from "vitest";

import {
  COMMIT,
  inputsWith,
  OLD_REQUEST,
  openDeployment,
  OTHER_COMMIT,
  passWith,
  print,
  observedFull,
  observedIn,
  statusOf,
  plannedBy,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];

/** The result of the plan, with the commit that is deployed now. */
function planned(change: Change, observed: Observed): string {
  return plannedBy(passWith(change), observed);
}

const deploy = (gitCommitId: string, policy = "Automatic") => ({ deploy: { gitCommitId, policy } });
const variables = [{ name: "KEY", value: "value", isSecret: false }];
const written = (change: ApplicationMemory["written"]) => ({ revision: 0, ...change });

describe("its report", () => {
  const drift = (change: Change, observed: Observed) => application.report(passWith(change), observed).drift;
  const outOfDate = statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" });

  it.each<[string, Change, Observed, object[]]>([
    ["nothing", {}, observedIn("DEPLOYED"), []],
    [
      "an edit by others",
      {},
      observedIn("DEPLOYED", { status: outOfDate }),
      [{ path: "serviceDeploymentStatus", desired: "UP_TO_DATE", observed: "OUT_OF_DATE" }],
    ],
    [
      "no edit of our own that waits",
      { memory: { written: written({ revision: 1 }) }, spec: deploy(COMMIT, "Manual") },
      observedIn("DEPLOYED", { status: outOfDate }),
      [],
    ],
    [
      "no edit while a deployment is under way",
      { memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(outOfDate) }) } },
      observedIn("DEPLOYED", { status: outOfDate }),
      [],
    ],
    [
      "another commit",
      { surface: "Full" },
      observedFull("DEPLOYED", { gitRepository: { deployedCommitId: OTHER_COMMIT } }),
      [{ path: "spec.deploy.gitCommitId", desired: COMMIT, observed: OTHER_COMMIT }],
    ],
    [
      "no other commit, when it is abbreviated",
      { surface: "Full" },
      observedFull("DEPLOYED", { gitRepository: { deployedCommitId: COMMIT.slice(0, 7) } }),
      [],
    ],
    [
      "a stop by others",
      {},
      observedIn("STOPPED"),
      [{ path: "spec.runState", desired: "Running", observed: "Stopped" }],
    ],
    ["no stop of our own", { memory: { runState: "Stopped" } }, observedIn("STOPPED"), []],
    ["no stop that is wanted", { spec: { runState: "Stopped" } }, observedIn("STOPPED"), []],
  ])("as drift: %s", (_name, change, observed, expected) => {
    expect(drift(change, observed)).toEqual(expected);
  });

  it("hides a password in the URL of a repository", () => {
    const gitRepository = { url: "https://me:s3cret@github.com/acme/api.git", branch: "main" };
    const told = JSON.stringify(drift({ surface: "Full" }, observedFull("DEPLOYED", { gitRepository })));
    expect(told).toContain("https://•••@github.com/acme/api.git");
    expect(told).not.toContain("s3cret");
  });

  it("forgets that we stopped what others started since", () => {
    const status = application.report(passWith({ memory: { runState: "Stopped" } }), observedIn("DEPLOYED"))
      .status as ApplicationMemory;
    expect(status.runState).toBe("Running");
    expect(planned({ memory: status }, observedIn("STOPPED"))).toBe("stalled DriftDetected");
  });

  it("marks the deployment with all that a later trace compares with", () => {
    const context = passWith({
      requested: "now",
      memory: { written: written({ revision: 3, variables: print("v") }) },
      inputs: inputsWith(variables, print("v")),
    });
    expect(
      application.plan(
        { ...context, memory: { ...context.memory, written: { ...context.memory.written, variableNames: ["KEY"] } } },
        observedIn("BUILD_ERROR"),
      ),
    ).toMatchObject({
      is: "step",
      step: {
        repeat: "once",
        creates: false,
        commit: COMMIT,
        action: { what: "deploy", commit: COMMIT, retry: "now" },
        mark: {
          baseline: serviceBaseline(statusOf("BUILD_ERROR")),
          requestId: OLD_REQUEST,
          settings: 3,
          variables: print("v"),
          retry: "now",
        },
        why: { reason: "Deploying", message: "Commit 1a2b3c4 is being deployed." },
      },
    });
  });
});
