/** README's installation commands, unchanged, on a cluster. image.test.ts runs `make image`. */
import { cp, mkdir, mkdtemp, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { fencedIn, textOf } from "../support/examples/pages.ts";
import { prints, type RunningProgram, startProgram } from "../support/programs/programs.ts";
import { type Shell, type } from "../support/programs/shell.ts";
import { findGoTool } from "../tools/go-tools.ts";
import { startCluster } from "./cluster.ts";
import { commandOf, onlyPodOf, runPodNamed } from "./pod.ts";

const root = join(import.meta.dirname, "../..");

/** @returns the shell blocks of a section of README, in order. @throws Error when there is no such section */
function blocksOf(heading: string): readonly string[] {
  return fencedIn(sectionOf(heading), "sh");
}

/** @returns the text of a section, from its heading to the next one. @throws Error when there is none */
function sectionOf(heading: string): string {
  const [, section] = new RegExp(`^## ${heading}$(.*?)(?=^## )`, "ms").exec(textOf("README.md")) ?? [];
  if (section === undefined) throw new Error(`README has no section "${heading}"`);
  return section;
}

/** Folders of a work tree that are not copied: installed and built files, and the history. */
const NOT_COPIED = new Set(
  [".git", "node_modules", "dist", "coverage", "test-results", ".demo"].map((name) => join(root, name)),
);

/**
 * Copies the work tree with uncommitted changes, and links the installed packages.
 * @param dir a new folder
 */
async function copyWorkTree(dir: string): Promise<void> {
  // make compares modification times.
  const options = { recursive: true, preserveTimestamps: true, filter: (path: string) => !NOT_COPIED.has(path) };
  await cp(root, dir, options);
  await symlink(join(root, "node_modules"), join(dir, "node_modules"));
  // Otherwise make may install the packages anew, through the link.
  await utimes(join(dir, "package-lock.json"), 0, 0);
}

const NAMESPACE = "platform-operator";

const folder = await mkdtemp(join(tmpdir(), "readme-"));
const [chart = "", outside = ""] = blocksOf("Install it on a cluster");
const [first = ""] = blocksOf("The first resource");
let tree = "";

beforeAll(async () => {
  tree = join(folder, "tree");
  await mkdir(join(folder, "home"));
  await copyWorkTree(tree);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** @returns a shell in the checkout, whose kubectl and helm use a cluster */
async function shellAt(cluster: ControlPlane): Promise<Shell> {
  const bin = await mkdtemp(join(folder, "bin-"));
  await symlink(cluster.kubectlPath, join(bin, "kubectl"));
  await symlink(await findGoTool("helm"), join(bin, "helm"));
  const env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    KUBECONFIG: cluster.kubeconfigPath,
  };
  return { cwd: tree, env };
}

describe("README's chart", () => {
  let cluster: ControlPlane;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());

  it("is installed with the pushed image, and tested", async () => {
    const shell = await shellAt(cluster);
    const [image = "", install = "", test = "", ...more] = chart.replaceAll("\\\n", " ").trim().split("\n");
    expect(more).toEqual([]);
    const [, name, version] = /^make image IMAGE=(\S+) VERSION=(\S+) PUSH=1$/.exec(image) ?? [];
    expect(await type(install, shell)).toContain("STATUS: deployed");
    const pod = await onlyPodOf(cluster, "platform-operator", NAMESPACE);
    const path = "jsonpath={.items[*].spec.containers[*].image}";
    expect(await type(`kubectl get pods -n ${NAMESPACE} -o '${path}'`, shell)).toBe(`${name}:${version}`);

    const { flags, program, args, env } = await commandOf(cluster, pod, inject("program"));
    const operator = startProgram({ file: process.execPath, args: [...flags, program, ...args], env: { ...env } });
    try {
      await prints(operator, '"leading"');
      const testing = type(test, shell);
      const [checked] = await Promise.all([
        runPodNamed(cluster, NAMESPACE, "platform-operator-test", inject("program")),
        testing,
      ]);
      expect(checked).toMatchObject({ code: 0 });
      expect(await testing).toMatch(/Phase: +Succeeded/);
    } finally {
      await operator.stop();
    }
  });
});

describe("README's operator outside the cluster", () => {
  let cluster: ControlPlane;
  let shell: Shell;
  const running: RunningProgram[] = [];
  beforeAll(async () => {
    cluster = await startControlPlane({ controllers: true, apiServerFlags: { "disable-admission-plugins": null } });
    shell = await shellAt(cluster);
  });
  afterAll(async () => {
    for (const program of running.toReversed()) await program.stop();
    await cluster?.stop();
  });

  /** Starts a command that runs until it is stopped. */
  function start(line: string): RunningProgram {
    const program = startProgram({ file: "/bin/bash", args: ["-c", `exec ${line}`], ...shell });
    running.push(program);
    return program;
  }

  it("creates its kubeconfig, runs as its ServiceAccount, and makes the first resource Ready", async () => {
    const lines = outside.trim().split("\n");
    const run = lines.pop() ?? "";
    await type(lines.join("\n"), shell);
    const whoami = "kubectl auth whoami --kubeconfig=operator.kubeconfig -o jsonpath={.status.userInfo.username}";
    expect(await type(whoami, shell)).toBe("system:serviceaccount:platform-operator:platform-operator");

    const [, simulate = "", flags = ""] =
      /start `(make simulate)`,.* give `run` the flags `([^`]+)`/.exec(sectionOf("Install it on a cluster")) ?? [];
    const platform = start(simulate);
    await prints(platform, "token admin");
    const printed = (name: string): string => new RegExp(`^${name} +(\\S+)$`, "m").exec(platform.output())?.[1] ?? "";
    // Free ports of loopback.
    const ports = "--metrics-bind-address=127.0.0.1:0 --health-probe-bind-address=127.0.0.1:0";
    await prints(start(`${run} ${flags} ${ports}`), '"leading"');

    const commands = first
      .replace("<api-token>", printed("token admin"))
      .replace("https://platform.example.com", printed("platform"))
      .replace("00000000-0000-4000-8000-000000000001", printed("organization"));
    const output = await type(commands, shell);
    expect(output).toMatch(/^platformconnection\S*\/default condition met$/m);
    expect(output).toMatch(/^platformproject\S*\/shop condition met$/m);
  });
});
