/** The two recipes of docs/guides/deploy-from-ci.md, typed as a pipeline types them. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { member } from "../../src/kube/api/json.ts";
import { kubeconfigFor } from "../control-plane/access.ts";
import { createEnv } from "../support/env/env.ts";
import { fencedIn, textOf } from "../support/examples/pages.ts";
import { application, defaults, NEXT_COMMIT, tree } from "../support/kube/manifests.ts";
import { runToEnd } from "../support/programs/programs.ts";

const facts = inject("controlPlane");
const env = createEnv({ surface: "full" });
const page = textOf("docs/guides/deploy-from-ci.md");
const [commitToGit = "", withPlugin = "", withKubectl = ""] = fencedIn(page, "sh");
const [rights = ""] = fencedIn(page, "yaml");
const [, kustomization = ""] = /^```yml\n(.*?)^```$/ms.exec(page) ?? [];
const folder = await mkdtemp(join(tmpdir(), "ci-"));
let kubeconfig = "";

const own = (text: string): string =>
  text
    .replaceAll("namespace: shop", `namespace: ${env.namespace}`)
    .replaceAll("-n shop", `-n ${env.namespace}`)
    .replaceAll("--timeout=15m", "--timeout=20s");

/** Runs a step of a pipeline that deploys a commit. */
const step = (script: string, commit: string) =>
  runToEnd("/bin/bash", ["-euo", "pipefail", "-c", own(script)], {
    env: {
      PATH: [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
      HOME: folder,
      KUBECONFIG: kubeconfig,
      COMMIT: commit,
    },
  });

beforeAll(async () => {
  await symlink(facts.kubectlPath, join(folder, "kubectl"));
  await symlink(join(dirname(inject("program")), "plugin/kubectl-platform.cjs"), join(folder, "kubectl-platform"));
  const logs = { onFailure: 5 };
  await env.ready(...defaults(env), ...tree(env, "shop"), application("api", "shop", { logs }));
  await env.kubectl(["apply", "-f", "-"], { input: own(rights) });
  kubeconfig = await kubeconfigFor(facts, env.namespace, "deployer");
});
afterAll(() => rm(folder, { recursive: true }));

const commitOf = async (): Promise<unknown> => member((await env.get("PlatformApplication", "api")).status, "commit");

describe("a pipeline with the rights of the guide", () => {
  it("deploys a commit by the plugin, and ends when it is deployed", async () => {
    const { code, stdout } = await step(withPlugin, NEXT_COMMIT);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\/papp\/api spec\.deploy\.gitCommitId: 0123456\w+ → 89abcde\w+\n/);
    expect(await commitOf()).toBe(NEXT_COMMIT.slice(0, 7));
  });

  it("ends with 1 and the end of the log when the commit does not build", async () => {
    const { code, stderr } = await step(withPlugin, "bad0000");
    expect(code).toBe(1);
    expect(stderr).toMatch(/\npapp\/api: BuildFailed: [^\n]*\n(?: {2}\S[^\n]*\n)+$/);
  });

  it("ends with 3 when the deployment takes longer than its timeout", async () => {
    const { code, stderr } = await step(withPlugin.replace("--timeout=15m", "--timeout=1ms"), "5101010");
    expect(code).toBe(3);
    expect(stderr).toContain("Timed out; the operator continues by itself.");
  });

  it("deploys a commit by kubectl, and waits for the Ready of this commit", async () => {
    expect(await step(withKubectl, NEXT_COMMIT)).toMatchObject({ code: 0 });
    expect(await commitOf()).toBe(NEXT_COMMIT.slice(0, 7));
  });

  it("prints the failure and ends with 1 by kubectl, after its timeout", async () => {
    const { code, stdout } = await step(withKubectl.replace("--timeout=15m", "--timeout=5s"), "bad0001");
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nThe platform reports BUILD_ERROR[^\n]*\n\S/);
  });

  it("may change no other application", async () => {
    const { code, stderr } = await step(withPlugin.replace("papp/api", "papp/shop"), NEXT_COMMIT);
    expect(code).toBe(1);
    expect(stderr).toMatch(/User "system:serviceaccount:\S+:deployer" cannot patch resource "platformapplications"/);
  });
});

it("a pipeline that commits to Git deploys what kustomize makes of the commit, also an id that looks like a number", async () => {
  const [bare, checkout] = [join(folder, "fleet.git"), join(folder, "checkout")];
  const git = (...args: readonly string[]) => promisify(execFile)("git", [...args]);
  await git("init", "--quiet", "--bare", bare);
  await git("clone", "--quiet", bare, checkout);
  await git("-C", checkout, "config", "user.name", "ci");
  await git("-C", checkout, "config", "user.email", "ci@example.com");
  await mkdir(join(checkout, "apps/api"), { recursive: true });
  await writeFile(join(checkout, "apps/api/api.yaml"), JSON.stringify(application("api", "shop")));
  await writeFile(join(checkout, "apps/api/kustomization.yaml"), own(kustomization));
  await git("-C", checkout, "add", "--all");
  for (const commit of [NEXT_COMMIT, "12345e7"]) {
    expect(await step(`cd ${checkout}\n${commitToGit}`, commit)).toMatchObject({ code: 0 });
    // What Argo CD and Flux do with what was pushed.
    const synced = join(folder, `synced-${commit}`);
    await git("clone", "--quiet", bare, synced);
    await env.kubectl(["apply", "-k", join(synced, "apps/api")]);
    await env.waitFor("PlatformApplication", "api", ({ status }) => member(status, "commit") === commit.slice(0, 7));
  }
});
