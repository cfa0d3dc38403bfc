import { describe, expect, it } from "vitest";

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

describe("shell completion", () => {
  it.each([
    ["commands by their first letters", ["reg"], ["regions", ":4"]],
    ["the second word of a command", ["cluster", "s"], ["stop", ":4"]],
    ["commands behind shared flags", ["-n", "shop", "--context=a", "database-t"], ["database-types", ":4"]],
    ["flags", ["regions", "AWS", "--a"], ["--arm", "--allowed-platform-hosts", "--allow-insecure-platform", ":4"]],
    ["the values of a flag", ["regions", "AWS", "-o", "y"], ["yaml", ":4"]],
    ["the values of a flag behind =", ["regions", "AWS", "--output=n"], ["--output=name", ":4"]],
    ["the choices of an argument", ["ingress-status", "c"], ["container", ":4"]],
    ["the choices of an argument behind flags", ["ingress-status", "-o", "json", "h"], ["helm", ":4"]],
    ["files, for a flag that takes one", ["default-values", "env", "-f", ""], [":0"]],
    ["files and directories, for a flag that takes both", ["plan", "-f", ""], [":0"]],
    ["directories, for a flag that takes one", ["export", "-o", ""], [":0"]],
    ["nothing for names of objects", ["logs", ""], [":4"]],
    ["nothing after an unknown word", ["nonsense", ""], [":4"]],
    ["no internal commands", ["__"], [":4"]],
  ])("offers %s", async (_, words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });

  it("prints a description beside each word that has one", async () => {
    const { stdout } = await cli(["__complete", "invoi"]);
    expect(stdout).toBe("invoices\n:4\n");
    expect((await cli(["__complete", "invoices", ""])).stdout).toBe("send\trequest the invoices by e-mail\n:4\n");
  });

  it("completes for kubectl when it runs under the name that kubectl looks for", async () => {
    const { stdout } = await cli(["regio"], { program: "/usr/local/bin/kubectl_complete-platform" });
    expect(stdout).toBe("regions\tlist the regions and zones of a cloud provider\n:4\n");
  });

  it.each([
    ["bash", /:0\b.*compopt/],
    ["zsh", /:0\b.*_files/],
    ["fish", /:0\b.*__fish_complete_path/],
    ["kubectl", /^exec kubectl-platform __complete/m],
  ])("has a script for %s that calls __complete and completes files after the directive :0", async (shell, line) => {
    const { stdout } = await cli(["completion", shell]);
    expect(stdout).toContain(" __complete ");
    expect(stdout).toMatch(line);
  });
});
