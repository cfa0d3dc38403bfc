import { describe, expect, it } from "vitest";

import {
  inputsWith,
  observedFull,
  observedIn,
  passWith,
  plannedBy,
  print,
} from "../../../test/support/services/applications.ts";
import type { Observed } from "./model.ts";

type Change = Parameters<typeof passWith>[0];
const OTHER = "00000000-0000-4000-8000-0000000000a2";
const full = { surface: "Full" } as const;
const variables = [{ name: "KEY", value: "value", isSecret: true }];
const sent = (variableNames: string[]) => ({
  memory: { written: { variables: print("some"), variableNames, revision: 0 } },
  inputs: inputsWith(variables),
});

describe("the steps before a deployment", () => {
  const written = (settings: Record<string, string>, altered?: Record<string, string>) => ({
    ...full,
    spec: { cpu: 250 },
    memory: {
      written: { settings, revision: 1, ...(altered === undefined ? {} : { altered }) },
      lastDeployment: { gitCommitId: "1a2b3c4d", settings: 1 },
    },
  });

  it.each<[string, Change, Observed, string]>([
    [
      "settings that differ",
      { ...full, spec: { cpu: 250 } },
      observedFull("DEPLOYED", { cpu: 500 }),
      "updateApplication",
    ],
    [
      "settings that differ, under way too",
      { ...full, spec: { cpu: 250 } },
      observedFull("BUILDING", { cpu: 500 }),
      "updateApplication",
    ],
    ["not settings that the spec leaves open", full, observedFull("DEPLOYED", { cpu: 500 }), "settled"],
    ["not settings that are not shown", { ...full, spec: { cpu: 250 } }, observedFull("DEPLOYED"), "settled"],
    [
      "not settings that were sent in this pass",
      { ...full, spec: { cpu: 250 } },
      observedFull("DEPLOYED", { cpu: 500 }, { updated: true }),
      "settled",
    ],
    [
      "[E11] nothing of what is recorded, but lies elsewhere",
      { ...full, spec: { cpu: 250 } },
      observedIn("DEPLOYED", { siblings: [] }),
      "stalled NotObservable",
    ],
    [
      "not settings that the platform stored otherwise",
      written({ "spec.cpu": "250" }, { "spec.cpu": "256" }),
      observedFull("DEPLOYED", { cpu: 256 }),
      "settled",
    ],
    [
      "settings that others changed since",
      written({ "spec.cpu": "250" }, { "spec.cpu": "256" }),
      observedFull("DEPLOYED", { cpu: 512 }),
      "updateApplication",
    ],
    [
      "settings that were changed since",
      written({ "spec.cpu": "200" }, { "spec.cpu": "256" }),
      observedFull("DEPLOYED", { cpu: 256 }),
      "updateApplication",
    ],
    [
      "settings that the platform stored otherwise, on request",
      { ...written({ "spec.cpu": "250" }, { "spec.cpu": "256" }), requested: "now" },
      observedFull("DEPLOYED", { cpu: 256 }),
      "updateApplication",
    ],
    [
      "not where it cannot be put right",
      { spec: { cpu: 250 }, memory: { written: { settings: { "spec.cpu": "200" }, revision: 0 } } },
      observedIn("DEPLOYED"),
      "stalled UpdateNotSupported",
    ],
    [
      "not what was added where it cannot be",
      { spec: { cpu: 250 }, memory: { written: { settings: {}, revision: 0 } } },
      observedIn("DEPLOYED"),
      "stalled UpdateNotSupported",
    ],
    ["variables that were not sent", { inputs: inputsWith(variables) }, observedIn("DEPLOYED"), "importVariables"],
    [
      "variables that were not sent, under way too",
      { inputs: inputsWith(variables) },
      observedIn("BUILDING"),
      "importVariables",
    ],
    [
      "a secret that was not taken over",
      { ...sent([]), ...full },
      observedFull("BUILDING", {}, { secretIds: new Map([["KEY", OTHER]]) }),
      "updateSecret",
    ],
    [
      "not a secret that cannot be replaced",
      {
        ...sent([]),
        memory: { ...sent([]).memory, lastDeployment: { gitCommitId: "1a2b3c4d", variables: print("some") } },
      },
      observedIn("DEPLOYED"),
      "settled",
    ],
  ])("%s", (_name, change, observed, expected) => {
    expect(plannedBy(passWith(change), observed)).toBe(expected);
  });
});
