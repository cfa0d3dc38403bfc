import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";

import { FINALIZER } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import { kubeconfigFor } from "../control-plane/access.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { application, defaults, tree } from "../support/kube/manifests.ts";
import { cli } from "../support/programs/cli.ts";

// The connections of the whole cluster are counted.
const controlPlane = await ownControlPlane();
const PASSWORD = "correct-horse-battery";

const env = createEnv({ surface: "full", controlPlane });
const call = (argv: readonly string[], kubeconfig = controlPlane.kubeconfigPath) =>
  cli([
    ...argv,
    "--kubeconfig",
    kubeconfig,
    "-n",
    env.namespace,
    "--allow-insecure-platform",
    "--allowed-platform-hosts=127.0.0.1",
  ]);
const operator = (): string => `--operator-namespace=${env.operatorNamespace}`;
/** Which results each check has. */
const results = (stdout: string): ReadonlyMap<string, string> =>
  new Map(
    (JSON.parse(stdout) as readonly { readonly check: string; readonly result: string }[]).map(({ check, result }) => [
      check,
      result,
    ]),
  );

beforeAll(async () => {
  await env.ready(...defaults(env), ...tree(env, "shop"));
  // What the tree's reads showed is written by the connection's own reconcile, later.
  await env.waitFor("PlatformConnection", "default", ({ status }) => {
    const supported = member(member(status, "operations"), "supported");
    return Array.isArray(supported) && supported.includes("getProject");
  });
});

describe("check", () => {
  it("is content where everything is in place", async () => {
    const { code, stdout, stderr } = await call(["check", operator()]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toMatch(/^✗/m);
    const lines = [
      /^✔ cluster +\S+, Kubernetes v1\.\d+/,
      /^✔ CRDs +all \d+ are installed and current$/m,
      /^✔ operator +\S+ leads$/m,
      /^✔ your rights +you may read the custom resources of namespace "stage-/m,
      /^✔ pconn\/default +The platform is reachable and accepts the token\.$/m,
      /^✔ platform +it answers; the token sees 1 project$/m,
      /^✔ clocks +this machine and the platform agree$/m,
      /^· token +the platform does not show its scope/m,
      /^✔ objects +none of 4 is Stalled$/m,
    ];
    for (const line of lines) expect(stdout).toMatch(line);
    // What is known of the operations beyond the specification: a deployed tree was read, nothing was deleted.
    expect(stdout).toMatch(/^· pconn\/default supported +getProject, /m);
    expect(stdout).toMatch(/^· pconn\/default not tried +[^·✔]*all\s+7\s+deletions/m);
    const reported = stdout.split("\n").filter((line) => /^(?:· | {3})/.test(line));
    expect(reported.filter((line) => line.length > 120)).toEqual([]);
  });

  it("says what is missing, and what to do", async () => {
    const { code, stdout } = await call(["check", "--operator-namespace=nowhere"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✗ operator +there is no lease platform-operator-leader-election in namespace "nowhere"\. Install it/m,
    );
    expect(stdout).toMatch(/^✗ operator's rights +ServiceAccount nowhere\/platform-operator may not /m);
    const waited = await call(["check", "--operator-namespace=nowhere", "--wait=1s", "-o", "json"]);
    expect(waited.code).toBe(3);
    expect(waited.stderr).toMatch(/^not yet: operator, operator's rights\n/);
    expect(results(waited.stdout).get("operator")).toBe("failed");
  });

  it("shows a user with few rights what those are", async () => {
    await env.kubectl(["create", "serviceaccount", "nobody"]);
    const kubeconfig = await kubeconfigFor(controlPlane, env.namespace, "nobody");
    const { code, stdout } = await call(["check", operator(), "-o", "json"], kubeconfig);
    expect(code).toBe(1);
    expect(Object.fromEntries(results(stdout))).toMatchObject({
      cluster: "ok",
      CRDs: "unknown",
      operator: "unknown",
      "operator's rights": "unknown",
    });
  });

  it("--pre asks only for what an installation needs", async () => {
    const { code, stdout } = await call(["check", "--pre"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✔ cluster [^\n]+\n✔ your rights +enough to install\n$/);
  });

  it("--uninstall names what has a finalizer, until it has none", async () => {
    expect(await call(["check", "--uninstall"])).toEqual({
      code: 0,
      stdout: `✔ finalizers  none of 4 objects in namespace "${env.namespace}" has one: deleting them does not change the platform\n`,
      stderr: "",
    });
    const policy = async (deletionPolicy: string, finalizers: readonly string[]): Promise<void> => {
      await env.patch("PlatformApplication", "shop", { spec: { lifecycle: { deletionPolicy } } });
      await env.waitFor("PlatformApplication", "shop", ({ metadata }) =>
        isDeepStrictEqual(metadata.finalizers ?? [], finalizers),
      );
    };
    await policy("Delete", [FINALIZER]);
    const { code, stdout } = await call(["check", "--uninstall"]);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `✗ PlatformApplication ${env.namespace}/shop  deletionPolicy Delete: deleting it also deletes it on the platform. Delete it while the operator runs, or set Retain.\n`,
    );
    // Without a namespace it looks into all of them.
    const everywhere = await cli(["check", "--uninstall", "-o", "json", "--kubeconfig", controlPlane.kubeconfigPath]);
    expect(everywhere.code).toBe(1);
    expect(results(everywhere.stdout).get(`PlatformApplication ${env.namespace}/shop`)).toBe("failed");
    await policy("Retain", []);
    expect((await call(["check", "--uninstall"])).code).toBe(0);
  });

  it("looks at one part alone", async () => {
    const { code, stderr } = await call(["check", "--uninstall", "--installation"]);
    expect(code).toBe(64);
    expect(stderr).toMatch(/^Give at most one of --pre, --installation and --uninstall\./);
  });
});

describe("plan", () => {
  it("shows a user with few rights which ones are needed", async () => {
    await env.kubectl(["create", "serviceaccount", "reader"]);
    await env.kubectl(["create", "role", "reader", "--verb=get,list", "--resource=*.platform-operator.io"]);
    await env.kubectl(["create", "rolebinding", "reader", "--role=reader", `--serviceaccount=${env.namespace}:reader`]);
    const kubeconfig = await kubeconfigFor(controlPlane, env.namespace, "reader");
    const directory = await mkdtemp(join(tmpdir(), "plan-"));
    await writeFile(join(directory, "web.json"), JSON.stringify(application("web", "shop")));
    const { code, stdout, stderr } = await call(["plan", "-f", directory, operator()], kubeconfig);
    expect(code).toBe(1);
    expect(stderr).toBe(
      "clusterplatformconnections are omitted: you may not list them.\n" +
        "the orphan ledger is omitted: you may not read it.\n",
    );
    expect(stdout).toMatch(
      /^papp\/web +error +PlatformConnection "default" cannot be used: You may not do this in the cluster: GET \S+\/secrets\/default: 403/m,
    );
  });
});

describe("status", () => {
  const status = (...argv: readonly string[]) =>
    cli(["status", ...argv, "--kubeconfig", controlPlane.kubeconfigPath, "-n", env.namespace]);

  it("shows an object on one screen", async () => {
    const own = await status("papp/shop");
    expect(own.code).toBe(0);
    expect(own.stdout).toMatch(/^✔ application \S+\/shop {2}Deployed\n {2}Commit 0123456 is deployed\.\n/);
    expect(own.stdout).toMatch(/^Deployment\n {2}Commit {4}0123456789abcdef/m);
    expect(own.stdout).toMatch(/^Conditions\n {2}Ready +True +Deployed +\d+\w$/m);
    expect(own.stdout).toMatch(
      /^Events\n(?: {2}.*\n)* {2}\d+\w +Normal +Deployed +Commit 0123456 was deployed in \d+ s\.$/m,
    );
    expect(own.stdout.match(/Commit 0123456 is deployed\./g)).toHaveLength(1);
  });

  it("shows several, after each other or as a list", async () => {
    const { code, stdout } = await status("papp/shop", "pproj/shop");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✔ application \S+\/shop [^]*\n\n✔ project \S+\/shop /);
    const listed = await status("papp/shop", "pproj/shop", "-o", "json");
    expect(JSON.parse(listed.stdout)).toMatchObject([{ kind: "PlatformApplication" }, { kind: "PlatformProject" }]);
    const one = await status("papp/shop", "-o", "json");
    expect(JSON.parse(one.stdout)).toMatchObject({ kind: "PlatformApplication" });
  });
});

describe("get", () => {
  it("lists, and shows what the platform says beside it", async () => {
    const local = await call(["get", "papp"]);
    expect(local.stdout).toMatch(/^NAME +READY +STATE +REASON +AGE\npapp\/shop +True +DEPLOYED +Deployed +\d+\w\n/);
    const remote = await call(["get", "pproj", "--remote"]);
    expect(remote.code).toBe(0);
    expect(remote.stdout).toMatch(/^NAME +FIELD +DIFFERS +WANTED +PLATFORM\npproj\/shop +name +no +shop +shop\n/);
    const refused = await call(["get", "pcat", "--remote"]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^--remote does not support PlatformCatalog\./);
  });
});

describe("report", () => {
  it("bundles what helps, and no secret", async () => {
    await env.apply(application("web", "shop", { variables: [{ name: "PASSWORD", value: PASSWORD }] }));
    const directory = await mkdtemp(join(tmpdir(), "report-"));
    const file = join(directory, "report.tar.gz");
    const { code, stdout, stderr } = await call(["report", "-f", file, operator()]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toMatch(/Values are masked; review it before you share it\.\noperator is omitted: /);
    const all = execFileSync("tar", ["-xzOf", file], { encoding: "utf8" });
    const { admin } = env.platform.tokens;
    for (const secret of [PASSWORD, admin, Buffer.from(admin).toString("base64")]) expect(all).not.toContain(secret);
    expect(all).toContain("name: PASSWORD\n");
    expect(execFileSync("tar", ["-tzf", file], { encoding: "utf8" })).toContain(
      "platform-report/objects/PlatformApplication.yaml\n",
    );
  });

  it("is not what cannot be written", async () => {
    expect((await call(["report", "-f", "report.zip"])).stderr).toMatch(
      /^-f takes an archive that ends in \.tar\.gz or \.tgz/,
    );
  });

  it("can be a directory", async () => {
    const directory = await mkdtemp(join(tmpdir(), "report-"));
    expect((await call(["report", "-f", directory, operator()])).code).toBe(0);
    expect(await readFile(join(directory, "README.txt"), "utf8")).toMatch(
      /^It contains no Secrets, ConfigMaps and logs/m,
    );
    expect(await readFile(join(directory, "events.yaml"), "utf8")).toContain("reason: Deployed");
  });
});
