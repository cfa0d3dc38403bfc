import { Readable } from "node:stream";

import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { API_VERSION, RECONCILE_REQUESTED_AT } from "../../src/api/names.ts";
import { main } from "../../src/cli/index.ts";
import { createKubeClient } from "../../src/kube/api/client.ts";
import { systemClock } from "../../src/kube/api/clock.ts";
import { member } from "../../src/kube/api/json.ts";
import { mergePatch } from "../../src/kube/api/transport.ts";
import { condition } from "../support/env/cluster.ts";
import { createEnv } from "../support/env/env.ts";
import { ownControlPlane } from "../support/env/own-control-plane.ts";
import { application, defaults, deploying, NEXT_COMMIT, operation, tree } from "../support/kube/manifests.ts";
import { cli, type CliOptions } from "../support/programs/cli.ts";

// The whole tree is drawn, connections of the cluster with it.
const controlPlane = await ownControlPlane();
const { kubeconfigPath } = controlPlane;
const env = createEnv({ surface: "full", controlPlane });

const call = (argv: readonly string[], options?: CliOptions) =>
  cli([...argv, "--kubeconfig", kubeconfigPath, "-n", env.namespace], options);
/** Ids, which differ from run to run. */
const normalised = (text: string): string => text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID");

beforeAll(async () => {
  await env.ready(...defaults(env), ...tree(env, "shop"), application("web", "shop"));
});

describe("tree", () => {
  it("draws what there is, and what hangs from what", async () => {
    const { code, stdout, stderr } = await call(["tree"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      [
        "OBJECT                            STATE     REASON          MESSAGE",
        "✔ connection default                        Available       The platform is reachable and accepts the token.",
        '✔ project shop                              Available       Project "shop" exists on the platform.',
        '└─ ✔ environment shop                       Available       Environment "shop" exists on the platform.',
        "   ├─ ✔ application shop 0123456  DEPLOYED  Deployed        Commit 0123456 is deployed.",
        "   └─ ✔ application web 0123456   DEPLOYED  Deployed        Commit 0123456 is deployed.",
        "",
      ].join("\n"),
    );
  });

  it("draws one project, with the ids on the platform, or gives it to other tools", async () => {
    expect(normalised((await call(["tree", "shop", "-o", "wide"])).stdout)).toMatch(
      /^OBJECT +STATE +REASON +REMOTE-ID +MESSAGE\n✔ project shop +Available +ID +Project "shop" exists/,
    );
    expect((await call(["tree", "shop", "-o", "name"])).stdout.split("\n").slice(0, 2)).toEqual([
      "platformproject.platform-operator.io/shop",
      "platformenvironment.platform-operator.io/shop",
    ]);
    const [project] = JSON.parse((await call(["tree", "shop", "-o", "json"])).stdout) as readonly object[];
    expect(project).toMatchObject({
      kind: "PlatformProject",
      status: "ready",
      children: [{ kind: "PlatformEnvironment", children: [{ name: "shop", commit: "0123456" }, { name: "web" }] }],
    });
    expect((await call(["tree", "shop", "-o", "dot"])).stdout).toContain(
      `"PlatformProject/${env.namespace}/shop" -> "PlatformEnvironment/${env.namespace}/shop";`,
    );
  });

  it("says what is not there", async () => {
    expect(await call(["tree", "nothing"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no PlatformProject "nothing" in namespace "${env.namespace}".\n`,
    });
  });

  it("continues with -w, line by line, until Ctrl-C", async () => {
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

  it("draws it again in place on a terminal", async () => {
    const ended = new AbortController();
    let shown = "";
    const stdout = { isTTY: true, columns: 80, rows: 30, write: (text: string) => (shown += text) };
    const watching = main(
      "kubectl-platform",
      ["tree", "shop", "-w", "--kubeconfig", kubeconfigPath, "-n", env.namespace],
      {
        clock: systemClock(),
        interrupt: () => ended.signal,
        io: { stdout, stderr: { write: () => true }, stdin: Readable.from([]) },
      },
    );
    await expect.poll(() => shown).toContain("application shop 0123456");
    await env.patch("PlatformApplication", "shop", deploying(NEXT_COMMIT));
    // Five lines up, and everything below is drawn again.
    await expect
      .poll(() => shown.split("\u001B[5A\r\u001B[J").at(-1))
      .toMatch(/^OBJECT(?:.*\n)*.*application shop 89abcde {2}DEPLOYED/);
    ended.abort();
    expect(await watching).toBe(0);
    expect(Math.max(...shown.split("\n").map((line) => line.length))).toBeLessThanOrEqual(90);
  });
});

describe("history and rollback", () => {
  const commitOf = async (): Promise<unknown> =>
    member(member((await env.get("PlatformApplication", "web"))?.spec, "deploy"), "gitCommitId");

  it("list what was deployed, the last one first", async () => {
    const { code, stdout } = await call(["history", "papp/web"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^TO +COMMIT +RESULT +TOOK +AGE\n0 +89abcde\w+ +DEPLOYED +\d+s +\d+s\n1 +0123456\w+ +DEPLOYED +\d+s +\d+s\n$/,
    );
  });

  it.each([
    [["web", "--to", "7"], 64, /^The history of papp\/web has no number 7\./],
    [["nothing"], 1, /^PlatformApplication "nothing" does not exist/],
  ])("refuse %s", async (argv, code, words) => {
    const ended = await call(["rollback", ...argv]);
    expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(words) });
  });

  it("store nothing in a dry run, and warn of Argo CD", async () => {
    const config = { from: "file", path: kubeconfigPath } as const;
    const client = createKubeClient({ config, userAgent: "argocd", clock: systemClock() });
    const path = `/apis/${API_VERSION}/namespaces/${env.namespace}/platformapplications/web`;
    const query = { fieldManager: "argocd-controller" };
    await client.request(mergePatch(path, { metadata: { labels: { team: "web" } } }, { query }));
    await client.close();
    for (const to of [[], ["--to", "1"]]) {
      expect(await call(["rollback", "papp/web", ...to, "--dry-run"])).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^\S+\/web spec\.deploy\.gitCommitId: 89abcde\w+ → 0123456\w+ \(dry run\)\n$/),
        stderr:
          "Warning: Argo CD applies this object: change the commit in its source as well, or Argo CD reverts it.\n",
      });
    }
    expect(await commitOf()).toBe(NEXT_COMMIT);
  });

  it("go back to the commit before, and wait for it", async () => {
    const { code, stdout } = await call(["rollback", "web", "--wait", "--timeout=40s"]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/ → 0123456\w+\n/) });
    expect(await commitOf()).toMatch(/^0123456/);
    expect((await call(["history", "web", "-o", "name"])).stdout.split("\n")).toHaveLength(4);
  });
});

describe("events and trace", () => {
  it("list what happened, with the time that a deployment took", async () => {
    const { stdout } = await call(["events", "papp/web", "--type=Normal"]);
    expect(stdout).toMatch(/^SEEN +TYPE +REASON +OBJECT +MESSAGE\n/);
    expect(stdout).toMatch(/ Normal +Deployed +papp\/web +Commit 0123456 was deployed in \d+ s\.\n/);
    expect((await call(["events"])).stdout).toContain(" papp/shop ");
    expect((await call(["events", "--type=Sometimes"])).code).toBe(64);
  });

  it("show what an object refers to, up to its connection", async () => {
    const { code, stdout } = await call(["trace", "papp/web"]);
    const lines = stdout.split("\n").map((line) => line.split(/ {2,}/)[0]);
    expect({ code, lines }).toEqual({
      code: 0,
      lines: ["✔ papp/web", "✔ penv/shop", "✔ pproj/shop", "✔ pconn/default", "", "papp/web waits for nothing.", ""],
    });
  });

  it("say what is in the way", async () => {
    await env.apply(application("lost", "nowhere"));
    await env.waitFor("PlatformApplication", "lost", { reason: "ParentNotFound" });
    const { code, stdout } = await call(["trace", "papp/lost"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n\S penv\/nowhere +NotFound +It does not exist\.\n/);
    expect(stdout).toMatch(/\npapp\/lost waits for penv\/nowhere: NotFound: It does not exist\.\n$/);
    await env.remove("PlatformApplication", "lost");
  });
});

describe("reconcile", () => {
  it("asks, and with --wait waits for the answer", async () => {
    const asked = await call(["reconcile", "papp/shop"]);
    expect(asked).toEqual({
      code: 0,
      stdout: "platformapplication.platform-operator.io/shop reconcile requested\n",
      stderr: "",
    });
    const { code } = await call(["reconcile", "papp/shop", "pproj/shop", "--wait", "--timeout=20s"]);
    expect(code).toBe(0);
    const { metadata, status } = await env.get("PlatformApplication", "shop");
    expect(status).toMatchObject({ lastHandledReconcileAt: metadata.annotations?.[RECONCILE_REQUESTED_AT] });
  });

  it("reports how it went and ends with 1 when a person is needed", async () => {
    await env.patch("PlatformApplication", "web", deploying("bad0000"));
    await env.waitFor("PlatformApplication", "web", { type: "Stalled", status: "True" });
    const { code, stderr } = await call([
      "reconcile",
      "papp/web",
      "--wait",
      "--timeout=20s",
      "--allow-insecure-platform",
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/papp\/web: BuildFailed: The platform reports BUILD_ERROR for commit bad0000[^\n]*\n {2}\S/);
    expect(stderr).not.toContain("Its log cannot be shown");
    await env.patch("PlatformApplication", "web", deploying(NEXT_COMMIT));
    await env.waitFor("PlatformApplication", "web", { status: "True" });
  });

  it("ends with 3 when the time is over, and says how to go on after Ctrl-C", async () => {
    await env.stop();
    try {
      const late = await call(["reconcile", "papp/shop", "--wait", "--timeout=1s"]);
      expect(late.code).toBe(3);
      expect(late.stderr).toContain(
        "Timed out; the operator continues by itself. Watch it with: kubectl platform tree -w",
      );
      const ended = new AbortController();
      ended.abort();
      const stopped = await call(["reconcile", "papp/shop", "--wait"], { signal: ended.signal });
      expect(stopped.code).toBe(130);
      expect(stopped.stderr).toContain("Nothing is undone: the operator continues by itself.");
    } finally {
      await env.start();
    }
  });

  it("refuses an operation that has ended, as nothing would come of it", async () => {
    await env.apply(operation("invoices", { type: "SendInvoices" }));
    await env.waitFor("PlatformOperation", "invoices", { type: "Complete", status: "True" });
    const { code, stdout, stderr } = await call(["reconcile", "pop/invoices", "--wait"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      "pop/invoices is Complete: an operation is carried out once. Create another one to repeat it.\n",
    );
  });

  it.each([
    [["reconcile", "papp/none"], 1, /^PlatformApplication "none" does not exist in namespace/],
    [["reconcile", "web"], 64, /^"web" names no object: give kind and name, e\.g\. papp\/api\./],
  ])("%s ends with %d", async (argv, code, words) => {
    const ended = await call(argv);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(words);
  });
});

describe("pause and resume", () => {
  afterEach(async () => {
    await call(["resume", "papp/shop"]);
  });

  it("have the operator leave an object alone for a while", async () => {
    expect((await call(["pause", "papp/shop"])).stdout).toBe("platformapplication.platform-operator.io/shop paused\n");
    await env.waitFor(
      "PlatformApplication",
      "shop",
      (object) => condition(object, "Synced")?.reason === "ReconcilePaused",
    );
    for (const word of ["pause", "suspend"]) {
      expect((await call([word, "papp/shop"])).stdout).toMatch(/paused already\n$/);
    }
    expect((await call(["reconcile", "papp/shop", "--wait"])).stderr).toBe(
      "papp/shop is paused, so the operator ignores the request. Resume it with: kubectl platform resume papp/shop\n",
    );
    const resumed = await call(["resume", "papp/shop", "--wait"]);
    expect(resumed.stdout).toMatch(/ resumed\n.* reconcile requested\n$/);
    expect(resumed.code).toBe(0);
    expect(condition(await env.get("PlatformApplication", "shop"), "Synced")?.reason).toBe("ReconcileSuccess");
  });
});
