/** README's operator outside of the cluster, with its commands unchanged. chart.test.ts has those of the chart. */
import { cp, mkdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { shellBlocks, textOf } from "../support/examples/pages.ts";
import { prints, type RunningProgram, startProgram } from "../support/programs/programs.ts";
import { newFolder } from "./folder.ts";
import { type Shell, type } from "./shell.ts";

const root = join(import.meta.dirname, "../..");

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

/** @returns README's block of commands that begins so */
const block = (beginning: string): string =>
  shellBlocks().find(({ id }) => id.startsWith(`README.md: ${beginning}`))?.text ?? "";

const folder = await newFolder("readme");
const running: RunningProgram[] = [];
let cluster: ControlPlane | undefined;
let shell: Shell;

beforeAll(async () => {
  await mkdir(join(folder, "home"));
  await copyWorkTree(join(folder, "tree"));
  cluster = await startControlPlane({ controllers: true, apiServerFlags: { "disable-admission-plugins": null } });
  const env = {
    PATH: `${cluster.binDir}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    KUBECONFIG: cluster.kubeconfigPath,
  };
  shell = { cwd: join(folder, "tree"), env };
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

it("README's commands create a kubeconfig, run the operator as its ServiceAccount, and make the first resource Ready", async () => {
  const lines = block("kubectl apply -f crds/").trim().split("\n");
  const run = lines.pop() ?? "";
  await type(lines.join("\n"), shell);
  const whoami = "kubectl auth whoami --kubeconfig=operator.kubeconfig -o jsonpath={.status.userInfo.username}";
  expect(await type(whoami, shell)).toBe("system:serviceaccount:platform-operator:platform-operator");

  const [, simulate = "", flags = ""] =
    /start `(make simulate)`,.* give `run` the flags `([^`]+)`/.exec(textOf("README.md")) ?? [];
  const platform = start(simulate);
  await prints(platform, "token admin");
  const printed = (name: string): string => new RegExp(`^${name} +(\\S+)$`, "m").exec(platform.output())?.[1] ?? "";
  // Free ports of loopback.
  const ports = "--metrics-bind-address=127.0.0.1:0 --health-probe-bind-address=127.0.0.1:0";
  await prints(start(`${run} ${flags} ${ports}`), '"leading"');

  const commands = block("kubectl create namespace shop")
    .replace("<api-token>", printed("token admin"))
    .replace("https://platform.example.com", printed("platform"))
    .replace("00000000-0000-4000-8000-000000000001", printed("organization"));
  const output = await type(commands, shell);
  expect(output).toMatch(/^platformconnection\S*\/default condition met$/m);
  expect(output).toMatch(/^platformproject\S*\/shop condition met$/m);
});
