/** The tests of the health script in the form of Argo CD's repository: every status that the operator writes. */
import { stringify } from "yaml";

import { PAUSED } from "../../src/api/names.ts";
import { conditionOf } from "../../src/engine/contract/status.ts";
import { type HealthCase, healthCases } from "../../test/health/cases.ts";

/** @returns health_test.yaml and its testdata, by path. */
export function healthTests(): ReadonlyMap<string, string> {
  const tests = healthCases.map((each) => ({
    inputPath: `testdata/${each.name}.yaml`,
    healthStatus: { status: each.health, message: messageOf(each) },
  }));
  return new Map([
    ["health_test.yaml", stringify({ tests }, { lineWidth: 0 })],
    ...healthCases.map(({ name, object }) => [`testdata/${name}.yaml`, stringify(object, { lineWidth: 0 })] as const),
  ]);
}

/** Returns the message that Argo CD shows beside the health. */
export function messageOf({ object, health }: HealthCase): string {
  if (object.metadata.annotations?.[PAUSED] === "true")
    return "Paused: the operator leaves it alone until it is resumed";
  const told = conditionOf(object, health === "Degraded" ? "Stalled" : "Ready");
  if (told === undefined) return "Waiting for the operator to look at this resource";
  if (told.observedGeneration !== object.metadata.generation) {
    return "Waiting for the latest change of the spec to be observed";
  }
  return `${told.reason}: ${told.message}`;
}
