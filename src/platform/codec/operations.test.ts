import { describe, expect, it } from "vitest";

import { isOnce, isRead, operationEntry, type OperationName, operations, isDocumented } from "./operations.ts";

/** Method and path of every endpoint in the spec, placeholders left blank. */
const SPEC = [
  "GET /organization/{}/platformTemplate",
  "PUT /organization/{}/cluster/{}/platformBinding",
  "POST /application/{}/environmentVariable/import",
  "POST /environment/{}/helmDefaultValues",
  "POST /environment/{}/blueprint",
  "POST /application/{}/deploy",
  "POST /database/{}/stop",
  "GET /{}/{}/ingressDeploymentStatus",
  "GET /application/{}/secret",
  "GET /environment/deploymentStatus",
  "GET /project/{}/environment/stats",
  "POST /organization/{}/cluster/{}/stop",
  "POST /cluster/{}/upgrade",
  "GET /cluster/{}/token",
  "GET /cluster/{}/metrics",
  "GET /cloudProvider",
  "GET /aws/managedDatabase/type",
  "GET /organization/{}/gcp/credentials/{}",
  "POST /organization/{}/downloadInvoices",
  "GET /organization/{}/account/github/repository",
  "GET /organization/{}/project",
  "POST /organization/{}/project",
  "POST /project/{}/environment",
  "POST /environment/{}/application",
  "GET /application/{}/status",
  "POST /application/{}/environmentVariable",
  "GET /application/{}/environmentVariable",
  "POST /application/{}/secret",
  "GET /application/{}/log",
  "POST /environment/{}/database",
  "POST /database/{}/deploy",
  "POST /organization/{}/webhook",
];

const names = Object.keys(operations) as OperationName[];
const shown = (name: OperationName) =>
  `${operations[name].method} ${operations[name].path.replaceAll(/\{\w+\}/g, "{}")}`;

describe("operations", () => {
  it("documents exactly the 32 of the spec", () => {
    const documented = names.filter((name) => isDocumented(name)).map(shown);
    expect(documented.toSorted()).toEqual(SPEC.toSorted());
    expect(SPEC).toHaveLength(32);
  });

  it("names each method and path once", () => {
    expect(new Set(names.map(shown)).size).toBe(names.length);
  });

  it("makes only reads stale, and only by writes", () => {
    const pairs = names.flatMap((name) => (operationEntry(name).stale ?? []).map((read) => ({ name, read })));
    expect(pairs.filter(({ name }) => isRead(name))).toEqual([]);
    expect(pairs.filter(({ read }) => !names.some((known) => known === read && isRead(known)))).toEqual([]);
  });

  it.each([
    ["getProject", true, false],
    ["getHelmDefaultValues", true, false],
    ["createProject", false, true],
    ["deployApplication", false, true],
    ["importVariables", false, false],
    ["putBinding", false, false],
    ["deleteProject", false, false],
  ] as const)("%s: read %s, once %s", (name, read, once) => {
    expect(isRead(name)).toBe(read);
    expect(isOnce(name)).toBe(once);
  });
});
