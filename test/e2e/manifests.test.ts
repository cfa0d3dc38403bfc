/** deploy/: `kubectl apply -k` on a cluster without helm. */
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

import { installManifest, renderChart } from "../../scripts/chart/manifest.ts";
import { shellBlocks } from "../support/examples/pages.ts";
import { findGoTool } from "../tools/go-tools.ts";
import { FOR_TESTS, errorsOf, openEnv } from "./env.ts";
import { newFolder } from "./folder.ts";
import { manifestsIn } from "./helm.ts";
import { onlyPodOf, type Pod } from "./pod.ts";
import { type } from "./shell.ts";

const root = join(import.meta.dirname, "../..");
const NAMESPACE = "platform-operator";

const env = await openEnv();
const folder = await newFolder("kustomization");

const onlyPod = (old?: Pod): Promise<Pod> => onlyPodOf(env.cluster, "platform-operator", NAMESPACE, old);

describe("the plain manifest", () => {
  it("equals the chart's output; otherwise run npm run e2e:prepare", async () => {
    const stdout = await renderChart(await findGoTool("helm"));
    const written = await readFile(join(root, "deploy/install.yaml"), "utf8");
    expect(written).toBe(installManifest(stdout));
    const metadataTexts = manifestsIn(written).flatMap(({ metadata: { labels, annotations } }) =>
      Object.entries({ ...labels, ...annotations }),
    );
    expect(metadataTexts.filter((entry) => /helm/i.test(entry.join()))).toEqual([]);
    // Helm and kubectl read YAML 1.1, where 0440 is another number and `no` is not a text.
    const [older, newer] = (["1.1", "1.2"] as const).map((version) =>
      parseAllDocuments(stdout, { version }).map((document) => z.json().parse(document.toJS())),
    );
    expect(older).toEqual(newer);
  });

  it("is applied with one command, a second time without changes, and rolled out", async () => {
    const apply = ["apply", "--server-side", "-k", join(root, "deploy")];
    await env.admin(apply);
    const versions = await resourceVersions();
    await env.admin(apply);
    expect(await resourceVersions()).toEqual(versions);
    const rollout = ["rollout", "status", "deployment/platform-operator", "-n", NAMESPACE, "--timeout=60s"];
    expect(await env.admin(rollout)).toContain("successfully rolled out");
  });

  it("runs with the patches of a user's kustomization, and makes the quickstart Ready", async () => {
    const before = await onlyPod();
    await env.admin(["apply", "--server-side", "-k", await userKustomization()]);
    const operator = await env.run(await onlyPod(before));
    await env.admin(["create", "namespace", "shop"]);
    await env.quickstart("shop");
    expect(await env.refused(before)).toEqual([]);
    expect(errorsOf(operator)).toEqual([]);
    await operator.stop();
  });

  it("is uninstalled as the guide says, without the custom resources and the orphan ledger", async () => {
    const uninstall = shellBlocks().find(({ id }) => id.startsWith("docs/guides/install.md: kubectl delete -n"));
    const environment = {
      PATH: `${env.cluster.binDir}:${process.env["PATH"] ?? ""}`,
      KUBECONFIG: env.cluster.kubeconfigPath,
    };
    await type(uninstall?.text ?? "false", { cwd: folder, env: environment });
    const left = ["deployment,serviceaccount,role,rolebinding,clusterrole,clusterrolebinding", "-n", NAMESPACE];
    const own = ["-l", "app.kubernetes.io/name=platform-operator", "-o", "name"];
    expect(await env.admin(["get", ...left, ...own])).toBe("");
    expect(await env.admin(["get", "papp", "-n", "shop", "-o", "name"])).toContain("/api\n");
    expect(await env.admin(["get", "namespace", NAMESPACE, "-o", "jsonpath={.status.phase}"])).toBe("Active");
  });
});

/** Writes a user's kustomization, with deploy/ under `resources`. @returns its folder */
async function userKustomization(): Promise<string> {
  const { allowInsecurePlatform, allowedPlatformHosts } = FOR_TESTS.operator;
  const add = (path: string, value: unknown) => ({
    op: "add",
    path: `/spec/template/spec/containers/0/${path}`,
    value,
  });
  const patch = [
    add("args/-", `--allow-insecure-platform=${String(allowInsecurePlatform)}`),
    add("args/-", `--allowed-platform-hosts=${allowedPlatformHosts.join(",")}`),
    ...FOR_TESTS.extraEnv.map((variable) => add("env/-", variable)),
  ];
  const content = {
    resources: [relative(await realpath(folder), await realpath(join(root, "deploy")))],
    patches: [{ target: { kind: "Deployment", name: "platform-operator" }, patch: JSON.stringify(patch) }],
  };
  await writeFile(join(folder, "kustomization.yaml"), JSON.stringify(content));
  return folder;
}

/** @returns the resourceVersions of the applied objects that no controller writes */
async function resourceVersions(): Promise<string> {
  const path = 'jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}';
  const names = "crd,clusterrole,clusterrolebinding,role,rolebinding,serviceaccount,service";
  const selector = "app.kubernetes.io/instance=platform-operator";
  return env.admin(["get", names, "-n", NAMESPACE, "-l", selector, "-o", path]);
}
