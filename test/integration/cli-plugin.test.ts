/** The built bundle as a plugin of kubectl. */
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";

import { startScriptedServer } from "../support/kube/scripted-server.ts";
import { certificate, privateKey } from "../support/kube/tls.ts";
import { runToEnd } from "../support/programs/programs.ts";
import { createCliEnv } from "./cli-env.ts";

const user = createCliEnv("documented");
/** A folder with the program under each of its names, and kubectl. */
const bin = await mkdtemp(join(tmpdir(), "bundle-"));

beforeAll(async () => {
  for (const name of ["platform-operator", "kubectl-platform"]) await symlink(inject("program"), join(bin, name));
  await symlink(user.facts.kubectlPath, join(bin, "kubectl"));
});
afterAll(() => rm(bin, { recursive: true }));

/** Runs a program of `bin` or of the system, as a user with this $KUBECONFIG. */
const run = (program: string, args: readonly string[], kubeconfig = user.facts.kubeconfigPath) => {
  const path = [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
  // Later starts take half the time of the first one.
  const cache = { NODE_COMPILE_CACHE: join(user.facts.dir, "compile-cache") };
  return runToEnd(program, args, { env: { PATH: path, HOME: bin, KUBECONFIG: kubeconfig, ...cache } });
};
const kubectl = (args: readonly string[], kubeconfig?: string) => run("kubectl", args, kubeconfig);
const platform = (...args: readonly string[]) => kubectl(["platform", ...args]);
const here = () => [`--namespace=${user.namespace}`, "--allow-insecure-platform"];

describe("kubectl platform, run by kubectl as a plugin", () => {
  it("uses the user's kubeconfig and passes its exit code on", async () => {
    const { projectId } = user.world;
    const found = await platform("projects", "-o", "name", ...here());
    expect(found).toEqual({ code: 0, stdout: `project/${projectId}\n`, stderr: "" });
    expect(await platform("nonsense")).toMatchObject({ code: 64, stdout: "" });
  });

  it("exits with 0 when the reader of a pipe closes it early", async () => {
    const ended = await run("sh", ["-c", "kubectl-platform catalog -o json $0 $1 | head -n 1", ...here()]);
    expect(ended).toEqual({ code: 0, stdout: "[\n", stderr: "" });
  });

  // By kubectl: test/e2e/plugin.test.ts.
  it("completes its words in bash", async () => {
    const script = `
      source <(platform-operator completion bash)
      COMP_WORDS=(platform-operator cluster s) COMP_CWORD=2
      _platform_operator
      echo "\${COMPREPLY[*]}"`;
    expect(await run("bash", ["-c", script])).toEqual({ code: 0, stdout: "stop\n", stderr: "" });
  });
});

describe("kubectl platform cluster token", () => {
  /** A cluster's API server as far as kubectl needs one, which sees what kubectl sends. */
  async function startApiServer() {
    const server = await startScriptedServer((listener) =>
      createServer({ cert: certificate, key: privateKey }, listener),
    );
    onTestFinished(() => server.stop());
    server.script({ body: { gitVersion: "v1.33.0" } });
    return { ...server, url: server.url.replace("http:", "https:") };
  }

  async function kubeconfig(server: string, ...flags: readonly string[]): Promise<string> {
    const ca = join(bin, "ca.pem");
    await writeFile(ca, certificate);
    const [cluster] = user.world.clusterIds;
    const argv = ["cluster", "kubeconfig", cluster, `--server=${server}`, `--ca-file=${ca}`, "--name=prod", ...flags];
    const { code, stdout, stderr } = await user.run(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const file = join(bin, "prod.kubeconfig");
    await writeFile(file, stdout);
    return file;
  }

  it.each([
    ["read-only by default", [], "v1", "read-only"],
    ["one that may write on demand, for an older kubectl", ["--read-only=false"], "v1beta1", "admin"],
  ])("signs kubectl in to a cluster with a token that is %s", async (_, flags, version, account) => {
    const server = await startApiServer();
    const file = await kubeconfig(server.url, ...flags);
    const text = (await readFile(file, "utf8")).replace("k8s.io/v1", `k8s.io/${version}`);
    await writeFile(file, text);
    const stdout = expect.stringContaining("v1.33.0");
    expect(await kubectl(["get", "--raw", "/version"], file)).toEqual({ code: 0, stdout, stderr: "" });
    expect(server.arrived.at(-1)?.headers.authorization).toMatch(
      new RegExp(`^Bearer simulated-${account}-production-[0-9a-f]+$`),
    );
    expect(text).not.toContain("simulated-");
  });

  it("prints the platform's ExecCredential as it is, and with -o raw only the token", async () => {
    const [cluster] = user.world.clusterIds;
    const { stdout } = await user.run(["cluster", "token", cluster]);
    expect(JSON.parse(stdout)).toEqual({
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      spec: { interactive: false },
      status: { token: expect.stringMatching(/^simulated-read-only-/), expirationTimestamp: expect.any(String) },
    });
    // The spec types this id as a plain string.
    const raw = await user.run(["cluster", "token", "production", "-o", "raw", "--no-read-only"]);
    expect(raw).toEqual({ code: 0, stdout: expect.stringMatching(/^simulated-admin-production-\w+\n$/), stderr: "" });
  });

  it("prints an ExecCredential where the platform's answer is not one", async () => {
    const { faults } = user.world.simulator.sim;
    const set = { apiVersion: "v1", kind: "Token" };
    faults.add({ match: { operation: "getClusterToken" }, answer: { is: "edited", set, remove: ["spec"] } });
    const { stdout } = await user.run(["cluster", "token", "production"]);
    expect(JSON.parse(stdout)).toMatchObject({ apiVersion: "client.authentication.k8s.io/v1", kind: "ExecCredential" });
  });

  it("refuses to write a kubeconfig with a file that contains no certificate", async () => {
    const flags = ["--server=https://127.0.0.1", "--ca-file=package.json"];
    const ended = await user.run(["cluster", "kubeconfig", "production", ...flags]);
    expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/contains no certificate/) });
  });
});
