import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { createKubectl, globalFlagsIn } from "./kubectl.ts";

describe("kubectl's global flags on a command line", () => {
  it.each<[line: string, args: readonly string[]]>([
    ["tree", []],
    ["tree -n shop", ["--namespace=shop"]],
    ["tree -nshop -n=other", ["--namespace=shop", "--namespace=other"]],
    ["tree -A -w --context prod", ["--context=prod"]],
    ["tree -wn shop", ["--namespace=shop"]],
    ["status papp/api --as ann --as-group=a --as-group b", ["--as=ann", "--as-group=a", "--as-group=b"]],
    ["plan -f -n.yaml -fn.yaml -k n", ["--namespace=.yaml"]],
    [
      "tree --insecure-skip-tls-verify --warnings-as-errors=false",
      ["--insecure-skip-tls-verify", "--warnings-as-errors=false"],
    ],
    ["tree --connection x --to 1", []],
    ["tree -- --context=prod", []],
    ["tree --context", []],
  ])("of %j are passed on", (line, args) => {
    expect(globalFlagsIn(line.split(" ")).args).toEqual(args);
  });

  it("have the value that was given last", () => {
    expect(globalFlagsIn(["--context=a", "--context=b"]).values).toEqual({ context: "b" });
  });
});

/** Writes a program in place of kubectl, which is a shell script. @returns its path and its folder */
async function fakeKubectl(script: string) {
  const dir = await mkdtemp(join(tmpdir(), "fake-kubectl-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const program = join(dir, "kubectl");
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return { dir, program };
}

/** Collects what is written to it. */
function writer() {
  let text = "";
  return { write: (part: string) => (text += part), text: () => text };
}

describe("kubectl proxy", () => {
  it("serves on a socket in a directory that only its user can open", async () => {
    const { program } = await fakeKubectl('echo "Starting to serve on $*"; exec sleep 60');
    const kubectl = createKubectl({ program, argv: ["tree", "--context=x"], stderr: writer() });
    onTestFinished(kubectl.stop);
    const { socketPath = "", origin, root } = await kubectl.proxy();
    expect({ origin, root }).toEqual({ origin: "http://localhost", root: "" });
    expect(socketPath).toMatch(/kubectl-platform-\w+\/api$/);
  });

  it("serves on loopback below a random path where there are no unix sockets", async () => {
    const { program } = await fakeKubectl('echo "Starting to serve on 127.0.0.1:1234"; exec sleep 60');
    const kubectl = createKubectl({ program, argv: [], stderr: writer(), loopback: true });
    onTestFinished(kubectl.stop);
    const { socketPath, origin, root } = await kubectl.proxy();
    expect({ socketPath, origin }).toEqual({ socketPath: undefined, origin: "http://127.0.0.1:1234" });
    expect(root).toMatch(/^\/[0-9a-f]{32}$/);
  });

  it("passes on what a credential plugin writes, and leaves out its own log of a failed request", async () => {
    const log = "E1130 06:07:35.123456   12345 proxy_server.go:147] Error while proxying request: exec: exit 1";
    const { program } = await fakeKubectl(
      `printf 'Open https://login: ' >&2; sleep 0.2; printf '\\n${log}\\n\\nIt is not installed.\\n' >&2; sleep 0.2\n` +
        "echo 'Starting to serve on x'; exec sleep 60",
    );
    const stderr = writer();
    const kubectl = createKubectl({ program, argv: [], stderr });
    onTestFinished(kubectl.stop);
    await kubectl.proxy();
    expect(stderr.text()).toBe("Open https://login: \n");
  });

  it("that ends before it serves has said why, so that the error has no words of its own", async () => {
    const { program } = await fakeKubectl('echo "error: context x does not exist" >&2; exit 1');
    const stderr = writer();
    const kubectl = createKubectl({ program, argv: [], stderr });
    await expect(kubectl.proxy()).rejects.toMatchObject({ message: "", code: 1 });
    expect(stderr.text()).toBe("error: context x does not exist\n");
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "ends with the command that ends by %s, and its directory goes",
    async (signal) => {
      const { dir, program } = await fakeKubectl(
        `echo $$ > "$(dirname "$0")/pid"; echo "Starting to serve on x"; exec sleep 600`,
      );
      const module = join(import.meta.dirname, "kubectl.ts");
      const code = `
      const { createKubectl } = await import(${JSON.stringify(module)});
      await createKubectl({ program: ${JSON.stringify(program)}, argv: [], stderr: process.stderr }).proxy();
      console.log("serves");`;
      const command = spawn(process.execPath, ["--input-type=module", "--eval", code], {
        env: { TMPDIR: dir },
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(command.stdout, "data");
      const pid = Number(await readFile(join(dir, "pid"), "utf8"));
      expect(isRunning(pid)).toBe(true);
      command.kill(signal);
      await expect.poll(() => isRunning(pid)).toBe(false);
      await expect
        .poll(async () => (await readdir(dir)).filter((name) => name.startsWith("kubectl-platform-")))
        .toEqual([]);
    },
  );

  it("has no deadline without --request-timeout, as kubectl", () => {
    const limit = (...argv: readonly string[]) => createKubectl({ argv, stderr: writer() }).limitMs;
    expect(limit()).toBe(Infinity);
    expect(limit("--request-timeout=0")).toBe(Infinity);
    expect(limit("--request-timeout=5")).toBe(5_000);
    expect(limit("--request-timeout", "1m30s")).toBe(90_000);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it("the context and the namespace are those of kubectl's view, unless a flag names them", async () => {
  const view = {
    "current-context": "dev",
    contexts: [
      { name: "dev", context: { cluster: "one", namespace: "shop" } },
      { name: "prod", context: { cluster: "two" } },
    ],
  };
  const { program } = await fakeKubectl(`cat <<'END'\n${JSON.stringify(view)}\nEND`);
  const contextOf = (...argv: readonly string[]) => createKubectl({ program, argv, stderr: writer() }).context();
  expect(await contextOf()).toEqual({ place: "dev", namespace: "shop", isNamespaceGiven: false });
  expect(await contextOf("--context=prod")).toMatchObject({ place: "prod", namespace: "default" });
  expect(await contextOf("-n", "x")).toEqual({ place: "dev", namespace: "x", isNamespaceGiven: true });
  expect(await contextOf("--cluster=two")).toMatchObject({ place: "two" });
});
