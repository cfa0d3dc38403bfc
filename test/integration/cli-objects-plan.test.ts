import { beforeAll, describe, expect, inject, it } from "vitest";

import type { Manifest } from "../support/env/cluster.ts";
import { createEnv, type Env } from "../support/env/env.ts";
import { application, connection, defaults, environment } from "../support/kube/manifests.ts";
import { NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { commandsIn, ON_LOOPBACK } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");

/** Plans manifests; nothing may come of it on either side. */
async function planned(env: Env, manifests: readonly Manifest[], ...argv: readonly string[]) {
  const record = await env.record();
  const call = commandsIn(env, kubeconfigPath, ...ON_LOOPBACK, `--operator-namespace=${env.operatorNamespace}`);
  const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
  const ended = await call(["plan", "-f", "-", ...argv], { stdin });
  expect(record.changes()).toEqual([]);
  expect((await record.writes()).objects).toEqual([]);
  return ended;
}

describe.each(["documented", "full"] as const)("plan on the %s surface", (surface) => {
  const env = createEnv({ surface });

  beforeAll(async () => {
    await env.ready(...defaults(env), ...tree(env, "shop"));
    await env.settled();
  });

  it("has nothing to change in what was applied already", async () => {
    const { code, stdout, stderr } = await planned(env, [...defaults(env), ...tree(env, "shop")]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "Objects of other kinds, which are not planned: 1. The values of Secrets and ConfigMaps among them are used.\n",
    });
    expect(stdout).toBe(
      [
        "OBJECT          ACTION   DETAILS",
        "pconn/default   none",
        "pproj/shop      none",
        "penv/shop       none",
        "papp/shop       none",
        "",
        "Plan: 0 to change, 4 without a write, 0 that cannot be planned.",
        "",
      ].join("\n"),
    );
  });

  it("shows what is created, and what comes after it", async () => {
    const { code, stdout } = await planned(env, tree(env, "new"));
    expect(stdout).toBe(
      [
        "OBJECT      ACTION   DETAILS",
        "pproj/new   create",
        '                     createProject  Will create project "new".',
        'penv/new    create   Will be created after PlatformProject "new".',
        'papp/new    create   Will be created after PlatformEnvironment "new".',
        "",
        "Plan: 3 to change, 0 without a write, 0 that cannot be planned.",
        "",
      ].join("\n"),
    );
    expect(code).toBe(2);
  });

  it("shows a deployment of another commit, and for other tools", async () => {
    const changed = application("shop", "shop", { deploy: { gitCommitId: NEXT_COMMIT } });
    const { code, stdout } = await planned(env, [changed], "-o", "json");
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: "PlatformApplication", name: "shop", action: "deploy", actions: [{ commit: NEXT_COMMIT }] },
    ]);
    const { stdout: table } = await planned(env, [changed]);
    expect(table.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(table).toMatch(
      /^papp\/shop +deploy\n +deployApplication {2}Commit 89abcde will be deployed\.\n +commit: 0123456\w+ → 89abcde\w+$/m,
    );
    const named = await planned(env, [changed], "-o", "name");
    expect(named.stdout).toBe("platformapplication.platform-operator.io/shop\n");
  });

  it("says what cannot be planned", async () => {
    const { code, stdout } = await planned(env, [
      application("shop", "shop", { cpu: 0 }),
      project("shop", { descripton: "It is misspelt." }),
      environment(env, "lost", "nowhere"),
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^pproj\/shop +error +standard input: The API server rejects it: .*"spec\.descripton"/m);
    expect(stdout).toMatch(/^papp\/shop +error +standard input: The API server rejects it: .*spec\.cpu/m);
    expect(stdout).toMatch(/^penv\/lost +error +ParentNotFound: PlatformProject "nowhere" does not exist/m);
  });

  it("says once what is wrong with a connection", async () => {
    const connectionRef = { name: "tokenless" };
    const projects = ["one", "two"].map((name) => project(name, { connectionRef }));
    const { code, stdout } = await planned(env, [connection(env, "tokenless"), ...projects]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^OBJECT .*\npconn\/tokenless and 2 more +error +CredentialsMissing: Secret "tokenless" .*\n\nPlan: 0 to change, 0 .*, 3 that cannot be planned\.\n$/,
    );
  });

  it("says whether settings can be changed", async () => {
    const { code, stdout } = await planned(env, [application("shop", "shop", { cpu: 750 })]);
    const [expected, row] = {
      full: [2, /^papp\/shop +update, deploy\n +updateApplication .*\n +spec\.cpu: \d+ → 750\n +deployApplication /m],
      documented: [1, /^papp\/shop +error +UpdateNotSupported: /m],
    }[surface] as [number, RegExp];
    expect(code).toBe(expected);
    expect(stdout).toMatch(row);
  });

  it("adopts without a write", async () => {
    const [id] = env.platform.world().projects.keys();
    await env.kubectl(["delete", "platformprojects,platformenvironments,platformapplications", "--all"]);
    await env.settled();
    const { code, stdout } = await planned(env, [project("shop", { externalId: id ?? "" })]);
    expect(stdout).toMatch(new RegExp(`^pproj/shop +adopt +${id}$`, "m"));
    expect(code).toBe(0);
  });
});
