import { describe, expect, it } from "vitest";

import {
  type Change,
  inputsWith,
  observedFull,
  observedIn,
  planned,
  print,
} from "../../../test/support/services/applications.ts";
import type { Observed } from "./model.ts";

const OTHER = "00000000-0000-4000-8000-0000000000a2";
const full = { surface: "Full" } as const;
const variables = [{ name: "KEY", value: "value", isSecret: true }];
const sent = (variableNames: string[]) => ({
  memory: { written: { variables: print("some"), variableNames, revision: 0 } },
  inputs: inputsWith(variables),
});

const smaller = { ...full, spec: { cpu: 250 } };
const isOlder = (settings: Record<string, string>) => ({
  spec: { cpu: 250 },
  memory: { written: { settings, revision: 0 } },
});

describe("the steps before a deployment", () => {
  /** This was sent, and 256 stored. */
  const written = (cpu: string) => ({
    ...smaller,
    memory: {
      written: { settings: { "spec.cpu": cpu }, revision: 1, altered: { "spec.cpu": "256" } },
      lastDeployment: { gitCommitId: "1a2b3c4d", settings: 1 },
    },
  });

  const replaceable = observedFull("BUILDING", {}, { secretIds: new Map([["KEY", OTHER]]) });
  const elsewhere = observedIn("DEPLOYED", { siblings: [] });
  const requested = { ...written("250"), requested: "now" };
  const deployed = { lastDeployment: { gitCommitId: "1a2b3c4d", variables: print("some") } };
  const included = { ...sent([]), memory: { ...sent([]).memory, ...deployed } };

  it.each<[string, Change, Observed, string]>([
    ["settings that differ", smaller, observedFull("DEPLOYED", { cpu: 500 }), "updateApplication"],
    ["settings that differ, under way", smaller, observedFull("BUILDING", { cpu: 500 }), "updateApplication"],
    ["not settings that the spec leaves open", full, observedFull("DEPLOYED", { cpu: 500 }), "settled"],
    ["not settings that are not shown", smaller, observedFull("DEPLOYED"), "settled"],
    ["not what was sent in this pass", smaller, observedFull("DEPLOYED", { cpu: 500 }, { updated: true }), "settled"],
    ["[E11] nothing of what is recorded, but lies elsewhere", smaller, elsewhere, "stalled NotObservable"],
    ["not settings that are stored otherwise", written("250"), observedFull("DEPLOYED", { cpu: 256 }), "settled"],
    ["settings that others changed", written("250"), observedFull("DEPLOYED", { cpu: 512 }), "updateApplication"],
    ["settings that were changed since", written("200"), observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["settings stored otherwise, on request", requested, observedFull("DEPLOYED", { cpu: 256 }), "updateApplication"],
    ["not where it cannot be", isOlder({ "spec.cpu": "200" }), observedIn("DEPLOYED"), "stalled UpdateNotSupported"],
    ["not what was added where it cannot be", isOlder({}), observedIn("DEPLOYED"), "stalled UpdateNotSupported"],
    ["variables that were not sent", { inputs: inputsWith(variables) }, observedIn("DEPLOYED"), "importVariables"],
    ["variables not sent, under way", { inputs: inputsWith(variables) }, observedIn("BUILDING"), "importVariables"],
    ["a secret that was not taken over", { ...sent([]), ...full }, replaceable, "updateSecret"],
    ["not a secret that cannot be replaced", included, observedIn("DEPLOYED"), "settled"],
  ])("%s", (_name, change, observed, expected) => {
    expect(planned(change, observed)).toBe(expected);
  });
});
