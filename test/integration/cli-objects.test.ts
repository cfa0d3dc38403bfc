import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";

import { RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { member } from "../../src/kube/api/json.ts";
import type { KubeObject } from "../../src/kube/api/types.ts";
import { condition, type Manifest } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { application, connection, defaults, deploying, NEXT_COMMIT, project, tree } from "../support/kube/manifests.ts";
import { commandsIn, ending, ON_LOOPBACK } from "../support/programs/cli.ts";

const { kubeconfigPath } = inject("controlPlane");
const env = createEnv({ surface: "full" });
const call = commandsIn(env, kubeconfigPath);

beforeAll(async () => {
  await env.ready(...defaults(env), ...tree(env, "shop"), application("web", "shop"));
});

describe("kubectl platform tree", () => {
  it("draws the resources of one project with their ids on the platform, and writes them as JSON", async () => {
    const drawn = async (format: string) => (await call(["tree", "shop", "-o", format])).stdout;
    expect(await drawn("wide")).toMatch(
      /^OBJECT +STATE +REASON +REMOTE-ID +MESSAGE\n✔ project shop +Available +[-0-9a-f]{36} +Project "shop" exists/,
    );
    const children = [{ name: "shop", commit: "0123456" }, { name: "web" }];
    expect(JSON.parse(await drawn("json"))).toMatchObject([
      { kind: "PlatformProject", status: "ready", children: [{ kind: "PlatformEnvironment", children }] },
    ]);
  });

  it("prints each change as a line with -w, until Ctrl-C", async () => {
    const ended = new AbortController();
    let shown = "";
    const watching = call(["tree", "shop", "-w"], { signal: ended.signal, onStdout: (text) => (shown += text) });
    await expect.poll(() => shown).toContain("application web");
    await env.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    await expect.poll(() => shown).toMatch(/\n✔ application web 89abcde {2}DEPLOYED {2}Deployed: /);
    ended.abort();
    expect((await watching).code).toBe(0);
    expect(shown).not.toContain("\u001B");
  });
});

describe("kubectl platform history and rollback", () => {
  const commitOf = async (): Promise<unknown> =>
    member(member((await env.get("PlatformApplication", "web"))?.spec, "deploy"), "gitCommitId");

  it("list the deployments, the newest first", async () => {
    const rows =
      /^TO +COMMIT +RESULT +TOOK +AGE\n0 +89abcde\w+ +DEPLOYED +\d+s +\d+s\n1 +0123456\w+ +DEPLOYED +\d+s +\d+s\n$/;
    expect(await call(["history", "papp/web"])).toEqual(ending(0, rows));
  });

  it("store nothing with --dry-run=server", async () => {
    const change = /^\S+\/papp\/web spec\.deploy\.gitCommitId: 89abcde\w+ → 0123456\w+ \(server dry run\)\n$/;
    for (const to of [[], ["--to", "1"]]) {
      expect(await call(["rollback", "papp/web", ...to, "--dry-run=server"])).toEqual(ending(0, change));
    }
    const unknown = /^The history of papp\/web has no number 7\./;
    expect(await call(["rollback", "web", "--to", "7"])).toEqual(ending(64, "", unknown));
    expect(await commitOf()).toBe(NEXT_COMMIT);
  });

  it("set the commit of the previous deployment, and wait until it is deployed", async () => {
    const { code, stdout } = await call(["rollback", "web", "--wait", "--timeout=40s"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ → 0123456\w+\n/);
    expect(await commitOf()).toMatch(/^0123456/);
    expect((await call(["history", "web", "-o", "name"])).stdout.split("\n")).toHaveLength(4);
  });
});

describe("kubectl platform deploy", () => {
  const NAME = "deployed";
  const commit = { spec: { deploy: { gitCommitId: NEXT_COMMIT } } };
  const deploy = (...argv: readonly string[]) => call(["deploy", `papp/${NAME}`, ...argv]);
  const { apiVersion, kind } = application(NAME, "shop");

  beforeAll(() => env.ready(application(NAME, "shop")));

  it("sets the commit, waits until it is deployed, and names the cluster and the object", async () => {
    const { code, stdout } = await deploy(NEXT_COMMIT, "--wait", "--timeout=40s");
    expect(code).toBe(0);
    const where = `${env.namespace}/papp/${NAME}`;
    expect(stdout).toMatch(new RegExp(`^\\S+/${where} spec\\.deploy\\.gitCommitId: 0123456\\w+ → ${NEXT_COMMIT}\n`));
    expect((await env.get("PlatformApplication", NAME)).status).toMatchObject({ commit: NEXT_COMMIT.slice(0, 7) });
  });

  it("exits with 1 and prints the end of the log when the deployment fails", async () => {
    const { code, stderr } = await deploy("bad0000", "--wait", "--timeout=40s", "--allow-insecure-platform");
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`papp/${NAME}: BuildFailed: The platform reports BUILD_ERROR[^\n]*\n {2}\\S`));
  });

  it.each([
    [
      "argocd-controller",
      "apply --server-side --force-conflicts",
      /^Warning: Argo CD sets this field and will revert it/,
    ],
    [
      "kustomize-controller",
      "apply --server-side --force-conflicts",
      /^Warning: Flux sets this field and will revert it/,
    ],
    [
      "helm",
      "apply --server-side --force-conflicts",
      /^Warning: Helm 4 sets this field: .* --force-conflicts, which hands/,
    ],
    ["helm", "patch", /^Warning: Helm 3 sets this field: helm upgrade keeps this commit/],
    ["kubectl-client-side-apply", "apply", /^Warning: kubectl apply sets this field: the next apply/],
    ["someone", "apply --server-side --force-conflicts", /^Warning: someone sets this field by server-side apply/],
  ])("says what happens to a commit that %s sets by %s", async (manager, how, warning) => {
    const flags = [`--field-manager=${manager}`];
    if (how === "patch") {
      await env.kubectl(["patch", "papp", NAME, "--type=merge", "-p", JSON.stringify(commit), ...flags]);
    } else {
      const input = JSON.stringify({ apiVersion, kind, metadata: { name: NAME }, ...commit });
      await env.kubectl([...how.split(" "), "--validate=false", "-f", "-", ...flags], { input });
    }
    const { stderr, code } = await deploy("1a2b3c4", "--dry-run=server");
    expect(stderr).toMatch(warning);
    expect(code).toBe(0);
    // The command takes the field over.
    await env.patch("PlatformApplication", NAME, { spec: { deploy: { gitCommitId: "0123456" } } });
  });
});

describe("kubectl platform trace", () => {
  it("show the objects that an object refers to, up to its connection", async () => {
    const { code, stdout } = await call(["trace", "papp/web"]);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/)[0]);
    expect(code).toBe(0);
    expect(lines).toEqual([
      "✔ papp/web",
      "✔ penv/shop",
      "✔ pproj/shop",
      "✔ pconn/default",
      "",
      "papp/web waits for nothing.",
      "",
    ]);
  });

  it("name the reference that an object waits for, and exit with 1", async () => {
    await env.apply(application("lost", "nowhere"));
    await env.waitFor("PlatformApplication", "lost", { reason: "ParentNotFound" });
    const { code, stdout } = await call(["trace", "papp/lost"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n\S penv\/nowhere +NotFound +It does not exist\.\n/);
    expect(stdout).toMatch(/\npapp\/lost waits for penv\/nowhere: NotFound: It does not exist\.\n$/);
    await env.remove("PlatformApplication", "lost");
  });
});

describe("kubectl platform reconcile", () => {
  it("requests a reconcile, and with --wait waits until the operator has handled the request", async () => {
    const requested = new RegExp(`^\\S+/${env.namespace}/papp/shop reconcile requested\n$`);
    expect(await call(["reconcile", "papp/shop"])).toEqual(ending(0, requested));
    const { code } = await call(["reconcile", "papp/shop", "pproj/shop", "--wait", "--timeout=20s"]);
    expect(code).toBe(0);
    const { metadata, status } = await env.get("PlatformApplication", "shop");
    expect(status).toMatchObject({ lastHandledReconcileAt: metadata.annotations?.[RECONCILE_REQUESTED_AT] });
  });

  it("prints the reason and exits with 1 when the object needs a person", async () => {
    await env.patch("PlatformApplication", "web", deploying("bad0000"));
    await env.waitFor("PlatformApplication", "web", { type: "Stalled", status: "True" });
    const flags = ["--wait", "--timeout=20s", "--allow-insecure-platform"];
    const { code, stderr } = await call(["reconcile", "papp/web", ...flags]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/papp\/web: BuildFailed: The platform reports BUILD_ERROR for commit bad0000[^\n]*\n {2}\S/);
    expect(stderr).not.toContain("Its log cannot be shown");
    await env.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    await env.waitFor("PlatformApplication", "web", { status: "True" });
  });
});

it("kubectl platform pause and resume make the operator ignore an object in between", async () => {
  expect((await call(["pause", "papp/shop", "--dry-run=server"])).stdout).toMatch(/ paused \(server dry run\)\n$/);
  expect((await call(["pause", "papp/shop"])).stdout).toMatch(new RegExp(`^\\S+/${env.namespace}/papp/shop paused\n$`));
  const reason = (object: KubeObject) => condition(object, "Synced")?.reason;
  await env.waitFor("PlatformApplication", "shop", (object) => reason(object) === "ReconcilePaused");
  expect((await call(["pause", "papp/shop"])).stdout).toMatch(/paused already\n$/);
  expect((await call(["reconcile", "papp/shop", "--wait"])).stderr).toBe(
    "papp/shop is paused, so the operator ignores the request. Resume it with: kubectl platform resume papp/shop\n",
  );
  const resumed = await call(["resume", "papp/shop", "--wait"]);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ resumed\n.* reconcile requested\n$/) });
  expect(reason(await env.get("PlatformApplication", "shop"))).toBe("ReconcileSuccess");
});

describe("kubectl platform plan", () => {
  /** Plans manifests; nothing may come of it on either side. */
  async function planned(manifests: readonly Manifest[], ...argv: readonly string[]) {
    const record = await env.record();
    const flags = [...ON_LOOPBACK, `--operator-namespace=${env.operatorNamespace}`];
    const stdin = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
    const ended = await call(["plan", "-f", "-", ...argv, ...flags], { stdin });
    expect(record.changes()).toEqual([]);
    expect((await record.writes()).objects).toEqual([]);
    return ended;
  }

  beforeAll(() => env.settled());

  it("plans no change for manifests that are applied already", async () => {
    const table = [
      "OBJECT          ACTION   DETAILS",
      "pconn/default   none",
      "pproj/shop      none",
      "penv/shop       none",
      "papp/shop       none",
      "",
      "Plan: 0 to change, 4 without a write, 0 that cannot be planned.",
      "",
    ];
    const others =
      "Objects of other kinds, which are not planned: 1. The values of Secrets and ConfigMaps among them are used.\n";
    expect(await planned([...defaults(env), ...tree(env, "shop")])).toEqual(ending(0, table.join("\n"), others));
  });

  it("plans the deployment of another commit, as a table, as JSON and as names", async () => {
    const changed = application("shop", "shop", { deploy: { gitCommitId: NEXT_COMMIT } });
    const { code, stdout } = await planned([changed], "-o", "json");
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject([
      { kind: "PlatformApplication", name: "shop", action: "deploy", actions: [{ commit: NEXT_COMMIT }] },
    ]);
    const { stdout: table } = await planned([changed]);
    expect(table.split("\n").filter((line) => line.length > 120)).toEqual([]);
    expect(table).toMatch(
      /^papp\/shop +deploy\n +deployApplication {2}Commit 89abcde will be deployed\.\n +commit: 0123456\w+ → 89abcde\w+$/m,
    );
    const named = await planned([changed], "-o", "name");
    expect(named.stdout).toBe("platformapplication.platform-operator.io/shop\n");
  });

  const { apiVersion, spec, ...rest } = application("shop", "shop");
  const RUNNING = { apiVersion, spec, ...rest };

  /** The manifest as an author of YAML writes it, with a variable. */
  const written = (value: string) =>
    [
      `apiVersion: ${JSON.stringify(apiVersion)}`,
      "kind: PlatformApplication",
      "metadata: {name: shop}",
      `spec: {<<: ${JSON.stringify(spec)}, variables: [{name: MODE, value: ${value}}]}`,
    ].join("\n");

  it.each([
    ["a boolean of YAML 1.1", "on"],
    ["an octal number", "0755"],
    ["a number with underscores", "2024_10"],
    ["a text", "'on'"],
    ["a text of digits", '"0755"'],
  ])("has the verdict of kubectl apply on %s", async (_what, value) => {
    const text = written(value);
    const flags = [...ON_LOOPBACK, `--operator-namespace=${env.operatorNamespace}`];
    const apply = ["apply", "--dry-run=server", "-n", env.namespace, "-f", "-"];
    const [{ code, stdout }, applied] = await Promise.all([
      call(["plan", "-f", "-", ...flags], { stdin: text }),
      env.kubectl(apply, { input: text }).then(
        () => "accepted",
        () => "rejected",
      ),
    ]);
    expect(stdout).toMatch(
      applied === "accepted" ? /^papp\/shop +update/m : /^papp\/shop +error +The API server rejects it/m,
    );
    expect(code).toBe(applied === "accepted" ? 2 : 1);
  });

  it("reads merge keys, lists, directories and kustomizations as kubectl apply does", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plan-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const manifest = [
      `apiVersion: ${JSON.stringify(apiVersion)}`,
      "kind: PlatformApplication",
      "metadata: {name: shop, annotations: {a: &commit '0123456789abcdef0123456789abcdef01234567'}}",
      `spec: {<<: ${JSON.stringify(spec)}, deploy: {gitCommitId: *commit}}`,
    ].join("\n");
    await mkdir(join(folder, "deep"));
    await writeFile(join(folder, "deep/shop.yaml"), manifest);
    await writeFile(join(folder, "kustomization.yaml"), "resources: [deep/shop.yaml]\n");
    const flags = [...ON_LOOPBACK, `--operator-namespace=${env.operatorNamespace}`];
    for (const named of [
      ["-f", join(folder, "deep")],
      ["-f", join(folder, "deep/shop.yaml")],
      ["-k", folder],
    ]) {
      const { code, stdout, stderr } = await call(["plan", ...named, ...flags]);
      expect({ code, stderr, rows: stdout.split("\n")[1] }).toEqual({ code: 0, stderr: "", rows: "papp/shop   none" });
    }
    const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [project("shop"), RUNNING] });
    const { stdout } = await call(["plan", "-f", "-", ...flags], { stdin: list });
    expect(stdout).toMatch(/^pproj\/shop +none\npapp\/shop +none$/m);
  });

  it.each([
    ["a file that does not exist", ["-f", "/nowhere.yaml"], /the path "\/nowhere\.yaml" does not exist/],
    ["a text that is no YAML", ["-f", "-"], /error parsing|yaml/],
    ["a manifest without a name", ["-f", "-"], /name/],
  ])("ends with kubectl's own words for %s", async (_what, named, words) => {
    const stdin = words.source.includes("yaml") ? "a: [" : `{"apiVersion":"v1","kind":"Secret","metadata":{}}`;
    const { code, stdout, stderr } = await call(["plan", ...named, ...ON_LOOPBACK], { stdin });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
  });

  it("reports the error of a connection once, for the connection and the objects that use it", async () => {
    const connectionRef = { name: "tokenless" };
    const projects = ["one", "two"].map((name) => project(name, { connectionRef }));
    const { code, stdout } = await planned([connection(env, "tokenless"), ...projects]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^OBJECT .*\npconn\/tokenless and 2 more +error +CredentialsMissing: Secret "tokenless" [^]*?\n\nPlan: 0 to change, 0 .*, 3 that cannot be planned\.\n$/,
    );
  });
});
