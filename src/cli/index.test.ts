import { describe, expect, it } from "vitest";

import { cli, ending } from "../../test/support/programs/cli.ts";
import { OPERATOR_VERSION } from "../config/names.ts";
import { createPluginProgram } from "./commands.ts";
import { operatorHost } from "./index.ts";

const COMMANDS = [
  ...["tree", "status", "trace", "history", "logs", "orphans", "plan"],
  ...["deploy", "rollback", "reconcile", "approve", "resolve", "pause", "resume"],
  ...["api", "export", "check", "report"],
];

describe("the command line", () => {
  it("has these commands and no others", () => {
    const { command } = createPluginProgram(operatorHost([]));
    expect(command.commands.map((one) => one.name())).toEqual(COMMANDS);
  });

  it.each([["help"], ["--help"], ["-h"]])("lists the commands in groups on %s", async (flag) => {
    const { code, stdout, stderr } = await cli([flag]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const titles = [...stdout.matchAll(/^([A-Z][a-z]+):$/gm)].map(([, title]) => title);
    expect(titles).toEqual(["Options", "View", "Change", "Platform", "Installation", "Commands"]);
  });

  it.each(COMMANDS)("prints a help of at most 120 columns for %s", async (name) => {
    const { code, stdout } = await cli([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: kubectl platform ${name} `));
    expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });

  it("prints only the version on --version", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, stdout: `${OPERATOR_VERSION}\n`, stderr: "" });
  });

  it.each([
    ["an unknown command", ["uninstall"], /^error: unknown command 'uninstall'\n$/],
    ["a command that is misspelt", ["statsu"], /^error: unknown command 'statsu'\n\(Did you mean status\?\)\n$/],
    [
      "a misspelt flag",
      ["tree", "--namepsace=x"],
      /^error: unknown option '--namepsace=x'\n\(Did you mean --namespace\?\)/,
    ],
    ["a missing argument", ["trace"], /^error: missing required argument 'object'\n$/],
    ["one argument too many", ["tree", "a", "b"], /^error: too many arguments for 'tree'/],
    ["a wrong format", ["tree", "-o", "xml"], /Allowed choices are table, wide, json, yaml, name, dot\./],
    ["a wrong number", ["logs", "api", "--tail", "many"], /Give a whole number from 1 on\./],
    ["a wrong duration", ["reconcile", "papp/api", "--timeout", "soon"], /Give a duration such as 90s or 1m30s\./],
  ])("exits with 64 for %s", async (_, argv, message) => {
    expect(await cli(argv)).toEqual(ending(64, "", message));
  });

  it("has run and check in the operator's own program", async () => {
    const { stdout } = await cli(["--help"], { program: "platform-operator" });
    expect([...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name)).toEqual(["run", "check", "help"]);
  });
});
