import { describe, expect, it } from "vitest";

import { cli, ending } from "../../test/support/programs/cli.ts";
import { operations, isDocumented } from "../platform/codec/operations.ts";
import { COMMANDS } from "./commands.ts";

/**
 * Operations without a command: creates, as custom resources record what they own, and the binding, which the resource
 * validates before it is sent.
 */
const BY_RESOURCES_ALONE = [
  ...["putBinding", "createProject", "createEnvironment", "createApplication"],
  ...["createDatabase", "createBlueprint", "createWebhook"],
];

describe("the table of commands", () => {
  it("has each command once", () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it("uses every documented operation except those that only custom resources use", () => {
    const used = new Set<string>(COMMANDS.flatMap((command) => command.operations ?? []));
    const documented = Object.keys(operations).filter(isDocumented);
    const unused = documented.filter((name) => !used.has(name));
    expect(unused.toSorted()).toEqual(BY_RESOURCES_ALONE.toSorted());
  });

  const shown = COMMANDS.filter(({ hidden }) => hidden !== true);
  it.each(shown)("$name prints a help of at most 120 columns", async ({ name }) => {
    const { code, stdout, stderr } = await cli([...name.split(" "), "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const program = name === "run" ? "platform-operator" : "kubectl platform";
    expect(stdout).toContain(`Usage: ${program} ${name} `);
    expect(stdout).toMatch(/ --help\b|^ {2}--\w/m);
    expect(stdout.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });

  it.each([["cluster"], ["env"], ["database"]])("lists the subcommands of %s", async (group) => {
    const wrong = await cli([group]);
    expect(wrong).toMatchObject({ code: 64, stdout: "" });
    expect(await cli([group, "--help"])).toEqual(ending(0, wrong.stderr));
    expect(wrong.stderr).toMatch(
      new RegExp(`^Usage: kubectl platform ${group} <command> \\[flags\\]\n\n  ${group} \\w+ `),
    );
  });
});
