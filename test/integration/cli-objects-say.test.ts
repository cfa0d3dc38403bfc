import { beforeAll, describe, expect, inject, it, vi } from "vitest";

import { PATIENCE_MS } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { metricsOf } from "../support/env/secrets.ts";
import { idOf } from "../support/env/settling.ts";
import { application, defaults, environment, project, tree } from "../support/kube/manifests.ts";
import { cli, commandsIn, ending } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");

const env = createEnv({ surface: "documented" });
const call = commandsIn(env, kubeconfigPath);

beforeAll(async () => {
  await env.ready(...defaults(env, { allowUnverifiedIds: true }), ...tree(env, "shop"));
});

describe("kubectl platform approve", () => {
  it("prints the plan, refuses a hash of another plan, and lets the operator carry out the approved one", async () => {
    await env.apply(project("manual", { lifecycle: { applyPolicy: "Manual" } }));
    await env.waitFor("PlatformProject", "manual", { reason: "ApprovalPending" });
    const record = await env.record();
    const other =
      /^createProject {2}Will create project "manual"\.\npproj\/manual now has another plan, [0-9a-f]{16}\./;
    expect(await call(["approve", "pproj/manual", "--hash", "0000000000000000"])).toEqual(ending(1, "", other));
    expect(record.changes()).toEqual([]);

    const summary = await call(["status", "pproj/manual"]);
    expect(summary.stdout).toMatch(/^◌ project \S+\/manual {2}ApprovalPending$/m);
    const [, hash = ""] =
      /Approve it with: kubectl platform approve pproj\/manual --hash (\w+)$/m.exec(summary.stdout) ?? [];
    const approved = new RegExp(`/${env.namespace}/pproj/manual plan ${hash} approved\n$`);
    expect(await call(["approve", "pproj/manual", "--hash", hash])).toEqual(ending(0, approved, /^createProject /));
    await env.waitFor("PlatformProject", "manual", { status: "True" });
    expect(record.changes()).toEqual(["createProject"]);
  });

  it("refuses a resource that has no plan to approve", async () => {
    const none = "pproj/manual has no plan to approve: its status.plan is empty.\n";
    expect(await call(["approve", "pproj/manual"])).toEqual(ending(1, "", none));
  });
});

describe("kubectl platform resolve", () => {
  const lost = async (name: string, effect: "applied" | "none"): Promise<void> => {
    env.platform.sim.faults.add({ name, effect, answer: { is: "reset" }, match: { operation: "createApplication" } });
    await env.apply(application(name, "shop"));
    await env.waitFor("PlatformApplication", name, { reason: "CreateResultUnknown" });
  };

  it("with --id makes the resource adopt that object after a create with an unknown result", async () => {
    await lost("by-id", "applied");
    const found = [...env.platform.world().services.values()].find(({ name }) => name === "by-id");
    const resolved = new RegExp(`/papp/by-id resolved: it is ${found?.id}\n$`);
    expect(await call(["resolve", "papp/by-id", "--id", found?.id ?? ""])).toEqual(ending(0, resolved));
    const settled = await env.waitFor("PlatformApplication", "by-id", { status: "True" });
    expect(idOf(settled)).toBe(found?.id);
  });

  it("with --recreate makes the operator create the object once more after a create with an unknown result", async () => {
    await lost("again", "none");
    expect((await call(["resolve", "papp/again", "--recreate"])).stdout).toMatch(/ resolved: recreate\n$/);
    await env.waitFor("PlatformApplication", "again", { status: "True" });
    const all = [...env.platform.world().services.values()].filter(({ name }) => name === "again");
    expect(all).toHaveLength(1);
  });

  it.each([
    ["papp/shop --recreate", /^papp\/shop has no create with an unknown result \(its reason is Deployed\)/],
    ["papp/shop --adopt", /^papp\/shop has the reason Deployed, not ForeignLedger/],
    ["papp/shop --proceed", /^papp\/shop has the reason Deployed\./],
    ["pconn/default --proceed", /^pconn\/default has the reason Available\./],
    ["pconn/default --id 0a1b2c3d-0000-4000-8000-000000000001", /^pconn\/default is a connection/],
    ["papp/shop --id 0a1b2c3d-0000-4000-8000-000000000001", /^papp\/shop is \S+ on the platform already\./],
  ])("refuses an answer to a question that nobody asked: %s", async (line, words) => {
    expect(await call(["resolve", ...line.split(" ")])).toEqual(ending(1, "", words));
  });
});

describe("kubectl platform orphans", () => {
  const name = "pr-3";
  const orphans = (...argv: readonly string[]) =>
    cli(["orphans", ...argv, `--operator-namespace=${env.operatorNamespace}`, "--kubeconfig", kubeconfigPath], {
      kubectl: inject("controlPlane").kubectlPath,
    });

  it("lists an object that stays on a platform without deletions, and forgets it on request; log and metrics count it", async () => {
    const preview = environment(env, name, "shop", { lifecycle: { deletionPolicy: "Delete" } });
    const id = idOf(await env.ready(preview));
    await env.delete(preview);
    const { code, stdout } = await orphans("-n", env.namespace);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^NAMESPACE +NAME +REMOTE-ID +REASON +AGE$/m);
    expect(stdout).toMatch(new RegExp(`^${env.namespace} +penv/${name} +${id} +DeleteNotSupported +\\d+s$`, "m"));
    expect((await orphans("-n", "elsewhere")).stderr).toBe("No resources found in elsewhere namespace.\n");
    expect((await orphans("-n", env.namespace, "-o", "name")).stdout).toContain(
      `platformenvironment.platform-operator.io/${name}\n`,
    );
    expect(env.operator.logs().filter((line) => "orphan" in line && line["name"] === name)).toMatchObject([
      { orphan: "recorded", kind: "PlatformEnvironment", namespace: env.namespace, id, reason: "DeleteNotSupported" },
    ]);
    const counted =
      /^platform_operator_orphaned_objects\{kind="PlatformEnvironment",reason="DeleteNotSupported"\} [1-9]\d*$/m;
    await vi.waitFor(async () => expect(await metricsOf(env.operator)).toMatch(counted), PATIENCE_MS);
    const forgotten = new RegExp(`/${env.operatorNamespace}/${id} forgotten$`, "m");
    const tried = await orphans("forget", id, "--dry-run=server");
    expect(tried).toMatchObject({ code: 0, stdout: expect.stringMatching(/ forgotten \(server dry run\)\n$/) });
    expect(await orphans("forget", id)).toMatchObject({ code: 0, stdout: expect.stringMatching(forgotten) });
    expect(await orphans("forget", id)).toMatchObject({ code: 1, stdout: "" });
    expect((await orphans("forget", name)).code).toBe(64);
    // Now it is nothing but a name that is taken.
    await env.apply(preview);
    await env.stalled("PlatformEnvironment", name, "NameConflict");
    await env.delete(preview);
  });
});
