/** Finds the command of a command line. */
import type { Entry } from "./base/command.ts";
import type { Flag, Flags } from "./base/flags.ts";
import { PLATFORM_FLAGS } from "./base/globals.ts";

/**
 * @returns the command with the most words that the line starts with, and the rest for it; shared flags may stand
 * before the command, and are in the rest
 */
export function find(entries: readonly Entry[], argv: readonly string[]) {
  const start = leadingFlags(argv);
  const words = argv.slice(start);
  const [entry] = entries
    .filter(({ name }) => name.split(" ").every((word, at) => words[at] === word))
    .toSorted((left, right) => right.name.length - left.name.length);
  if (entry === undefined) return undefined;
  return { entry, rest: [...argv.slice(0, start), ...words.slice(entry.name.split(" ").length)] };
}

/** @returns how many arguments before the first word are shared flags and their values */
export function leadingFlags(argv: readonly string[]): number {
  let at = 0;
  while (flagOf(PLATFORM_FLAGS, argv[at]) !== undefined) {
    at += flagAwaitingValue(PLATFORM_FLAGS, argv[at]) === undefined ? 1 : 2;
  }
  return at;
}

/** @returns the flag whose value is the word after `arg` */
export function flagAwaitingValue(flags: Flags, arg = ""): Flag | undefined {
  const flag = arg.includes("=") ? undefined : flagOf(flags, arg);
  return flag?.is === "switch" ? undefined : flag;
}

/** Returns the flag of `--name`, `--name=value` or `-n`. */
function flagOf(flags: Flags, arg = ""): Flag | undefined {
  const [, name] = /^(--?[a-z][a-z-]*)(?:=.*)?$/.exec(arg) ?? [];
  return Object.entries(flags).find(([long, { short = "" }]) => name === `--${long}` || name === `-${short}`)?.[1];
}
