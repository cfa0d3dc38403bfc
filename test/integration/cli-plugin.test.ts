/** The built plugin, run by kubectl. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { runToEnd } from "../support/programs/programs.ts";
import { createCliEnv } from "./cli-env.ts";

const user = createCliEnv("documented");
/** A folder with kubectl and the plugin under its two names. */
const bin = await mkdtemp(join(tmpdir(), "plugin-"));

beforeAll(async () => {
  const entry = join(dirname(inject("program")), "plugin/kubectl-platform.cjs");
  for (const name of ["kubectl-platform", "kubectl_complete-platform"]) await symlink(entry, join(bin, name));
  await symlink(user.facts.kubectlPath, join(bin, "kubectl"));
});
afterAll(() => rm(bin, { recursive: true }));

const env = () => ({
  PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  HOME: bin,
  KUBECONFIG: user.facts.kubeconfigPath,
});
const run = (program: string, ...args: readonly string[]) => runToEnd(program, args, { env: env() });
const platform = (...args: readonly string[]) => run(join(bin, "kubectl"), "platform", ...args);
const here = () => [`--namespace=${user.namespace}`, "--allow-insecure-platform"];

describe("kubectl platform, run by kubectl as a plugin", () => {
  it("passes the data and the exit code on", async () => {
    const found = await platform("api", "listProjects", "-q", "$.results[*].id", ...here());
    expect(found).toEqual({ code: 0, stdout: `${user.world.projectId}\n`, stderr: "" });
    expect(await platform("nonsense")).toMatchObject({ code: 64, stdout: "" });
  });

  it("exits with 0 when the reader of a pipe closes it early", async () => {
    const line = "kubectl platform api listTemplates $0 $1 | head -n 1";
    expect(await run("sh", "-c", line, ...here())).toEqual({ code: 0, stdout: "{\n", stderr: "" });
  });

  it("completes its words through kubectl", async () => {
    const { stdout } = await run(join(bin, "kubectl"), "__complete", "platform", "api", "listP");
    expect(stdout).toMatch(/^listProjects\tlist the projects of the organization\n/);
  });

  it("ends on Ctrl-C, and leaves no process behind", async () => {
    const watching = spawn(join(bin, "kubectl"), ["platform", "tree", "-w", ...here()], {
      env: env(),
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, which Ctrl-C reaches as a whole.
      detached: true,
    });
    const ended = once(watching, "exit");
    await once(watching.stdout, "data");
    process.kill(-(watching.pid ?? 0), "SIGINT");
    const [code] = await ended;
    expect(code).toBe(0);
    const { stdout } = await run("ps", "-A", "-o", "args");
    expect(stdout.split("\n").filter((line) => line.includes(`--namespace=${user.namespace}`))).toEqual([]);
  });
});
