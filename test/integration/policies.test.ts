import { beforeAll, describe, expect, it } from "vitest";

import { editRecord, removeRecord } from "../../simulator/control/records.ts";
import { APPROVED_PLAN } from "../../src/api/names.ts";
import { planIn } from "../../src/engine/policies/approval.ts";
import { member } from "../../src/kube/api/json.ts";
import type { JsonObject } from "../../src/kube/api/types.ts";
import { condition } from "../support/env/cluster.ts";
import { createStage, type Stage } from "../support/env/env.ts";
import { eventsOf, idOf } from "../support/env/settling.ts";
import { COMMIT, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";

const plan = async (stage: Stage, kind: string, name: string) => planIn(await stage.get(kind, name));

const approve = async (stage: Stage, kind: string, name: string): Promise<void> => {
  const { hash } = (await plan(stage, kind, name)) ?? {};
  await stage.annotate(kind, name, { [APPROVED_PLAN]: hash ?? null });
};

/** Every hour of every day, in which nothing may be written. */
const NEVER = { kind: "Deny", windows: [{ schedule: "0 * * * *", duration: "2h" }] };
const ALWAYS = { kind: "Allow", windows: [{ schedule: "0 * * * *", duration: "2h", timeZone: "Europe/Berlin" }] };

for (const surface of ["documented", "full"] as const) {
  describe(`policies on the ${surface} surface`, () => {
    const stage = createStage({ surface });

    beforeAll(() => stage.apply(...defaults(stage, { surface: surface === "full" ? "Full" : "Documented" })));

    it("ObserveOnly tells what is there and writes nothing, whatever the spec says", async () => {
      await stage.apply(project("watched"));
      await stage.waitFor("PlatformProject", "watched", { status: "True" });
      await stage.remove("PlatformProject", "watched");
      const record = await stage.record();
      const observe = { managementPolicy: "ObserveOnly", deletionPolicy: "Delete" };
      await stage.apply(project("watched", { description: "changed", lifecycle: observe }));
      const seen = await stage.waitFor("PlatformProject", "watched", { type: "Drifted", status: "True" });
      expect(condition(seen, "Ready")).toMatchObject({ status: "True", reason: "Available" });
      expect(seen.metadata.finalizers ?? []).toEqual([]);
      await stage.apply(project("nowhere", { lifecycle: observe }));
      const none = await stage.waitFor("PlatformProject", "nowhere", { type: "Stalled", status: "True" });
      expect(condition(none, "Ready")).toMatchObject({ reason: "NotCreated" });
      await stage.remove("PlatformProject", "watched");
      await stage.remove("PlatformProject", "nowhere");
      await stage.waitGone("PlatformProject", "watched");
      expect(record.changes()).toEqual([]);
    });

    it("CreateOnly brings a whole tree about once, and never writes again", async () => {
      await stage.apply(...tree(stage, "once", { lifecycle: { managementPolicy: "CreateOnly" } }));
      await stage.waitFor("PlatformApplication", "once", { status: "True", reason: "Deployed" });
      const record = await stage.record();
      await stage.patch("PlatformApplication", "once", deploying(NEXT_COMMIT));
      await stage.patch("PlatformProject", "once", { spec: { description: "new" } });
      await stage.waitFor("PlatformApplication", "once", ({ metadata, status }) => {
        return member(status, "observedGeneration") === metadata.generation;
      });
      await stage.waitFor("PlatformProject", "once", { type: "Drifted", status: "True" });
      await stage.settled();
      expect(record.changes()).toEqual([]);
      const { status } = await stage.get("PlatformApplication", "once");
      expect(member(member(status, "lastDeployment"), "gitCommitId")).toBe(COMMIT);
    });

    it("Manual waits for the plan's hash, and does what the plan says, once", async () => {
      const record = await stage.record();
      const [shop, staging, web] = tree(stage, "manual");
      if (shop === undefined || staging === undefined || web === undefined) throw new Error("a tree has three");
      const spec = { ...(web["spec"] as JsonObject), lifecycle: { applyPolicy: "Manual" } };
      await stage.apply(shop, staging, { ...web, spec });
      const waiting = await stage.waitFor("PlatformApplication", "manual", { reason: "ApprovalPending" });
      expect(condition(waiting, "Reconciling")).toMatchObject({ status: "True" });
      expect(await plan(stage, "PlatformApplication", "manual")).toMatchObject({
        generation: 1,
        actions: [{ operation: "createApplication", creates: true }],
      });
      await stage.annotate("PlatformApplication", "manual", { [APPROVED_PLAN]: "0000000000000000" });
      await stage.settled();
      expect(record.changes()).toEqual(["createProject", "createEnvironment"]);
      await approve(stage, "PlatformApplication", "manual");
      await stage.waitFor("PlatformApplication", "manual", { status: "True", reason: "Deployed" });
      await stage.patch("PlatformApplication", "manual", deploying(NEXT_COMMIT));
      await stage.waitFor("PlatformApplication", "manual", { reason: "ApprovalPending" });
      expect(await plan(stage, "PlatformApplication", "manual")).toMatchObject({
        actions: [{ operation: "deployApplication", commit: NEXT_COMMIT }],
      });
      await approve(stage, "PlatformApplication", "manual");
      await stage.waitFor("PlatformApplication", "manual", { status: "True", reason: "Deployed" });
      expect(await plan(stage, "PlatformApplication", "manual")).toBeUndefined();
      await stage.quiet(1);
      expect(record.changes()).toEqual([
        "createProject",
        "createEnvironment",
        "createApplication",
        "deployApplication",
        "deployApplication",
      ]);
    });

    it("a closed change window holds writes, an open one does not", async () => {
      const record = await stage.record();
      await stage.apply(project("window", { lifecycle: { syncWindows: NEVER } }));
      await stage.waitFor("PlatformProject", "window", { reason: "OutsideChangeWindow" });
      await stage.settled();
      expect(record.changes()).toEqual([]);
      await stage.patch("PlatformProject", "window", { spec: { lifecycle: { syncWindows: ALWAYS } } });
      await stage.waitFor("PlatformProject", "window", { status: "True" });
      expect(record.changes()).toEqual(["createProject"]);
      const hours = { kind: "Allow", windows: [{ schedule: "0 99 * * *", duration: "2h" }] };
      await stage.apply(project("unclear", { lifecycle: { syncWindows: hours } }));
      const unclear = await stage.waitFor("PlatformProject", "unclear", { type: "Stalled", status: "True" });
      expect(condition(unclear, "Ready")?.message).toContain("spec.lifecycle.syncWindows.windows[0]");
      expect(record.changes()).toEqual(["createProject"]);
    });

    it("[C7] Recreate creates anew what is provably gone, once, and Fail only tells it", async () => {
      await stage.apply(project("back", { lifecycle: { onMissing: "Recreate" } }), project("lost"));
      const before = idOf(await stage.waitFor("PlatformProject", "back", { status: "True" }));
      const lost = idOf(await stage.waitFor("PlatformProject", "lost", { status: "True" }));
      // Until a list has shown them: what no list ever showed is not gone because no list shows it.
      await stage.settled();
      const record = await stage.record();
      for (const id of [before, lost]) removeRecord(stage.platform.sim, id);
      const again = await stage.waitFor("PlatformProject", "back", ({ status }) => {
        const id = member(status, "externalId");
        return typeof id === "string" && id !== before;
      });
      await stage.waitFor("PlatformProject", "back", { status: "True" });
      await stage.waitFor("PlatformProject", "lost", { reason: "ExternalResourceDeleted" });
      await stage.settled();
      expect(record.changes()).toEqual(["createProject"]);
      expect(stage.platform.world().projects.has(idOf(again))).toBe(true);
    });
  });
}

describe("policies where the platform shows everything", () => {
  const stage = createStage({ surface: "full" });

  it("approve a change of settings and its deployment at once", async () => {
    await stage.apply(...defaults(stage, { surface: "Full" }), ...tree(stage, "sized"));
    await stage.waitFor("PlatformApplication", "sized", { status: "True", reason: "Deployed" });
    const record = await stage.record();
    await stage.patch("PlatformApplication", "sized", { spec: { memory: 640, lifecycle: { applyPolicy: "Manual" } } });
    await stage.waitFor("PlatformApplication", "sized", { reason: "ApprovalPending" });
    expect(await plan(stage, "PlatformApplication", "sized")).toMatchObject({
      actions: [
        { operation: "updateApplication", fields: [expect.objectContaining({ path: "spec.memory", desired: "640" })] },
        { operation: "deployApplication", commit: COMMIT },
      ],
    });
    await approve(stage, "PlatformApplication", "sized");
    await stage.waitFor("PlatformApplication", "sized", { status: "True", reason: "Deployed" });
    await stage.settled();
    expect(record.changes()).toEqual(["updateApplication", "deployApplication"]);
  });

  it("is told field by field under Report, and corrected otherwise", async () => {
    await stage.apply(...defaults(stage, { surface: "Full" }));
    await stage.apply(project("told", { lifecycle: { driftPolicy: "Report" } }), project("mended"));
    const ids = [];
    for (const name of ["told", "mended"])
      ids.push(idOf(await stage.waitFor("PlatformProject", name, { status: "True" })));
    await stage.settled();
    const record = await stage.record();
    for (const [index, id] of ids.entries()) editRecord(stage.platform.sim, id, { name: `theirs ${index}` });
    const told = await stage.waitFor("PlatformProject", "told", { type: "Drifted", status: "True" });
    expect(condition(told, "Ready")).toMatchObject({ status: "True" });
    expect(member(told.status, "drift")).toEqual({
      fields: [{ path: "spec.name", desired: "told", observed: "theirs 0" }],
    });
    await stage.settled();
    expect(record.changes()).toEqual(["updateProject"]);
    expect(await eventsOf(stage, "told", "DriftDetected")).toHaveLength(1);
    const metrics = await (await fetch(`${stage.operator.metricsUrl}/metrics`)).text();
    expect(metrics).toContain('platform_operator_resources_drifted{kind="PlatformProject"} 1\n');
    expect(metrics).toMatch(/^platform_operator_drift_detected_total\{kind="PlatformProject"\} [12]$/m);
    await stage.quiet(1);
  });

  it("has the connection's word where the object says nothing", async () => {
    const lifecycle = { deletionPolicy: "Delete", driftPolicy: "Report" };
    await stage.patch("PlatformConnection", "default", { spec: { defaults: { lifecycle } } });
    await stage.apply(project("ruled"), project("own", { lifecycle: { deletionPolicy: "Retain" } }));
    for (const name of ["ruled", "own"]) await stage.waitFor("PlatformProject", name, { status: "True" });
    const record = await stage.record();
    for (const name of ["ruled", "own"]) await stage.remove("PlatformProject", name);
    for (const name of ["ruled", "own"]) await stage.waitGone("PlatformProject", name);
    expect(record.changes()).toEqual(["deleteProject"]);
  });
});
