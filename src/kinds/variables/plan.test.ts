import { expect, it } from "vitest";

import { inputsWith, listedVariable, listsWith, ownedOf, print } from "../../../test/support/services/applications.ts";
import { compareVariables } from "./compare.ts";
import { variableChecks, type VariableTarget } from "./plan.ts";

const before = inputsWith(
  [
    { name: "CHANGED", value: "old", isSecret: false },
    { name: "LEFT", value: "1", isSecret: false },
    { name: "GONE", value: "2", isSecret: false },
    { name: "TOKEN", value: "old", isSecret: true },
  ],
  print("before"),
);
const now = inputsWith(
  [
    { name: "NEW", value: "hunter22", isSecret: false },
    { name: "CHANGED", value: "new", isSecret: false },
    { name: "TOKEN", value: "hunter22", isSecret: true },
  ],
  print("now"),
);

function target(label: string): VariableTarget {
  const compared = {
    wanted: now,
    known: ownedOf(before),
    lists: listsWith(
      ...[listedVariable("CHANGED", "old"), listedVariable("LEFT", "1"), listedVariable("GONE", "2")],
      listedVariable("TOKEN"),
    ),
    sent: new Set<string>(),
    isAdopted: false,
    now: new Date("2026-11-21T10:00:00Z"),
    lastChange: () => undefined,
  };
  const facts = compareVariables({ isFull: true, requested: undefined }, compared);
  return { id: label, label, wanted: now, facts };
}

it("a plan names all variables that it creates, changes and removes in all applications, without their values", () => {
  const steps = variableChecks([target("web"), target("api")]).flatMap((check) => {
    const found = check();
    return found?.is === "step" && found.step.repeat === "safe" ? [found.step] : [];
  });
  expect(steps.map(({ op, message }) => `${op}: ${message}`)).toEqual([
    "importVariables: Create the variable NEW and change the variable CHANGED of application web; create the variable NEW and change the variable CHANGED of application api.",
    "updateSecret: Change the secret TOKEN of application web; change the secret TOKEN of application api.",
    "deleteVariable: Remove the variable GONE of application web; remove the variable LEFT of application web; remove the variable GONE of application api; remove the variable LEFT of application api.",
  ]);
  const names = steps.map(({ changes = [] }) => changes.map(({ path }) => path));
  const at = (...some: readonly string[]) =>
    ["web", "api"].flatMap((label) => some.map((name) => `spec.targets[${label}].variables[${name}]`));
  expect(names).toEqual([at("NEW", "CHANGED"), at("TOKEN"), at("GONE", "LEFT")]);
  expect(JSON.stringify(steps)).not.toContain("hunter22");
});
