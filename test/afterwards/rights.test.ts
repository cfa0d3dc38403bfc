/**
 * [E14] The operators of the integration tests used exactly the rights that they are granted. Only the whole suite uses
 * all of them: the test is skipped, and proves nothing, when a part of the suite ran.
 */
import { describe, expect, inject, it } from "vitest";

import { RESOURCES } from "../../src/kinds/index.ts";
import { effort } from "../support/env/effort.ts";
import { grantedRights, usedRights } from "../support/kube/used-rights.ts";
import { figure } from "../support/platform/figure.ts";
import { readNotes } from "../support/programs/run-notes.ts";

/** Rights that a run need not use, each with its reason. */
const SPARE: ReadonlyMap<string, string> = new Map([
  ...RESOURCES.map(({ plural, scope }): [string, string] => [
    `get ${plural} of platform-operator.io, ${scope === "Cluster" ? "cluster" : "everywhere"}`,
    "a writer reads an object of any kind again after a conflict, which needs another write at the same moment",
  ]),
  ...["get", "create", "patch"].map((verb): [string, string] => [
    `${verb} configmaps, operator's namespace`,
    "the same right everywhere allows the request first; this one is needed when single namespaces are watched",
  ]),
  [
    "patch events of events.k8s.io, everywhere",
    "the count of a repeated event is written once a minute, and few operators of the tests run that long",
  ],
]);

/**
 * Refusals that a test provokes on purpose (`mayRefuse`): the Secret of a cluster's token without a binding of its role.
 */
const REFUSED_ON_PURPOSE = ["create secrets"];

describe("[E14] the operator's rights", () => {
  it("are exactly those that the whole suite used", async ({ task, skip }) => {
    const run = inject("integration") ?? skip("no integration test ran");
    const noted = readNotes(run.notesDir);
    const missing = run.files.filter((file) => !noted.has(file));
    // A run of the whole suite with missing files fails: it must not look like a run of chosen files.
    expect(effort.all && !run.chosen ? missing : [], "files that did not run").toEqual([]);
    skip(run.chosen || missing.length > 0, `only a part of the suite ran: ${missing.length} files are missing`);
    const { used, refused, strange, requests, operators } = await usedRights(run.auditLogPath);
    task.meta.real = true;
    const granted = grantedRights();
    expect(strange, "requests that other roles allowed, or outside of the purpose of the operator's roles").toEqual([]);
    expect([...refused], "requests that RBAC refused").toEqual(REFUSED_ON_PURPOSE);
    expect(
      [...used].filter((right) => !granted.has(right)),
      "used, but not granted",
    ).toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !SPARE.has(right));
    expect(unused, "granted, but never used: remove it from src/operator/config/rbac.ts").toEqual([]);
    figure(task, `${granted.size} rights, ${requests} requests of ${operators} operators, 0 refused unexpectedly`);
  });
});
