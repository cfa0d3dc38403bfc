import { describe, expect, it } from "vitest";

import {
  type Change,
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
  planned,
} from "../../../test/support/services/applications.ts";
import { serviceBaseline } from "../service/trace.ts";
import type { ApplicationMemory } from "./crd.ts";
import { application } from "./index.ts";
import type { Observed } from "./model.ts";

const deploy = (gitCommitId: string, policy = "Automatic") => ({ deploy: { gitCommitId, policy } });
const variables = [{ name: "KEY", value: "value", isSecret: false }];
const written = (change: ApplicationMemory["written"]) => ({ revision: 0, ...change });

describe("its report", () => {
  const drift = (change: Change, observed: Observed) => application.report(passWith(change), observed).drift;
  const outOfDate = statusOf("DEPLOYED", { serviceDeploymentStatus: "OUT_OF_DATE" });
  const edited = observedIn("DEPLOYED", { status: outOfDate });
  const waiting = { memory: { written: written({ revision: 1 }) }, spec: deploy(COMMIT, "Manual") };
  const open = { memory: { lastDeployment: openDeployment({ baseline: serviceBaseline(outOfDate) }) } };
  const deployed = (deployedCommitId: string) => observedFull("DEPLOYED", { gitRepository: { deployedCommitId } });

  it.each<[string, Change, Observed, [path: string, desired: string, observed: string]?]>([
    ["nothing", {}, observedIn("DEPLOYED")],
    ["an edit by others", {}, edited, ["serviceDeploymentStatus", "UP_TO_DATE", "OUT_OF_DATE"]],
    ["no edit of our own that waits", waiting, edited],
    ["no edit while a deployment is under way", open, edited],
    ["another commit", { surface: "Full" }, deployed(OTHER_COMMIT), ["spec.deploy.gitCommitId", COMMIT, OTHER_COMMIT]],
    ["no other commit, when it is abbreviated", { surface: "Full" }, deployed(COMMIT.slice(0, 7))],
    ["a stop by others", {}, observedIn("STOPPED"), ["spec.runState", "Running", "Stopped"]],
    ["no stop of our own", { memory: { runState: "Stopped" } }, observedIn("STOPPED")],
    ["no stop that is wanted", { spec: { runState: "Stopped" } }, observedIn("STOPPED")],
  ])("as drift: %s", (_name, change, observed, expected) => {
    const actual = (drift(change, observed) ?? []).map((one) => [one.path, one.desired, one.observed]);
    expect(actual).toEqual(expected === undefined ? [] : [expected]);
  });

  it("hides a password in the URL of a repository", () => {
    const gitRepository = { url: "https://me:s3cret@github.com/acme/api.git", branch: "main" };
    const actual = JSON.stringify(drift({ surface: "Full" }, observedFull("DEPLOYED", { gitRepository })));
    expect(actual).toContain("https://•••@github.com/acme/api.git");
    expect(actual).not.toContain("s3cret");
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
