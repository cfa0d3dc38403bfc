import { describe, expect, it } from "vitest";

import { parse } from "../../src/cli/base/flags.ts";
import { find } from "../../src/cli/commands.ts";
import { filesIn, textOf } from "./repository.ts";

const called = /kubectl platform ([a-z][^`"\n|]*)/g;

/** To the end of the line or of the code, as a reader would copy them; the reference is generated. */
const pages = ["README.md", ...filesIn("docs/guides", ".md"), ...filesIn("docs/runbooks", ".md")];
const callsIn = (file: string) => [...textOf(file).matchAll(called)].map(([, line = ""]) => ({ file, line }));
const lines = pages.flatMap(callsIn);
const mentioned = filesIn("src", ".ts")
  .filter((file) => !file.endsWith(".test.ts"))
  .flatMap(callsIn);

describe("a command that the documentation or the program names", () => {
  it.each(lines)("exists, with its flags: $file: kubectl platform $line", async ({ line }) => {
    const words = line
      .trim()
      .replace(/\s+#.*$/, "")
      .replaceAll("…", "x")
      .split(/\s+/);
    const found = find(words);
    expect(found?.entry.name, "a command").toBeDefined();
    const command = await found?.entry.load();
    expect(() => flagsOf(found?.rest ?? [], command?.flags ?? {})).not.toThrow();
  });

  it("exists where a message of the program names it", () => {
    const unknown = mentioned.filter(({ line }) => find(line.split(/[\s.;:,)]+/)) === undefined);
    expect(unknown).toEqual([]);
  });
});

/** The flags alone: prose stops before the arguments are complete. */
function flagsOf(rest: readonly string[], flags: Parameters<typeof parse>[2]): unknown {
  const optional = Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, flag.type === "text" ? { ...flag, required: undefined } : flag]),
  );
  return parse(rest, [{ name: "rest", about: "", many: true, optional: true }], optional as typeof flags);
}
