import { expect, it } from "vitest";

import { cli } from "../../test/support/programs/cli.ts";

/** The candidates without their descriptions, and the directive. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await cli(["__complete", ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t")[0] ?? "");
}

it.each([
  ["commands by their first letters", ["tr"], ["tree", "trace", ":4"]],
  ["commands behind kubectl's flags", ["-n", "shop", "--context=a", "hist"], ["history", ":4"]],
  ["the second word of a command", ["orphans", "f"], ["forget", ":4"]],
  ["the flags of a command", ["tree", "--w"], ["--watch", ":4"]],
  ["the flags of all commands", ["tree", "--conn"], ["--connection", ":4"]],
  ["the values of a flag", ["tree", "-o", "y"], ["yaml", ":4"]],
  ["operations", ["api", "listP"], ["listProjects", ":4"]],
  [
    "the parameters of an operation",
    ["api", "getClusterMetrics", "--param", "en"],
    ["endpoint=", "end=", "engine=", ":4"],
  ],
  ["files, for a flag that takes one", ["plan", "-f", ""], [":0"]],
  ["directories, for a flag that takes one", ["export", "-o", ""], [":0"]],
  ["nothing for names of objects", ["logs", ""], [":4"]],
  ["no internal commands", ["__"], [":4"]],
])("completion offers %s", async (_, words, offered) => {
  expect(await complete(...words)).toEqual(offered);
});

it("completion prints a description beside each word", async () => {
  const { stdout } = await cli(["__complete", "hist"]);
  expect(stdout).toBe("history\tlist the deployments of an application\n:4\n");
});
