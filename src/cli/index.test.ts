import { describe, expect, it } from "vitest";

import { cli, ending } from "../../test/support/programs/cli.ts";
import { OPERATOR_VERSION } from "../config/names.ts";
import { COMMANDS } from "./commands.ts";

const operator = { program: "/usr/bin/platform-operator" };

describe("the command line", () => {
  it.each([["help"], ["--help"], ["-h"]])("lists every command that is not hidden on %s", async (flag) => {
    const { code, stdout, stderr } = await cli([flag], operator);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const shown = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
    expect([...stdout.matchAll(/^ {2}([a-z- ]+?) {2,}/gm)].map(([, name]) => name)).toEqual(shown);
  });

  it("lists the commands in groups with the operator's last", async () => {
    const { stdout } = await cli(["help"], operator);
    const titles = [...stdout.matchAll(/^(.+):$/gm)].map(([, title]) => title);
    expect(titles.slice(0, 2)).toEqual(["View", "Change"]);
    expect(stdout).toMatch(/\n\nOperator:\n {2}run +run the operator\n\n/);
  });

  it(`prints the same help for "help NAME" and "NAME --help"`, async () => {
    const asked = await cli(["help", "cluster", "token"], operator);
    expect(asked).toEqual(await cli(["cluster", "token", "--help"], operator));
    expect(asked.code).toBe(0);
  });

  it.each([["version"], ["--version"]])("prints only the version on %s", async (name) => {
    expect(await cli([name], operator)).toEqual({ code: 0, stdout: `${OPERATOR_VERSION}\n`, stderr: "" });
  });

  it.each([
    ["no command", [], /^Usage: platform-operator <command>/],
    ["an unknown command", ["destroy"], /^"destroy" is not a command\.\n\nUsage:/],
    ["a command that is misspelt", ["statsu"], /^"statsu" is not .*"status"\? "platform-operator help" lists all/],
    ["a misspelt subcommand", ["cluster", "kubconfig"], /^"kubconfig" is not .* Did you mean "cluster kubeconfig"\?/],
    ["a misspelt flag", ["get", "--namepsace=x"], /^Unknown .* Did you mean "--namespace"\?\n\nUsage: \S+ get/],
    [
      "a misspelt flag of run",
      ["run", "--log-levl=info"],
      /^Unknown .* Did you mean "--log-level"\?\n\nUsage: \S+ run/,
    ],
    ["a flag with a wrong value", ["run", "--leader-elect=maybe"], /^--leader-elect must be true or false\n/],
  ])("exits with 64 and prints the usage on standard error for %s", async (_, argv, message) => {
    expect(await cli(argv, operator)).toEqual(ending(64, "", message));
  });
});
