import { describe, expect, it } from "vitest";

import { DOCUMENTED_ENDPOINTS } from "../../../test/support/platform/documented.ts";
import { isOnce, isRead, operationEntry, type OperationName, operations, isDocumented } from "./operations.ts";

const names = Object.keys(operations) as OperationName[];
const shown = (name: OperationName) =>
  `${operations[name].method} ${operations[name].path.replaceAll(/\{\w+\}/g, "{}")}`;

describe("the table of operations", () => {
  it("has exactly the 32 operations of the specification as documented", () => {
    const documented = names.filter((name) => isDocumented(name)).map(shown);
    expect(documented.toSorted()).toEqual(DOCUMENTED_ENDPOINTS.toSorted());
    expect(documented).toHaveLength(32);
  });

  it("has each method and path once", () => {
    expect(new Set(names.map(shown)).size).toBe(names.length);
  });

  it("names as stale only reads, and only for writes", () => {
    const pairs = names.flatMap((name) => (operationEntry(name).invalidates ?? []).map((read) => ({ name, read })));
    expect(pairs.filter(({ name }) => isRead(name))).toEqual([]);
    expect(pairs.filter(({ read }) => !names.some((known) => known === read && isRead(known)))).toEqual([]);
  });

  it("lets a POST be sent once, unless it only computes or may be repeated", () => {
    const some = ["createProject", "deployDatabase", "getHelmDefaultValues", "importVariables", "putBinding"] as const;
    expect(some.map(isOnce)).toEqual([true, true, false, false, false]);
  });
});
