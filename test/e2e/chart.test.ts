/** The life cycle of a release on a real cluster: install and test as in README, upgrade, rollback, uninstall, install. */
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { beforeAll, describe, expect, inject, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";

import { comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { shellBlocks } from "../support/examples/pages.ts";
import type { Ended } from "../support/programs/cli.ts";
import { findGoTool } from "../tools/go-tools.ts";
import { FOR_TESTS, errorsOf, openEnv } from "./env.ts";
import { newFolder } from "./folder.ts";
import { CHART } from "./helm.ts";
import { onlyPodOf, runPodNamed, type Pod } from "./pod.ts";
import { type } from "./shell.ts";

const RELEASE = "platform-operator";
const NAMESPACE = "platform-operator";
const SHOP = "shop";
/** README's commands: build the image, install the chart, test it. */
const README = shellBlocks().find(({ id }) => id.startsWith("README.md: make image"))?.text ?? "";
const [IMAGE = "", INSTALL = "", TEST = "", ...MORE] = README.replaceAll("\\\n", " ").trim().split("\n");

const env = await openEnv();
const folder = await newFolder("chart");
let operator: RunningOperator | undefined;

beforeAll(async () => {
  await symlink(await findGoTool("helm"), join(folder, "helm"));
  await env.admin(["create", "namespace", SHOP]);
});

const helm = (verb: string, ...args: readonly string[]): Promise<string> =>
  env.helm.run([...verb.split(" "), RELEASE, ...args, "--namespace", NAMESPACE]);

const install = (verb: "install" | "upgrade", chart: string): Promise<string> =>
  env.helm.run([verb, RELEASE, chart, "--namespace", NAMESPACE, "--wait"], FOR_TESTS);

const onlyPod = (): Promise<Pod> => onlyPodOf(env.cluster, RELEASE, NAMESPACE);

/** Types commands of README or a guide in a checkout. */
function typed(command: string): Promise<string> {
  const { dir, kubeconfigPath } = env.cluster;
  const path = [folder, env.cluster.binDir, process.env["PATH"] ?? ""].join(":");
  const variables = { PATH: path, HOME: dir, KUBECONFIG: kubeconfigPath };
  return type(command, { cwd: join(CHART, ".."), env: variables });
}

/** Tests the release as in README. @returns how the Pod ended that helm created, and helm's output or error */
async function tested(): Promise<readonly [Ended, string]> {
  const pod = runPodNamed(env.cluster, NAMESPACE, `${RELEASE}-test`, inject("program"));
  return Promise.all([pod, typed(TEST).catch(String)]);
}

/** Stops the operator if it runs; it must exit cleanly, and must not have logged an error. */
async function stopOperator(): Promise<void> {
  const running = operator;
  operator = undefined;
  if (running === undefined) return;
  expect(errorsOf(running)).toEqual([]);
  expect(await running.stop()).toEqual({ code: 0, signal: null });
}

/** Runs the Deployment's new Pod instead of the old one, like the kubelet. */
async function runNewPod(): Promise<void> {
  await stopOperator();
  operator = await env.run(await onlyPod());
}

/** A chart of an earlier version, without a field of a CRD. */
async function earlierChart(): Promise<string> {
  const chart = join(folder, "earlier");
  await cp(CHART, chart, { recursive: true });
  const chartFile = join(chart, "Chart.yaml");
  const described = z.looseObject({ version: z.string() }).parse(parse(await readFile(chartFile, "utf8")));
  await writeFile(chartFile, stringify({ ...described, version: "0.0.1" }));
  const crdFile = join(chart, "files/crds/platformprojects.yaml");
  const crd: unknown = parse(await readFile(crdFile, "utf8"), (key, value: unknown) =>
    key === "description" && typeof value === "object" ? undefined : value,
  );
  await writeFile(crdFile, stringify(crd));
  return chart;
}

const knowsDescription = (): Promise<boolean> =>
  env.admin(["explain", "platformproject.spec.description"]).then(
    () => true,
    () => false,
  );

/** Waits, as the API server publishes a change of a CRD later than it stores it. */
const publishes = async (known: boolean): Promise<boolean> =>
  (await comes(async () => ((await knowsDescription()) === known ? true : undefined), 10_000)) ?? false;

describe("a release of the chart", () => {
  it("is installed with README's command and image", async () => {
    const [, name, version] = /^make image IMAGE=(\S+) VERSION=(\S+) PUSH=1$/.exec(IMAGE) ?? [];
    expect(MORE).toEqual([]);
    expect(await typed(INSTALL)).toContain("STATUS: deployed");
    expect((await onlyPod()).spec.containers[0].image).toBe(`${name}:${version}`);
  });

  it("has notes whose commands create the first resource", async () => {
    const [, manifests = ""] = /<<'YAML'\n(.*?)^YAML$/ms.exec(await helm("get notes")) ?? [];
    const applied = await env.admin(["apply", "--dry-run=server", "-f", "-"], manifests);
    expect(applied).toBe(
      "platformconnection.platform-operator.io/default created (server dry run)\n" +
        "platformproject.platform-operator.io/shop created (server dry run)\n",
    );
  });

  it("fails its test while no operator leads", async () => {
    const [pod, output] = await tested();
    expect(pod).toMatchObject({ code: 3, stdout: expect.stringMatching(/^✘ operator +there is no lease/m) });
    expect(output).toContain("platform-operator-test");
  });

  it("passes its test, which a Pod runs", async () => {
    await runNewPod();
    const [pod, output] = await tested();
    expect(pod).toMatchObject({ code: 0 });
    for (const line of [/^✔ cluster +/m, /^\? CRDs +all 12 are installed/m, /^✔ operator +\S+ leads$/m]) {
      expect(pod.stdout).toMatch(line);
    }
    expect(output).toMatch(/TEST SUITE: +platform-operator-test\n.*Phase: +Succeeded/s);
  });

  it("is replaced by an earlier version and upgraded, including its CRDs", async () => {
    expect(await install("upgrade", await earlierChart())).toContain("REVISION: 2");
    expect(await publishes(false)).toBe(true);
    expect(await install("upgrade", CHART)).toContain("REVISION: 3");
    expect(await publishes(true)).toBe(true);
  });

  it("runs as its ServiceAccount with its arguments and flags of Node, and makes the quickstart Ready", async () => {
    await runNewPod();
    await env.quickstart(SHOP);
    expect(await env.refused(await onlyPod())).toEqual([]);
  });

  it("is rolled back, and keeps custom resources with unknown fields", async () => {
    const before = await custom();
    await helm("rollback", "2", "--wait");
    expect(await publishes(false)).toBe(true);
    expect(await custom()).toEqual(before);
    await runNewPod();
    await install("upgrade", CHART);
    expect(await publishes(true)).toBe(true);
  });

  it("leaves only CRDs and custom resources when it is uninstalled", async () => {
    const before = await custom();
    await stopOperator();
    await helm("uninstall", "--wait");
    expect(await custom()).toEqual(before);
    const left = await env.admin(["get", "all,sa,role,rolebinding,pdb,netpol,cm", "-n", NAMESPACE, "-o", "name"]);
    expect(
      left.split("\n").filter((name) => !/^(serviceaccount\/default|configmap\/kube-root-ca.crt)?$/.test(name)),
    ).toEqual([]);
    expect(await env.admin(["get", "clusterrole,clusterrolebinding", "-o", "name"])).not.toContain("platform-operator");
  });

  it("adopts the CRDs when it is installed again, and continues with the same objects", async () => {
    const [before, done] = [await custom(), env.effects()];
    await install("install", CHART);
    await runNewPod();
    await env.reconciledAgain(SHOP);
    expect(await custom()).toEqual(before);
    expect(env.effects(), "changes of the platform").toEqual(done);
  });

  it("is removed for good with the guide's commands, with CRDs, custom resources and its namespace", async () => {
    await symlink(join(dirname(inject("program")), "plugin/kubectl-platform.cjs"), join(folder, "kubectl-platform"));
    const removal = shellBlocks().find(({ id }) => id.startsWith("docs/guides/install.md: kubectl delete platform"));
    const [whileItRuns = "", afterwards = ""] = removal?.text.split(/^(?=helm uninstall)/m) ?? [];
    await typed(whileItRuns);
    await stopOperator();
    await typed(afterwards);
    expect(await env.admin(["get", "crd", "-o", "name"])).not.toContain("platform-operator.io");
    expect(await env.admin(["get", "namespace", "-o", "name"])).not.toContain(`namespace/${NAMESPACE}\n`);
  });
});

/** @returns each custom resource with its uid */
async function custom(): Promise<readonly string[]> {
  const path = 'jsonpath={range .items[*]}{.kind}/{.metadata.name}/{.metadata.uid}{"\\n"}{end}';
  return (await env.admin(["get", "platform", "-n", SHOP, "-o", path])).trim().split("\n");
}
