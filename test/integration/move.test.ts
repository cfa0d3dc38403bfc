/** What becomes of an object whose resource is moved to another namespace or installation, or restored from a backup. */
import { join } from "node:path";

import { beforeAll, describe, expect, inject, it } from "vitest";

import { MOVE_TO, PAUSED } from "../../src/api/names.ts";
import { isPaused } from "../../src/api/paused.ts";
import { member, stringMember } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { writeContexts } from "../control-plane/access.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { idOf } from "../support/env/settling.ts";
import { application, database, defaults, deploying, NEXT_COMMIT, tree } from "../support/kube/manifests.ts";
import { cli } from "../support/programs/cli.ts";

const APP = "PlatformApplication";
const HOLD = "example.com/hold";
const READY = { status: "True" } as const;

const contexts = { here: inject("controlPlane"), there: await ownControlPlane() };
const kubeconfig = join(contexts.there.dir, "two-clusters");

describe("on a surface that does not show where an application belongs, with ids that must be proven", () => {
  const here = createEnv({ surface: "documented", more: ["b"] });
  const there = createEnv({ surface: "documented", controlPlane: contexts.there });
  const other = () => here.at("b");
  const at = (context: keyof typeof contexts, ...argv: readonly string[]) => {
    const { namespace } = { here, there }[context];
    return cli([...argv, "--kubeconfig", kubeconfig, "--context", context, "-n", namespace]);
  };
  const orphans = () => at("here", "orphans", `--operator-namespace=${here.operatorNamespace}`);

  /** Of an object that was changed since. */
  let backup: KubeObject;

  beforeAll(async () => {
    await writeContexts(kubeconfig, contexts);
    const proven = { allowUnverifiedIds: false };
    await there.apply(...defaults(here, proven));
    await other().apply(...defaults(here, proven));
    await here.ready(
      ...defaults(here, proven),
      ...tree(here, "shop"),
      ...["web", "kept", "late", "saved"].map((name) => application(name, "shop")),
      database("cache", "shop"),
      database("orders", "shop", { lifecycle: { deletionPolicy: "Delete" } }),
      database("idle", "shop", { runState: "Stopped" }),
    );
    backup = await here.get(APP, "saved");
    await here.patch(APP, "saved", deploying(NEXT_COMMIT));
    await here.waitFor(APP, "saved", { ...READY, reason: "Deployed" });
  });

  describe("to another namespace", () => {
    const move = (...argv: readonly string[]) => at("here", "move", ...argv, "--to", other().namespace);

    it("move hands it over without a write to the platform", async () => {
      const id = idOf(await here.get(APP, "web"));
      const record = await here.record();
      expect(await move("papp/web", "--dry-run")).toMatchObject({ code: 0, stderr: "" });
      expect((await here.get(APP, "web")).metadata.deletionTimestamp).toBeUndefined();
      const { code, stdout } = await move("papp/web", "--wait");
      expect(code).toBe(0);
      const where = `from namespace "${here.namespace}" to "${other().namespace}"`;
      expect(stdout).toContain(`platformapplication.platform-operator.io/web moved ${where}\n`);
      const moved = await other().get(APP, "web");
      expect(idOf(moved)).toBe(id);
      expect(condition(moved, "Ready")).toMatchObject(READY);
      await here.waitGone(APP, "web");
      const ordered = await move("pdbase/cache", "--wait");
      expect(ordered.code, ordered.stderr).toBe(0);
      await here.settled();
      expect(record.changes()).toEqual([]);
      expect((await orphans()).stderr).toContain("Nothing found.");
    });

    it("move does not start a failed deployment again, whoever asked for a reconcile before", async () => {
      await here.ready(application("broken", "shop"));
      await here.annotate(APP, "broken", { "reconcile.fluxcd.io/requestedAt": "1" });
      await here.settled();
      await here.apply(application("broken", "shop", { deploy: { gitCommitId: "bad0001" } }));
      await here.waitFor(APP, "broken", { type: "Stalled", status: "True" });
      const record = await here.record();
      const { code, stderr } = await move("papp/broken", "--wait");
      expect(stderr).toContain("papp/broken: BuildFailed: ");
      expect(code).toBe(1);
      await here.settled();
      expect(record.changes()).toEqual([]);
    });

    it("move is refused where a program would create the object again, or another one is there", async () => {
      await here.kubectl(["annotate", "papp", "kept", "example.com/by=argo", "--field-manager=argocd-controller"]);
      expect((await move("papp/kept")).stderr).toMatch(/^Argo CD applies papp\/kept and would create it again/);
      expect((await move("papp/web")).stderr).toMatch(/^PlatformApplication "web" does not exist in namespace/);
    });

    it("a manifest that its source moves is found by the annotation of the old one", async () => {
      const before = await here.ready(application("synced", "shop"));
      await here.annotate(APP, "synced", { [MOVE_TO]: other().namespace });
      await here.delete(before);
      const record = await here.record();
      const environmentRef = { externalId: idOf(await here.get("PlatformEnvironment", "shop")) };
      const moved = await other().ready(application("synced", "shop", { environmentRef }));
      expect(idOf(moved)).toBe(idOf(before));
      expect(record.changes()).toEqual([]);
    });

    it("while no operator runs, a backup does not lose its object, and a move creates nothing and says what to do", async () => {
      const before = await here.get(APP, "kept");
      const manifest = await here.kubectl(["get", "papp", "kept", "-o", "yaml"]);
      const id = idOf(await here.ready(application("unseen", "shop")));
      await here.stop();
      await here.delete(before);
      expect((await move("papp/unseen")).code).toBe(0);
      await here.start();
      const record = await here.record();
      const moved = await other().waitFor(APP, "unseen", { status: "False" });
      expect(condition(moved, "Ready")?.message).toContain(id);
      expect(await here.kubectl(["apply", "-f", "-"], { input: manifest })).toMatch(/ created$/m);
      expect(idOf(await here.waitFor(APP, "kept", READY))).toBe(idOf(before));
      expect(record.changes()).toEqual([]);
    });
  });

  describe("to another installation", () => {
    const move = (...argv: readonly string[]) =>
      at("here", "move", ...argv, "--to-installation", "there", "--to", there.namespace);

    it("move --to-installation hands it over without a write to the platform, and nothing here finds it again", async () => {
      const before = await here.get(APP, "shop");
      const record = await here.record();
      expect((await at("here", "move", "papp/shop", "--to-installation", "here")).stderr).toMatch(
        /^Context "here" is the same installation/,
      );
      expect(await move("papp/shop", "--dry-run")).toMatchObject({ code: 0, stderr: "" });
      expect((await here.get(APP, "shop")).metadata.generation).toBe(before.metadata.generation);
      expect(await there.find(APP, "shop")).toBeUndefined();
      const { code, stdout } = await move("papp/shop", "--wait");
      expect([code, stdout]).toEqual([
        0,
        `platformapplication.platform-operator.io/shop moved to namespace "${there.namespace}" of context "there"\n`,
      ]);
      const moved = await there.waitFor(APP, "shop", READY);
      expect(idOf(moved)).toBe(idOf(before));
      // What the platform does not show is known there, too.
      expect(member(moved.status, "lastDeployment")).toEqual(member(before.status, "lastDeployment"));
      await here.waitGone(APP, "shop");
      for (const target of ["pdbase/orders", "pdbase/idle", "penv/shop", "pproj/shop"]) {
        const moving = await move(target, "--wait");
        expect(moving.code, moving.stderr).toBe(0);
      }
      await here.settled();
      await there.settled();
      expect(record.changes()).toEqual([]);
      expect((await orphans()).stderr).toContain("Nothing found.");
      // From now on it is the other one's.
      await there.patch(APP, "shop", deploying(NEXT_COMMIT));
      await there.waitFor(APP, "shop", { ...READY, reason: "Deployed" });
      expect(record.changes()).toEqual(["deployApplication"]);
    });

    it("an interrupted move leaves an object that one installation writes to at most, and is finished by a repetition", async () => {
      const before = await here.get(APP, "late");
      const record = await here.record();
      await here.patch(APP, "late", { metadata: { finalizers: [HOLD] } });
      // Nobody here sees that it shall only be observed.
      await here.stop();
      expect(await move("papp/late", "--timeout=1s")).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^papp\/late is still worked on\./),
      });
      expect((await here.get(APP, "late")).metadata.deletionTimestamp).toBeUndefined();
      await here.start();
      // It is deleted, and not gone yet.
      expect(await move("papp/late", "--timeout=10s")).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^papp\/late is still being deleted\./),
      });
      const copy = await there.get(APP, "late");
      expect(isPaused(copy)).toBe(true);
      // Nothing is written by the other one before that, whoever resumes it.
      await there.annotate(APP, "late", { [PAUSED]: null });
      await there.waitFor(APP, "late", { reason: "ForeignLedger" });
      await here.patch(APP, "late", { metadata: { finalizers: null } });
      await here.waitGone(APP, "late");
      // It is gone, and not adopted yet.
      expect((await move("papp/late", "--wait")).code).toBe(0);
      expect(idOf(await there.waitFor(APP, "late", READY))).toBe(idOf(before));
      expect((await move("papp/late")).stderr).toMatch(/^PlatformApplication "late" does not exist in namespace/);
      await there.settled();
      expect(record.changes()).toEqual([]);
      expect((await orphans()).stderr).toContain("Nothing found.");
    });

    it("what a backup restored there is replaced by what is here", async () => {
      const { apiVersion, kind, metadata, spec = {}, status = {} } = backup;
      const { name, annotations = {} } = metadata;
      const record = await here.record();
      await there.apply({ apiVersion, kind, metadata: { name, annotations: { ...annotations } }, spec });
      await there.patch(APP, name, { status }, "status");
      await there.waitFor(APP, name, { reason: "ForeignLedger" });
      const back = await at("there", "move", "papp/saved", "--to-installation", "here", "--to", here.namespace);
      expect(back.stderr).toMatch(/^papp\/saved belongs to another installation/);
      const moving = await move("papp/saved", "--wait");
      expect(moving.code, moving.stderr).toBe(0);
      const moved = await there.waitFor(APP, name, READY);
      expect(idOf(moved)).toBe(stringMember(status, "externalId"));
      expect(moved.spec).toMatchObject({ deploy: { gitCommitId: NEXT_COMMIT } });
      await there.settled();
      expect(record.changes()).toEqual([]);
    });
  });
});
