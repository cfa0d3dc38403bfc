import { expect, it } from "vitest";

import { createFaults, type FaultInput } from "./faults.ts";

const subject = { method: "POST", path: "/application/1/deploy", operation: "deployApplication" };

/** Returns which of the first six calls get the fault. */
function met(fault: FaultInput): number[] {
  const faults = createFaults();
  faults.add(fault);
  return [1, 2, 3, 4, 5, 6].filter(() => faults.take(subject) !== undefined);
}

const answer = { is: "reset" } as const;

it.each<[string, Omit<FaultInput, "answer">, number[]]>([
  ["applies to one call by default", {}, [1]],
  ["applies as often as its count", { count: 2 }, [1, 2]],
  ["applies to all calls", { count: null }, [1, 2, 3, 4, 5, 6]],
  ["begins later", { after: 2, count: 2 }, [3, 4]],
  ["applies to every second call", { every: 2, count: null }, [1, 3, 5]],
  ["applies to every third call after the first", { after: 1, every: 3, count: null }, [2, 5]],
  ["applies to its operation", { match: { operation: "deployApplication" } }, [1]],
  ["does not apply to another operation", { match: { operation: "stopDatabase" } }, []],
  ["applies to its method", { match: { method: "post" } }, [1]],
  ["does not apply to another method", { match: { method: "GET" } }, []],
  ["applies to its path", { match: { path: "/application/*/deploy" } }, [1]],
  ["does not apply to another path", { match: { path: "/application/*", method: "GET" } }, []],
  ["matches a dot only literally", { match: { path: "/application/1.deploy" } }, []],
])("a fault %s", (_what, fault, expected) => {
  expect(met({ ...fault, answer })).toEqual(expected);
});

it("a fault is removed by its name, without the others", () => {
  const faults = createFaults();
  faults.add({ name: "a", answer, count: null });
  faults.add({ name: "b", answer, count: null });
  faults.clear("a");
  expect(faults.list().map(({ name }) => name)).toEqual(["b"]);
  faults.clear();
  expect(faults.take(subject)).toBeUndefined();
});
