/** The life cycle of a release on a real cluster: install, test, upgrade, rollback, uninstall, install again. */
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";

import { kubectl } from "../control-plane/access.ts";
import { comes } from "../support/env/cluster.ts";
import type { RunningOperator } from "../support/env/operator.ts";
import { type Env, FOR_TESTS, errorsOf, openEnv } from "./env.ts";
import { CHART } from "./helm.ts";
import { type Ended, onlyPodOf, runPodNamed, type Pod } from "./pod.ts";

const RELEASE = "platform-operator";
const NAMESPACE = "platform-operator";
const SHOP = "shop";

let env: Env;
let operator: RunningOperator | undefined;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "chart-"));
  env = await openEnv();
  await admin(["create", "namespace", SHOP]);
});

afterAll(async () => {
  await env?.close();
  await rm(folder, { recursive: true, force: true });
});

const admin = (args: readonly string[], input?: string): Promise<string> =>
  kubectl(env.cluster, args, input === undefined ? {} : { input });

const helm = (verb: string, ...args: readonly string[]): Promise<string> =>
  env.helm.run([verb, RELEASE, ...args, "--namespace", NAMESPACE]);

const install = (verb: "install" | "upgrade", chart: string, ...args: readonly string[]): Promise<string> =>
  env.helm.run([verb, RELEASE, chart, "--namespace", NAMESPACE, "--wait", ...args], FOR_TESTS);

const onlyPod = (): Promise<Pod> => onlyPodOf(env.cluster, RELEASE, NAMESPACE);

/** Runs the Pod of `helm test` when helm has created it. */
const runTestPod = (): Promise<Ended> => runPodNamed(env.cluster, NAMESPACE, `${RELEASE}-test`, inject("program"));

/** Stops the operator if it runs; it must exit cleanly, and must not have logged an error. */
async function stopOperator(): Promise<void> {
  const running = operator === undefined ? [] : [operator];
  operator = undefined;
  const errors = running.flatMap(errorsOf);
  const exits = await Promise.all(running.map((one) => one.stop()));
  expect({ errors, exits }).toEqual({ errors: [], exits: running.map(() => ({ code: 0, signal: null })) });
}

/** Runs the Deployment's new Pod instead of the old one, like the kubelet. */
async function runNewPod(): Promise<RunningOperator> {
  await stopOperator();
  operator = await env.run(await onlyPod());
  return operator;
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
  admin(["explain", "platformproject.spec.description"]).then(
    () => true,
    () => false,
  );

/** Waits, as the API server publishes a change of a CRD later than it stores it. */
const publishes = async (known: boolean): Promise<boolean> =>
  (await comes(async () => ((await knowsDescription()) === known ? true : undefined), 10_000)) ?? false;

describe("a release of the chart", () => {
  it("of an earlier version is installed with --wait", async () => {
    const notes = await install("install", await earlierChart(), "--create-namespace");
    expect(notes).toContain("STATUS: deployed");
    expect(await knowsDescription()).toBe(false);
  });

  it("is upgraded, including its CRDs", async () => {
    expect(await install("upgrade", CHART)).toContain("REVISION: 2");
    expect(await publishes(true)).toBe(true);
  });

  it("has notes whose commands create the first resource", async () => {
    const notes = await env.helm.run(["get", "notes", RELEASE, "--namespace", NAMESPACE]);
    const [, manifests = ""] = /<<'YAML'\n(.*?)^YAML$/ms.exec(notes) ?? [];
    const applied = await admin(["apply", "--dry-run=server", "-f", "-"], manifests);
    expect(applied).toBe(
      "platformconnection.platform-operator.io/default created (server dry run)\n" +
        "platformproject.platform-operator.io/shop created (server dry run)\n",
    );
  });

  it("fails its test while no operator leads", async () => {
    const testing = helm("test", "--timeout", "2m").then(
      () => "passed",
      (error: unknown) => String(error),
    );
    const [checked] = await Promise.all([runTestPod(), testing]);
    expect(checked).toMatchObject({ code: 3, output: expect.stringMatching(/^✗ operator +there is no lease/m) });
    expect(await testing).toContain("platform-operator-test");
  });

  it("runs as its ServiceAccount with its arguments and flags of Node, and makes the quickstart Ready", async () => {
    await runNewPod();
    await env.quickstart(SHOP);
    expect(await env.refused(await onlyPod())).toEqual([]);
  });

  it("passes its test, which a Pod runs", async () => {
    const testing = helm("test", "--timeout", "2m");
    const [checked] = await Promise.all([runTestPod(), testing]);
    expect(checked).toMatchObject({ code: 0 });
    for (const line of [/^✔ cluster +/m, /^\? CRDs +all 13 are installed/m, /^✔ operator +\S+ leads$/m]) {
      expect(checked.output).toMatch(line);
    }
    expect(await testing).toMatch(/TEST SUITE: +platform-operator-test\n.*Phase: +Succeeded/s);
  });

  it("is rolled back, and keeps custom resources with unknown fields", async () => {
    const before = await custom();
    await helm("rollback", "1", "--wait");
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
    const left = await admin(["get", "all,sa,role,rolebinding,pdb,netpol,cm", "-n", NAMESPACE, "-o", "name"]);
    expect(
      left.split("\n").filter((name) => !/^(serviceaccount\/default|configmap\/kube-root-ca.crt)?$/.test(name)),
    ).toEqual([]);
    expect(await admin(["get", "clusterrole,clusterrolebinding", "-o", "name"])).not.toContain("platform-operator");
  });

  it("adopts the CRDs when it is installed again, and continues with the same objects", async () => {
    const [before, done] = [await custom(), env.effects()];
    await install("install", CHART);
    await runNewPod();
    await env.reconciledAgain(SHOP);
    expect(await custom()).toEqual(before);
    expect(env.effects(), "changes of the platform").toEqual(done);
  });
});

/** @returns each custom resource with its uid */
async function custom(): Promise<readonly string[]> {
  const path = 'jsonpath={range .items[*]}{.kind}/{.metadata.name}/{.metadata.uid}{"\\n"}{end}';
  return (await admin(["get", "platform", "-n", SHOP, "-o", path])).trim().split("\n");
}
