import { describe, expect, it } from "vitest";

import { passWith, inputsWith, print, seenIn, specOf } from "../../../test/support/applications.ts";
import type { Json, Resolved } from "../../engine/kind.ts";
import { inputVariables, pendingSecrets, variablesSent } from "./variables.ts";

const fromSecret = { secretKeyRef: { name: "s", key: "k" } };
const fromConfig = { configMapKeyRef: { name: "c", key: "k" } };
const spec = specOf({
  variables: [
    { name: "TOKEN", valueFrom: fromSecret },
    { name: "MODE", value: "fast" },
    { name: "OPEN", valueFrom: fromSecret, secret: false },
    { name: "CLOSED", value: "x", secret: true },
    { name: "EMPTY", value: "" },
    { name: "CONFIG", valueFrom: fromConfig },
  ],
});

describe("the variables of an application", () => {
  it("come in one order, with their values, and with one fingerprint of all", () => {
    const seen: Json[] = [];
    const resolved = {
      value: (field: string) => `value of ${field}`,
      fingerprint: (content: Json) => {
        seen.push(content);
        return print("all");
      },
    } as unknown as Resolved;
    const { variables, fingerprint } = inputVariables(spec, resolved);
    expect(variables).toEqual([
      { name: "CLOSED", value: "x", isSecret: true },
      { name: "CONFIG", value: "value of spec.variables[CONFIG]", isSecret: false },
      { name: "EMPTY", value: "", isSecret: false },
      { name: "MODE", value: "fast", isSecret: false },
      { name: "OPEN", value: "value of spec.variables[OPEN]", isSecret: false },
      { name: "TOKEN", value: "value of spec.variables[TOKEN]", isSecret: true },
    ]);
    expect(fingerprint).toEqual(print("all"));
    expect(seen).toEqual([variables.map(({ name, value, isSecret }) => [name, value, isSecret])]);
  });

  const variables = [
    { name: "A", value: "1", isSecret: false },
    { name: "B", value: "2", isSecret: true },
  ];
  const inputs = inputsWith(variables, print("now"));
  const written = (digest: string, ...variableNames: string[]) => ({
    memory: { written: { variables: print(digest), variableNames } },
    inputs,
  });

  it.each<[string, Parameters<typeof passWith>[0], readonly string[] | undefined, boolean]>([
    ["there are none", {}, undefined, true],
    ["they were sent so", written("now"), undefined, true],
    ["they were sent otherwise", written("old"), undefined, false],
    ["they were sent otherwise, whatever keys are there", written("old"), ["A", "B"], false],
    ["they were never sent", { inputs }, undefined, false],
    ["their keys were found", { inputs }, ["A", "B", "C"], true],
    ["a key was not found", { inputs }, ["A"], false],
  ])("count as sent or not when %s", (_name, change, keys, sent) => {
    const seen = seenIn("DEPLOYED", { keys: keys === undefined ? undefined : new Set(keys) });
    expect(variablesSent(passWith(change), seen)).toBe(sent);
  });

  it.each<[string, Parameters<typeof passWith>[0], readonly string[]]>([
    ["were never sent", { inputs }, []],
    ["were sent otherwise", written("old"), []],
    ["were all taken over", written("now", "A", "B"), []],
    ["were taken over in part", written("now", "A"), ["B"]],
  ])("wait to be replaced when they %s", (_name, change, expected) => {
    expect(pendingSecrets(passWith(change)).map(({ name }) => name)).toEqual(expected);
  });
});
