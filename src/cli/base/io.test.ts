import { WriteStream } from "node:tty";

import { afterEach, expect, it, vi } from "vitest";

import { paintFor, type Stream } from "./io.ts";

const GREEN = "\u001B[32mok\u001B[39m";
/** What standard output is on a terminal; Node asks the environment for its colors. */
const terminal = Object.create(WriteStream.prototype) as Stream;
const file: Stream = { write: () => true };

afterEach(() => {
  vi.unstubAllEnvs();
});

it.each<[what: string, stream: Stream, env: Readonly<Record<string, string>>, text: string]>([
  ["has colors on a terminal", terminal, {}, GREEN],
  ["has none with NO_COLOR", terminal, { NO_COLOR: "1" }, "ok"],
  ["has none with NODE_DISABLE_COLORS", terminal, { NODE_DISABLE_COLORS: "1" }, "ok"],
  ["has none where TERM is dumb", terminal, { TERM: "dumb" }, "ok"],
  ["has none in a file or a pipe", file, {}, "ok"],
])("a word %s", (_, stream, env, text) => {
  // Each of them decides about colors before TERM does (Node.js, tty.WriteStream.getColorDepth); CI systems set some.
  const deciding = ["FORCE_COLOR", "NO_COLOR", "NODE_DISABLE_COLORS", "CI", "TEAMCITY_VERSION", "TMUX", "COLORTERM"];
  const unset = Object.fromEntries(deciding.map((name) => [name, undefined]));
  for (const [name, value] of Object.entries({ ...unset, TERM: "xterm-256color", ...env })) vi.stubEnv(name, value);
  expect(paintFor(stream)("green", "ok")).toBe(text);
});
