import { describe, expect, it } from "vitest";

import { createPluginProgram } from "../../src/cli/commands.ts";
import { operatorHost } from "../../src/cli/index.ts";
import { filesIn, textOf } from "./repository.ts";

const called = /kubectl platform ([a-z][^`"\n|]*)/g;

/** To the end of the line or of the code, as a reader would copy them; the reference is generated. */
const pages = ["README.md", ...filesIn("docs/guides", ".md"), ...filesIn("docs/runbooks", ".md")];
const callsIn = (file: string) => [...textOf(file).matchAll(called)].map(([, line = ""]) => ({ file, line }));
const lines = pages.flatMap(callsIn);
const mentioned = filesIn("src", ".ts")
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap(callsIn);

const { command: program } = createPluginProgram(operatorHost([]));

/** @returns the command that a line names, and the words after it */
function find(words: readonly string[]) {
  const command = program.commands.find((one) => one.name() === words[0]);
  const nested = command?.commands.find((one) => one.name() === words[1]);
  return { command: nested ?? command, rest: words.slice(nested === undefined ? 1 : 2) };
}

describe("a command that the documentation or the program names", () => {
  it.each(lines)("exists, with its flags: $file: kubectl platform $line", ({ line }) => {
    const words = line
      .trim()
      .replace(/\s+#.*$/, "")
      .replaceAll("…", "x")
      .split(/\s+/);
    const { command, rest } = find(words);
    expect(command?.name(), "a command").toBeDefined();
    const options = [...(command?.options ?? []), ...program.options];
    const known = new Set(options.flatMap(({ short, long }) => [short, long]));
    const flags = rest.flatMap((word) => /^(--[a-z-]+|-[a-zA-Z])/.exec(word)?.[1] ?? []);
    expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it("exists where a message of the program names it", () => {
    const unknown = mentioned.filter(({ line }) => find(line.split(/[\s.;:,)]+/)).command === undefined);
    expect(unknown).toEqual([]);
  });
});
