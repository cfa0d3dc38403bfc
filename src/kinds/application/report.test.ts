import { describe, expect, it } from "vitest";

import {
  inputsWith,
  openDeployment,
  OTHER_COMMIT,
  passWith,
  print,
  REQUEST,
  seenIn,
} from "../../../test/support/services/applications.ts";
import { application } from "./index.ts";
import type { Seen } from "./model.ts";

type Change = Parameters<typeof passWith>[0];
const shown = <T>(value: T) => ({ value, fault: undefined });
const FORBIDDEN = { reason: "PermissionDenied", message: "The platform answered 403." } as const;

const reportOf = (change: Change, seen: Seen) => application.report(passWith(change), seen);
const condition = (type: string, change: Change, seen: Seen) => {
  const found = reportOf(change, seen).conditions.find((each) => each.type === type);
  return found && [found.status, found.reason];
};
const variables = [{ name: "KEY", value: "value", isSecret: true }];
const written = (variableNames: string[], variablesPrint = print("some")) => ({
  inputs: inputsWith(variables),
  memory: { written: { revision: 0, variables: variablesPrint, variableNames } },
});

describe("when all is done, an application says", () => {
  it.each<[string, Change, Seen, string, string]>([
    ["what is deployed", {}, seenIn("DEPLOYED"), "Deployed", "Commit 1a2b3c4 is deployed."],
    [
      "what is deployed, while another waits to be",
      { spec: { deploy: { gitCommitId: OTHER_COMMIT, policy: "Manual" } } },
      seenIn("DEPLOYED"),
      "Deployed",
      "Commit 1a2b3c4 is deployed.",
    ],
    [
      "that it is stopped",
      { spec: { runState: "Stopped" } },
      seenIn("STOPPED"),
      "Stopped",
      "The application is stopped, as spec.runState says.",
    ],
    [
      "that nothing was to be deployed",
      { memory: { lastDeployment: undefined }, spec: { deploy: undefined } },
      seenIn("READY"),
      "NotDeployed",
      'Application "api" exists on the platform; nothing is to be deployed.',
    ],
  ])("%s", (_name, change, seen, reason, message) => {
    expect(reportOf(change, seen).ready).toEqual({ reason, message });
  });
});

describe("the conditions of an application", () => {
  it.each<[string, string, Change, Seen, [string, string] | undefined]>([
    ["its state", "Deployed", {}, seenIn("BUILDING"), ["False", "BUILDING"]],
    ["a state that is no reason", "Deployed", {}, seenIn("half done!"), ["Unknown", "UnknownState"]],
    ["no state", "Deployed", {}, seenIn(undefined), undefined],
    [
      "its ingress",
      "IngressReady",
      {},
      seenIn("DEPLOYED", { ingress: shown({ status: "DEPLOYED", routerId: REQUEST }) }),
      ["True", "DEPLOYED"],
    ],
    [
      "an ingress under way",
      "IngressReady",
      {},
      seenIn("DEPLOYED", { ingress: shown({ status: "RECAP" }) }),
      ["False", "RECAP"],
    ],
    [
      "an ingress without a state",
      "IngressReady",
      {},
      seenIn("DEPLOYED", { ingress: shown({ routerId: REQUEST }) }),
      undefined,
    ],
    [
      "an ingress that cannot be read",
      "IngressReady",
      {},
      seenIn("DEPLOYED", { ingress: { value: undefined, fault: FORBIDDEN } }),
      ["Unknown", "PermissionDenied"],
    ],
    ["no variables", "VariablesSynced", {}, seenIn("DEPLOYED"), undefined],
    [
      "variables that cannot be read",
      "VariablesSynced",
      { inputs: inputsWith([{ name: "KEY", value: "v", isSecret: false }]), memory: { lastDeployment: undefined } },
      seenIn("DEPLOYED", { variablesFault: FORBIDDEN }),
      ["Unknown", "PermissionDenied"],
    ],
    [
      "variables that were not sent",
      "VariablesSynced",
      { inputs: inputsWith(variables) },
      seenIn("DEPLOYED"),
      ["False", "VariablesPending"],
    ],
    ["variables that were sent", "VariablesSynced", written(["KEY"]), seenIn("DEPLOYED"), ["True", "VariablesSynced"]],
    [
      "variables that changed since",
      "VariablesSynced",
      written(["KEY"], print("old")),
      seenIn("DEPLOYED"),
      ["False", "VariablesPending"],
    ],
    [
      "variables that were not taken over",
      "VariablesSynced",
      written([]),
      seenIn("DEPLOYED"),
      ["False", "VariablesPending"],
    ],
    [
      "variables that were found",
      "VariablesSynced",
      { inputs: inputsWith(variables) },
      seenIn("DEPLOYED", { keys: new Set(["KEY"]) }),
      ["True", "VariablesSynced"],
    ],
    ["nothing to deploy", "UpToDate", { spec: { deploy: undefined } }, seenIn("DEPLOYED"), undefined],
    ["what is deployed", "UpToDate", {}, seenIn("DEPLOYED"), ["True", "UpToDate"]],
    ["what is stopped", "UpToDate", { memory: { runState: "Stopped" } }, seenIn("STOPPED"), ["True", "UpToDate"]],
    [
      "what is deployed by now",
      "UpToDate",
      { memory: { lastDeployment: openDeployment() } },
      seenIn("BUILDING"),
      ["False", "DeployPending"],
    ],
    ["what failed", "UpToDate", {}, seenIn("BUILD_ERROR"), ["False", "DeployPending"]],
    [
      "what waits",
      "UpToDate",
      { spec: { deploy: { gitCommitId: OTHER_COMMIT, policy: "Manual" } } },
      seenIn("DEPLOYED"),
      ["False", "DeployPending"],
    ],
  ])("%s", (_name, type, change, seen, expected) => {
    expect(condition(type, change, seen)).toEqual(expected);
  });

  it("say what has to be done by hand", () => {
    const told = (policy: string) => {
      const spec = { deploy: { gitCommitId: OTHER_COMMIT, policy } };
      return reportOf({ spec }, seenIn("DEPLOYED")).conditions.find(({ type }) => type === "UpToDate")?.message;
    };
    expect(told("Automatic")).toBe("A change of commit is not deployed yet.");
    expect(told("Manual")).toBe(
      "A change of commit is not deployed yet. spec.deploy.policy is Manual: deploy it on the platform.",
    );
  });
});
