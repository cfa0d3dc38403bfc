/**
 * [E14] What all operators of the integration tests used of the cluster's API is what they are granted, no more and no
 * less. Only the whole suite can tell: it is skipped, and proves nothing, when a part of it ran.
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
    "one writer reads an object of any kind again after a conflict, which comes when somebody else writes at that moment",
  ]),
  ...["get", "create", "patch"].map((verb): [string, string] => [
    `${verb} configmaps, operator's namespace`,
    "the same right everywhere lets the request through first; it counts where single namespaces are watched",
  ]),
  [
    "patch events of events.k8s.io, everywhere",
    "an event that comes again is counted once a minute, and few operators of the tests live that long",
  ],
]);

/**
 * What a stage provokes on purpose (`mayRefuse`): the Secret of a cluster's token where the role for it is not bound.
 */
const REFUSED_ON_PURPOSE = ["create secrets"];

describe("[E14] the operator's rights", () => {
  it("are exactly those that the whole suite used", async ({ task, skip }) => {
    const run = inject("integration") ?? skip("no integration test ran");
    const noted = readNotes(run.notesDir);
    const missing = run.files.filter((file) => !noted.has(file));
    // What should have been the whole suite, and was not, has proven nothing: that must not pass for a plan left out.
    expect(effort.all && !run.chosen ? missing : [], "files that left no notes").toEqual([]);
    skip(run.chosen || missing.length > 0, `only a part of the suite ran: ${missing.length} files are missing`);
    const { used, refused, strange, requests, operators } = await usedRights(run.auditLogPath);
    task.meta.real = true;
    const granted = grantedRights();
    expect(strange, "requests that other roles allowed, or outside of what ours are for").toEqual([]);
    expect([...refused], "requests that RBAC refused").toEqual(REFUSED_ON_PURPOSE);
    expect(
      [...used].filter((right) => !granted.has(right)),
      "used, and not granted",
    ).toEqual([]);
    const unused = [...granted].filter((right) => !used.has(right) && !SPARE.has(right));
    expect(unused, "granted, and never used: take it away in src/operator/config/rbac.ts").toEqual([]);
    figure(task, `${granted.size} rights, ${requests} requests of ${operators} operators, 0 refused unexpectedly`);
  });
});
