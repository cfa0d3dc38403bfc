/**
 * `__complete`, which the scripts of completion.ts call: prints the candidates for the next word of a command line. Its
 * protocol is cobra's, which kubectl expects of `kubectl_complete-<plugin>`: candidates, each with a tab and a
 * description, and a directive at the end.
 */
import type { Command } from "./base/command.ts";
import { EXIT } from "./base/exit.ts";
import { tokensOf, type Flag, type Flags } from "./base/flags.ts";
import type { Stream } from "./base/io.ts";
import { COMMANDS, find, leadingFlags } from "./commands.ts";

interface Candidate {
  readonly text: string;
  readonly about?: string | undefined;
}

/** cobra's ShellCompDirectiveDefault: file names are candidates too. */
const FILES = ":0";
/** cobra's ShellCompDirectiveNoFileComp. */
const NO_FILES = ":4";

interface Candidates {
  readonly all: readonly Candidate[];
  readonly directive: typeof FILES | typeof NO_FILES;
}

/**
 * Prints the candidates, one a line, and the directive.
 * @param argv the words of the command line after the program; the last one is being typed and may be empty
 * @returns the exit code
 */
export async function complete(argv: readonly string[], stdout: Stream): Promise<number> {
  const words = argv.slice(0, -1);
  const begun = argv.at(-1) ?? "";
  const found = find(words);
  const { all, directive } =
    found === undefined
      ? commandsAfter(words.slice(leadingFlags(words)))
      : partsOf(await found.entry.load(), found.rest, begun);
  const lines = all
    .filter(({ text }) => text.startsWith(begun))
    .map(({ text, about }) => (about === undefined ? text : `${text}\t${about}`));
  stdout.write([...lines, directive].map((line) => `${line}\n`).join(""));
  return EXIT.ok;
}

/** Returns the next words of commands that start with `words`. */
function commandsAfter(words: readonly string[]): Candidates {
  const prefix = words.map((word) => `${word} `).join("");
  const fitting = COMMANDS.filter(({ name, hidden }) => hidden !== true && name.startsWith(prefix));
  const next = fitting.map(({ name, about }): [string, Candidate] => {
    const [text = "", ...more] = name.slice(prefix.length).split(" ");
    return [text, more.length === 0 ? { text, about } : { text }];
  });
  return { all: [...new Map(next).values()], directive: NO_FILES };
}

/** Returns the flags, values and arguments that may follow `rest`. */
function partsOf(command: Command, rest: readonly string[], begun: string): Candidates {
  const { args, flags } = command;
  const tokens = tokensOf(rest, flags);
  const awaiting = flagAwaitingValue(tokens.at(-1), flags);
  if (awaiting !== undefined) return valuesOf(awaiting, "");
  const [, start = "", name = ""] = /^(--([a-z-]+)=)/.exec(begun) ?? [];
  const given = flags[name];
  if (given !== undefined) return valuesOf(given, start);
  if (begun.startsWith("-")) {
    const all = Object.entries(flags).map(([flag, { about }]) => ({ text: `--${flag}`, about }));
    return { all, directive: NO_FILES };
  }
  const before = tokens.filter(({ kind }) => kind === "positional");
  const last = args.at(-1);
  const next = args[before.length] ?? (last?.many === true ? last : undefined);
  return { all: (next?.choices ?? []).map((text) => ({ text })), directive: NO_FILES };
}

/** Returns the flag whose value is the word that comes next. */
function flagAwaitingValue(last: ReturnType<typeof tokensOf>[number] | undefined, flags: Flags): Flag | undefined {
  const flag = last?.kind === "option" && last.value === undefined ? flags[last.name] : undefined;
  return flag?.type === "switch" ? undefined : flag;
}

/** @param start the text before the value in the same word */
function valuesOf(flag: Flag, start: string): Candidates {
  const choices = flag.type === "switch" ? ["true", "false"] : flag.type === "text" ? (flag.choices ?? []) : [];
  return {
    all: choices.map((choice) => ({ text: `${start}${choice}` })),
    directive: "value" in flag && /FILE|DIR/.test(flag.value) ? FILES : NO_FILES,
  };
}
