import { describe, expect, it } from "vitest";

import { UsageError } from "./exit.ts";
import { parse, type Arg, type Flags } from "./flags.ts";

const flags = {
  follow: { type: "switch", short: "f", about: "go on" },
  "read-only": { type: "switch", fallback: true, about: "only read" },
  tail: { type: "count", value: "N", min: 1, fallback: 100, about: "lines" },
  limit: { type: "count", value: "N", min: 0, about: "limit" },
  key: { type: "list", value: "KEY", about: "a key" },
  output: { type: "text", short: "o", value: "FORMAT", choices: ["json", "yaml"], fallback: "json", about: "format" },
  name: { type: "text", value: "NAME", about: "name" },
  timeout: { type: "duration", fallback: "1m", about: "patience" },
} as const satisfies Flags;

const nothing = {
  ...{ follow: false, "read-only": true, tail: 100, limit: undefined },
  ...{ key: [], output: "json", name: undefined, timeout: 60_000 },
};

describe("the flags of a command", () => {
  it.each([
    ["no flags as the defaults", [], {}],
    ["a switch", ["--follow"], { follow: true }],
    ["a short switch", ["-f"], { follow: true }],
    ["a switch that has a value", ["--follow=true", "--read-only=false"], { follow: true, "read-only": false }],
    ["a switch that is negated", ["--no-read-only"], { "read-only": false }],
    ["numbers", ["--tail", "5", "--limit=0"], { tail: 5, limit: 0 }],
    ["a repeated flag as a list", ["--key", "a", "--key=b"], { key: ["a", "b"] }],
    ["one of the choices", ["-o", "yaml"], { output: "yaml" }],
    ["a duration", ["--timeout=1m30s"], { timeout: 90_000 }],
    ["a duration with a part that is zero", ["--timeout=1h0s"], { timeout: 3_600_000 }],
  ])("parse %s", (_, argv, expected) => {
    expect(parse(argv, [], flags).flags).toEqual({ ...nothing, ...expected });
  });

  it.each([
    ["an unknown flag", ["--speed"], "Unknown option '--speed'."],
    ["a word in place of a number", ["--tail=many"], '--tail takes a whole number from 1 on, not "many".'],
    ["a number below the minimum", ["--tail=0"], '--tail takes a whole number from 1 on, not "0".'],
    ["a value outside the choices", ["-o", "xml"], '--output takes json, yaml, not "xml".'],
    [
      "a word in place of a duration",
      ["--timeout=soon"],
      '--timeout takes a duration such as 90s or 1m30s, not "soon".',
    ],
    ["a missing value", ["--name"], "Option '--name <value>' argument missing."],
    [
      "a switch whose value is neither true nor false",
      ["--follow=maybe"],
      "Option '-f, --follow' does not take an argument.",
    ],
  ])("reject %s", (_, argv, message) => {
    expect(() => parse(argv, [], flags)).toThrow(new UsageError(message));
  });

  it("describe a required flag when it is missing", () => {
    const required = { commit: { type: "text", value: "SHA", required: true, about: "commit to deploy" } } as const;
    expect(() => parse([], [], required)).toThrow(new UsageError("--commit is missing: commit to deploy."));
    expect(parse(["--commit=abc"], [], required).flags).toEqual({ commit: "abc" });
  });
});

describe("the arguments of a command", () => {
  const app: Arg = { name: "app", about: "the application" };
  const kind: Arg = { name: "kind", about: "the kind", choices: ["a", "b"] };
  const rest: Arg = { name: "more", about: "more", many: true, optional: true };

  it.each([
    ["in their order", ["x", "a"], [app, kind], { app: "x", kind: "a" }],
    ["after --, even when they look like flags", ["--", "--follow=true"], [app], { app: "--follow=true" }],
    ["when an optional one is omitted", ["x"], [app, rest], { app: "x", more: [] }],
    ["when the last one takes all further words", ["x", "y", "z"], [app, rest], { app: "x", more: ["y", "z"] }],
  ])("are parsed %s", (_, argv, args, expected) => {
    expect(parse(argv, args, flags).args).toEqual(expected);
  });

  it.each([
    ["a required one is missing", [], [app], "<app> is missing: the application."],
    ["there is one too many", ["x", "y"], [app], '"y" is one argument too many.'],
    ["one is outside the choices", ["c"], [kind], '<kind> takes a, b, not "c".'],
  ])("are rejected when %s", (_, argv, args, message) => {
    expect(() => parse(argv, args, flags)).toThrow(new UsageError(message));
  });
});
