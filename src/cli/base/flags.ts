/** Flags and arguments as data: their descriptions, and how a command line is parsed. */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";

import { UsageError } from "./exit.ts";
import { didYouMeanFlag } from "./suggest.ts";

interface Common {
  readonly about: string;
  /** One letter. */
  readonly short?: string;
}

/** One flag, without its name. */
export type Flag =
  /** A boolean: `--x` and `--x=true` are true, `--x=false` is false. */
  | (Common & { readonly type: "switch"; readonly fallback?: true })
  | (Common & {
      readonly type: "text";
      /** The placeholder of the value in the usage text. */
      readonly value: string;
      readonly fallback?: string;
      readonly choices?: readonly string[];
      readonly required?: true;
    })
  /** May be given several times. */
  | (Common & { readonly type: "list"; readonly value: string })
  /** A whole number from `min` on. */
  | (Common & { readonly type: "count"; readonly value: string; readonly min: number; readonly fallback?: number })
  /** A duration as kubectl writes it, e.g. 90s or 1m30s, in milliseconds. */
  | (Common & { readonly type: "duration"; readonly fallback?: string });

/** By name, without the dashes, in kebab-case. */
export type Flags = Readonly<Record<string, Flag>>;

/** One argument. */
export interface Arg {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  /** Takes all remaining arguments; only the last argument may have it. */
  readonly many?: true;
  readonly choices?: readonly string[];
}

type OneOf<Spec, Plain> = Spec extends { readonly choices: readonly (infer Choice)[] } ? Choice : Plain;
type MayMiss<Spec> = Spec extends { readonly required: true } | { readonly fallback: string | number }
  ? never
  : undefined;

type FlagValue<Spec extends Flag> = Spec extends { readonly type: "switch" }
  ? boolean
  : Spec extends { readonly type: "list" }
    ? readonly string[]
    : Spec extends { readonly type: "count" | "duration" }
      ? number | MayMiss<Spec>
      : OneOf<Spec, string> | MayMiss<Spec>;

export type FlagValues<Specs extends Flags> = { readonly [Name in keyof Specs]: FlagValue<Specs[Name]> };

type ArgValue<Spec extends Arg> = Spec extends { readonly many: true }
  ? readonly OneOf<Spec, string>[]
  : OneOf<Spec, string> | (Spec extends { readonly optional: true } ? undefined : never);

export type ArgValues<Specs extends readonly Arg[]> = {
  readonly [Spec in Specs[number] as Spec["name"]]: ArgValue<Spec>;
};

type Value = string | number | boolean | readonly string[] | undefined;

export interface Parsed {
  readonly args: Readonly<Record<string, Value>>;
  readonly flags: Readonly<Record<string, Value>>;
}

/**
 * Parses a command line.
 * @throws UsageError naming the first error
 */
export function parse(argv: readonly string[], args: readonly Arg[], flags: Flags): Parsed {
  const { values, positionals } = split(argv, flags);
  return {
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, valueOf(name, flag, values[name])])),
    args: argsOf(args, positionals),
  };
}

/** Splits a command line that may be invalid or incomplete. @returns the tokens of parseArgs, in their order */
export function tokensOf(argv: readonly string[], flags: Flags) {
  return parseArgs({ args: [...argv], options: optionsOf(flags), strict: false, allowPositionals: true, tokens: true })
    .tokens;
}

/** Describes the flags to parseArgs. */
function optionsOf(flags: Flags): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { type, short }]) => [
      name,
      {
        type: type === "switch" ? ("boolean" as const) : ("string" as const),
        multiple: type === "list",
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

function split(argv: readonly string[], flags: Flags) {
  try {
    return parseArgs({
      args: switched(argv, flags),
      options: optionsOf(flags),
      strict: true,
      allowPositionals: true,
      allowNegative: true,
    });
  } catch (error) {
    // parseArgs names the flag in its first sentence; advice about positional arguments follows.
    const [sentence = ""] = (error instanceof Error ? error.message : "").split(/\. |\n/);
    throw new UsageError(`${sentence.replace(/\.$/, "")}.${didYouMeanFlag(sentence, Object.keys(flags))}`);
  }
}

/** Converts `--x=true` and `--x=false` of switches for parseArgs. */
function switched(argv: readonly string[], flags: Flags): string[] {
  const end = argv.indexOf("--");
  return argv.map((arg, at) => {
    const [, name = "", value] = /^--([^=]+)=(true|false)$/.exec(arg) ?? [];
    if (flags[name]?.type !== "switch" || (end !== -1 && at > end)) return arg;
    return value === "true" ? `--${name}` : `--no-${name}`;
  });
}

type Given = string | boolean | readonly (string | boolean)[] | undefined;

function valueOf(name: string, flag: Flag, given: Given): Value {
  switch (flag.type) {
    case "switch":
      return typeof given === "boolean" ? given : (flag.fallback ?? false);
    case "list":
      return Array.isArray(given) ? given.map(String) : [];
    case "count":
      return typeof given === "string" ? countOf(name, given, flag.min) : flag.fallback;
    case "duration": {
      const text = typeof given === "string" ? given : flag.fallback;
      return text === undefined ? undefined : durationOf(name, text);
    }
    case "text":
      if (typeof given !== "string") {
        if (flag.required) throw new UsageError(`--${name} is missing: ${flag.about}.`);
        return flag.fallback;
      }
      return oneOf(`--${name}`, given, flag.choices);
    default:
      return flag satisfies never;
  }
}

function countOf(name: string, given: string, min: number): number {
  if (!/^\d{1,9}$/.test(given) || Number(given) < min) {
    throw new UsageError(`--${name} takes a whole number from ${min} on, not ${JSON.stringify(given)}.`);
  }
  return Number(given);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** @returns milliseconds. */
function durationOf(name: string, given: string): number {
  if (!/^(?:\d{1,9}(?:ms|[smh]))+$/.test(given)) {
    throw new UsageError(`--${name} takes a duration such as 90s or 1m30s, not ${JSON.stringify(given)}.`);
  }
  const parts = [...given.matchAll(/(\d+)(ms|[smh])/g)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

function argsOf(args: readonly Arg[], given: readonly string[]): Parsed["args"] {
  const values = args.map((arg, at): [string, Value] => {
    const own = arg.many ? given.slice(at) : given.slice(at, at + 1);
    if (own.length === 0 && !arg.optional) throw new UsageError(`<${arg.name}> is missing: ${arg.about}.`);
    for (const one of own) oneOf(`<${arg.name}>`, one, arg.choices);
    return [arg.name, arg.many ? own : own[0]];
  });
  const extra = args.some(({ many }) => many) ? undefined : given[args.length];
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many.`);
  return Object.fromEntries(values);
}

function oneOf(what: string, given: string, choices: readonly string[] | undefined): string {
  if (choices === undefined || choices.includes(given)) return given;
  throw new UsageError(`${what} takes ${choices.join(", ")}, not ${JSON.stringify(given)}.`);
}
