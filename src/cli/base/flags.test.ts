import { describe, expect, it } from "vitest";

import { UsageError } from "./exit.ts";
import { parse, type Arg, type Flags } from "./flags.ts";

const flags = {
  follow: { is: "switch", short: "f", about: "go on" },
  "read-only": { is: "switch", fallback: true, about: "only read" },
  tail: { is: "count", value: "N", min: 1, fallback: 100, about: "lines" },
  limit: { is: "count", value: "N", min: 0, about: "limit" },
  key: { is: "list", value: "KEY", about: "a key" },
  output: { is: "text", short: "o", value: "FORMAT", choices: ["json", "yaml"], fallback: "json", about: "format" },
  name: { is: "text", value: "NAME", about: "name" },
  timeout: { is: "duration", fallback: "1m", about: "patience" },
} as const satisfies Flags;

const nothing = {
  ...{ follow: false, "read-only": true, tail: 100, limit: undefined },
  ...{ key: [], output: "json", name: undefined, timeout: 60_000 },
};

describe("flags", () => {
  it.each([
    ["nothing", [], {}],
    ["a switch", ["--follow"], { follow: true }],
    ["a short switch", ["-f"], { follow: true }],
    ["a switch that is told", ["--follow=true", "--read-only=false"], { follow: true, "read-only": false }],
    ["a switch that is taken back", ["--no-read-only"], { "read-only": false }],
    ["a number", ["--tail", "5", "--limit=0"], { tail: 5, limit: 0 }],
    ["several values", ["--key", "a", "--key=b"], { key: ["a", "b"] }],
    ["a choice", ["-o", "yaml"], { output: "yaml" }],
    ["a duration", ["--timeout=1m30s"], { timeout: 90_000 }],
    ["an hour and no time", ["--timeout=1h0s"], { timeout: 3_600_000 }],
  ])("read %s", (_, argv, expected) => {
    expect(parse(argv, [], flags).flags).toEqual({ ...nothing, ...expected });
  });

  it.each([
    ["an unknown flag", ["--speed"], "Unknown option '--speed'."],
    ["a number that is none", ["--tail=many"], '--tail takes a whole number from 1 on, not "many".'],
    ["a number that is too small", ["--tail=0"], '--tail takes a whole number from 1 on, not "0".'],
    ["a value that is no choice", ["-o", "xml"], '--output takes json, yaml, not "xml".'],
    ["a duration that is none", ["--timeout=soon"], '--timeout takes a duration such as 90s or 1m30s, not "soon".'],
    ["a missing value", ["--name"], "Option '--name <value>' argument missing."],
    ["a switch with another value", ["--follow=maybe"], "Option '-f, --follow' does not take an argument."],
  ])("refuse %s", (_, argv, message) => {
    expect(() => parse(argv, [], flags)).toThrow(new UsageError(message));
  });

  it("say what a required one is for", () => {
    const required = { commit: { is: "text", value: "SHA", required: true, about: "commit to deploy" } } as const;
    expect(() => parse([], [], required)).toThrow(new UsageError("--commit is missing: commit to deploy."));
    expect(parse(["--commit=abc"], [], required).flags).toEqual({ commit: "abc" });
  });
});

describe("arguments", () => {
  const app: Arg = { name: "app", about: "the application" };
  const kind: Arg = { name: "kind", about: "the kind", choices: ["a", "b"] };
  const rest: Arg = { name: "more", about: "more", many: true, optional: true };

  it.each([
    ["in order", ["x", "a"], [app, kind], { app: "x", kind: "a" }],
    ["after --, whatever they look like", ["--", "--follow=true"], [app], { app: "--follow=true" }],
    ["that may be left out", ["x"], [app, rest], { app: "x", more: [] }],
    ["that take all", ["x", "y", "z"], [app, rest], { app: "x", more: ["y", "z"] }],
  ])("are read %s", (_, argv, args, expected) => {
    expect(parse(argv, args, flags).args).toEqual(expected);
  });

  it.each([
    ["too few", [], [app], "<app> is missing: the application."],
    ["too many", ["x", "y"], [app], '"y" is one argument too many.'],
    ["another than the choices", ["c"], [kind], '<kind> takes a, b, not "c".'],
  ])("are refused when there are %s", (_, argv, args, message) => {
    expect(() => parse(argv, args, flags)).toThrow(new UsageError(message));
  });
});
