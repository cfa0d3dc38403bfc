/** What becomes of an object whose resource is moved to another namespace, or restored from a backup. */
import { beforeAll, describe, expect, inject, it } from "vitest";

import { MOVE_TO } from "../../src/api/names.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { idOf } from "../support/env/settling.ts";
import { application, database, defaults, tree } from "../support/kube/manifests.ts";
import { commandsIn } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");

describe("on a surface that does not show where an application belongs, with ids that must be proven", () => {
  const env = createEnv({ surface: "documented", more: ["b"] });
  const other = () => env.at("b");
  const commands = commandsIn(env, kubeconfigPath);
  const move = (...argv: readonly string[]) => commands(["move", ...argv, "--to", other().namespace]);

  beforeAll(async () => {
    const proven = { allowUnverifiedIds: false };
    await other().apply(...defaults(env, proven));
    const services = [database("orders", "shop"), application("late", "shop")];
    await env.ready(...defaults(env, proven), ...tree(env, "shop"), ...services);
  });

  it("move hands it over without a write to the platform", async () => {
    const id = idOf(await env.get("PlatformApplication", "shop"));
    const record = await env.record();
    expect(await move("papp/shop", "--dry-run")).toMatchObject({ code: 0, stderr: "" });
    expect((await env.get("PlatformApplication", "shop")).metadata.deletionTimestamp).toBeUndefined();
    const { code, stdout } = await move("papp/shop", "--wait");
    expect(code).toBe(0);
    const where = `from namespace "${env.namespace}" to "${other().namespace}"`;
    expect(stdout).toContain(`platformapplication.platform-operator.io/shop moved ${where}\n`);
    const moved = await other().get("PlatformApplication", "shop");
    expect(idOf(moved)).toBe(id);
    expect(condition(moved, "Ready")).toMatchObject({ status: "True" });
    await env.waitGone("PlatformApplication", "shop");
    const ordered = await move("pdbase/orders", "--wait");
    expect(ordered.code, ordered.stderr).toBe(0);
    await env.settled();
    expect(record.changes()).toEqual([]);
    const left = await commands(["orphans", `--operator-namespace=${env.operatorNamespace}`]);
    expect(left.stderr).toContain("Nothing found.");
  });

  it("move does not start a failed deployment again, whoever asked for a reconcile before", async () => {
    await env.ready(application("broken", "shop"));
    await env.annotate("PlatformApplication", "broken", { "reconcile.fluxcd.io/requestedAt": "1" });
    await env.settled();
    await env.apply(application("broken", "shop", { deploy: { gitCommitId: "bad0001" } }));
    await env.waitFor("PlatformApplication", "broken", { type: "Stalled", status: "True" });
    const record = await env.record();
    const { code, stderr } = await move("papp/broken", "--wait");
    expect(stderr).toContain("papp/broken: BuildFailed: ");
    expect(code).toBe(1);
    await env.settled();
    expect(record.changes()).toEqual([]);
  });

  it("move is refused where a program would create the object again, or another one is there", async () => {
    await env.kubectl(["annotate", "papp", "late", "example.com/by=argo", "--field-manager=argocd-controller"]);
    expect((await move("papp/late")).stderr).toMatch(/^Argo CD applies papp\/late and would create it again/);
    expect((await move("papp/shop")).stderr).toMatch(/^PlatformApplication "shop" does not exist in namespace/);
  });

  it("a manifest that its source moves is found by the annotation of the old one", async () => {
    const before = await env.ready(application("synced", "shop"));
    await env.annotate("PlatformApplication", "synced", { [MOVE_TO]: other().namespace });
    await env.delete(before);
    const record = await env.record();
    const environmentRef = { externalId: idOf(await env.get("PlatformEnvironment", "shop")) };
    const moved = await other().ready(application("synced", "shop", { environmentRef }));
    expect(idOf(moved)).toBe(idOf(before));
    expect(record.changes()).toEqual([]);
  });

  it("while no operator runs, a backup does not lose its object, and a move creates nothing and says what to do", async () => {
    const before = await env.get("PlatformApplication", "late");
    const backup = await env.kubectl(["get", "papp", "late", "-o", "yaml"]);
    const id = idOf(await env.ready(application("unseen", "shop")));
    await env.stop();
    await env.delete(before);
    expect((await move("papp/unseen")).code).toBe(0);
    await env.start();
    const record = await env.record();
    const moved = await other().waitFor("PlatformApplication", "unseen", { status: "False" });
    expect(condition(moved, "Ready")?.message).toContain(id);
    expect(await env.kubectl(["apply", "-f", "-"], { input: backup })).toMatch(/ created$/m);
    expect(idOf(await env.waitFor("PlatformApplication", "late", { status: "True" }))).toBe(idOf(before));
    expect(record.changes()).toEqual([]);
  });
});
