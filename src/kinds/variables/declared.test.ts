import { describe, expect, it } from "vitest";

import { importItems, resolvedVariables, variableRequests } from "./declared.ts";

const fromSecret = { secretKeyRef: { name: "s", key: "k" } };
const declared = [
  { name: "TOKEN", valueFrom: fromSecret },
  { name: "MODE", value: "fast", scope: "PROJECT" },
  { name: "OPEN", valueFrom: fromSecret, secret: false },
  { name: "CLOSED", value: "x", secret: true },
  { name: "EMPTY", value: "" },
  { name: "CONFIG", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } },
];
const inputs = resolvedVariables(declared, { value: (field) => `value of ${field}` });

describe("the variables of a spec", () => {
  it("request the values that they need", () => {
    expect(variableRequests(declared)).toEqual([
      { field: "spec.variables[TOKEN]", from: "Secret", name: "s", key: "k" },
      { field: "spec.variables[OPEN]", from: "Secret", name: "s", key: "k" },
      { field: "spec.variables[CONFIG]", from: "ConfigMap", name: "c", key: "k" },
    ]);
  });

  it("come in one order, with their values", () => {
    expect(inputs).toEqual([
      { name: "CLOSED", value: "x", isSecret: true },
      { name: "CONFIG", value: "value of spec.variables[CONFIG]", isSecret: false },
      { name: "EMPTY", value: "", isSecret: false },
      { name: "MODE", value: "fast", isSecret: false, scope: "PROJECT" },
      { name: "OPEN", value: "value of spec.variables[OPEN]", isSecret: false },
      { name: "TOKEN", value: "value of spec.variables[TOKEN]", isSecret: true },
    ]);
  });

  it.each([
    ["Full", "APPLICATION"],
    ["Documented", undefined],
  ] as const)("are imported on %s with their own scope, else %s", (surface, scope) => {
    const sent = importItems({ isFull: surface === "Full" }, inputs);
    expect(sent.map((item) => item.scope)).toEqual([scope, scope, scope, "PROJECT", scope, scope]);
    expect(sent.every((item) => item.scope !== undefined || !("scope" in item))).toBe(true);
  });
});
