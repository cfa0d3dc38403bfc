import { describe, expect, it } from "vitest";

import { VERSION } from "../app/version.ts";
import { main } from "./index.ts";

async function call(program: string, ...argv: readonly string[]) {
  let stdout = "";
  let stderr = "";
  const code = await main(program, argv, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe("the command line", () => {
  it.each([["help"], ["--help"], ["-h"]])("shows the commands that exist on %s", async (flag) => {
    const { code, stdout, stderr } = await call("/usr/bin/platform-operator", flag);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect([...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)).toEqual([
      "run",
      "simulate",
      "version",
      "help",
    ]);
  });

  it.each([["version"], ["--version"]])("prints the version on %s and nothing else", async (name) => {
    expect(await call("platform-operator", name)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  it.each([
    ["no command", [], /^Usage: platform-operator <command>/],
    ["an unknown command", ["deploy"], /^"deploy" is no command\.\n\nUsage:/],
    ["an unknown flag of run", ["run", "--speed=2"], /^Unknown option '--speed'[^]*Usage: platform-operator run/],
    ["a wrong value", ["run", "--leader-elect=maybe"], /^--leader-elect must be true or false\n/],
  ])("ends with 64 and usage on standard error for %s", async (_, argv, told) => {
    const { code, stdout, stderr } = await call("platform-operator", ...argv);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toMatch(told);
  });

  it("calls itself kubectl platform as a plugin", async () => {
    const { stdout } = await call("/usr/local/bin/kubectl-platform", "help");
    expect(stdout).toMatch(/^Usage: kubectl platform <command>/);
  });

  it("lists the flags of run with their defaults", async () => {
    const { code, stdout } = await call("platform-operator", "run", "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(/--metrics-bind-address ADDRESS .*\(default :8080\)/);
    expect(stdout).toMatch(/--leader-elect BOOL .*\(default true\)/);
  });
});
