/**
 * The command `__complete`: the candidates for the next word of a command line. Its protocol is cobra's, which kubectl
 * expects of `kubectl_complete-<plugin>`: candidates, each with a tab and a description, and a directive at the end.
 */
import { rawCommand, type Command, type Entry } from "./base/command.ts";
import { EXIT } from "./base/exit.ts";
import type { Arg, Flag } from "./base/flags.ts";
import { find, flagOf, leadingFlags } from "./find.ts";

interface Candidate {
  readonly text: string;
  readonly about: string;
}

/** cobra's ShellCompDirectiveDefault and ShellCompDirectiveNoFileComp. */
const FILES = ":0";
const NO_FILES = ":4";

/** @param entries the commands that are completed. */
export function completeWith(entries: readonly Entry[]): Command {
  return rawCommand(async (argv, { host }) => {
    const { candidates, directive } = await complete(entries, argv.slice(0, -1), argv.at(-1) ?? "");
    const lines = candidates.map(({ text, about }) => (about === "" ? text : `${text}\t${about}`));
    host.io.stdout.write([...lines, directive].map((line) => `${line}\n`).join(""));
    return EXIT.ok;
  });
}

/** @param words those before the cursor @param begun the start of the one at the cursor */
async function complete(entries: readonly Entry[], words: readonly string[], begun: string) {
  const found = find(entries, words);
  const candidates =
    found === undefined
      ? commandsAfter(entries, words.slice(leadingFlags(words)))
      : await partsOf(await found.entry.load(), found.rest, begun);
  return {
    candidates: candidates.all.filter(({ text }) => text.startsWith(begun)),
    directive: candidates.files ? FILES : NO_FILES,
  };
}

interface Candidates {
  readonly all: readonly Candidate[];
  /** The names of files are candidates too. */
  readonly files: boolean;
}

/** Returns the next words of commands that start with `words`. */
function commandsAfter(entries: readonly Entry[], words: readonly string[]): Candidates {
  const prefix = words.map((word) => `${word} `).join("");
  const fitting = entries.filter(({ name, hidden }) => hidden !== true && name.startsWith(prefix));
  const next = fitting.map(({ name, about }): [string, string] => {
    const [word = "", ...more] = name.slice(prefix.length).split(" ");
    return [word, more.length === 0 ? about : ""];
  });
  return { all: [...new Map(next)].map(([text, about]) => ({ text, about })), files: false };
}

/** Returns the flags, values and arguments that may follow `rest`. */
async function partsOf(command: Command, rest: readonly string[], begun: string): Promise<Candidates> {
  const waiting = flagOf(command.flags, rest.at(-1) ?? "");
  if (waiting !== undefined && waiting.is !== "switch" && rest.at(-1)?.includes("=") !== true) {
    return { all: choicesOf(waiting, ""), files: takesFile(waiting) };
  }
  const [, start = "", name = ""] = /^(--([a-z-]+)=)/.exec(begun) ?? [];
  const given = command.flags[name];
  if (given !== undefined) return { all: choicesOf(given, start), files: takesFile(given) };
  if (begun.startsWith("-")) {
    return {
      all: Object.entries(command.flags).map(([flag, { about }]) => ({ text: `--${flag}`, about })),
      files: false,
    };
  }
  return { all: wordsOf(argumentAt(command, rest)), files: false };
}

function choicesOf(flag: Flag, start: string): readonly Candidate[] {
  const choices = flag.is === "switch" ? ["true", "false"] : flag.is === "text" ? (flag.choices ?? []) : [];
  return choices.map((choice) => ({ text: `${start}${choice}`, about: "" }));
}

function takesFile(flag: Flag): boolean {
  return "value" in flag && flag.value === "FILE";
}

/** Returns the argument that comes next. */
function argumentAt({ args, flags }: Command, rest: readonly string[]): Arg | undefined {
  const given = rest.filter((word, at) => {
    const before = flagOf(flags, rest[at - 1] ?? "");
    const isValue = before !== undefined && before.is !== "switch" && rest[at - 1]?.includes("=") !== true;
    return !word.startsWith("-") && !isValue;
  });
  const last = args.at(-1);
  return args[given.length] ?? (last?.many === true ? last : undefined);
}

function wordsOf(arg: Arg | undefined): readonly Candidate[] {
  return (arg?.choices ?? []).map((choice) => ({ text: choice, about: "" }));
}
