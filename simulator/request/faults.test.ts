import { describe, expect, it } from "vitest";

import { createFaults, type FaultInput } from "./faults.ts";

const subject = { method: "POST", path: "/application/1/deploy", operation: "deployApplication" };

/** Returns which of the first six calls get the fault. */
function met(fault: FaultInput): number[] {
  const faults = createFaults();
  faults.add(fault);
  return [1, 2, 3, 4, 5, 6].filter(() => faults.take(subject) !== undefined);
}

const answer = { is: "reset" } as const;

describe("a fault", () => {
  it.each<[string, Omit<FaultInput, "answer">, number[]]>([
    ["meets one call", {}, [1]],
    ["meets as many as told", { count: 2 }, [1, 2]],
    ["meets all", { count: null }, [1, 2, 3, 4, 5, 6]],
    ["begins later", { after: 2, count: 2 }, [3, 4]],
    ["flaps", { every: 2, count: null }, [1, 3, 5]],
    ["flaps later", { after: 1, every: 3, count: null }, [2, 5]],
    ["meets its operation", { match: { operation: "deployApplication" } }, [1]],
    ["leaves another operation alone", { match: { operation: "stopDatabase" } }, []],
    ["meets its method", { match: { method: "post" } }, [1]],
    ["leaves another method alone", { match: { method: "GET" } }, []],
    ["meets its path", { match: { path: "/application/*/deploy" } }, [1]],
    ["leaves another path alone", { match: { path: "/application/*", method: "GET" } }, []],
    ["does not take a dot for anything", { match: { path: "/application/1.deploy" } }, []],
  ])("%s", (_what, fault, expected) => {
    expect(met({ ...fault, answer })).toEqual(expected);
  });

  it("is removed by its name, the others stay", () => {
    const faults = createFaults();
    faults.add({ name: "a", answer, count: null });
    faults.add({ name: "b", answer, count: null });
    faults.clear("a");
    expect(faults.list().map(({ name }) => name)).toEqual(["b"]);
    faults.clear();
    expect(faults.take(subject)).toBeUndefined();
  });
});
