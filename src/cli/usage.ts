/** The texts of --help. */
import type { Command, Entry } from "./base/command.ts";
import type { Arg, Flag, Flags } from "./base/flags.ts";
import { PLATFORM_FLAGS } from "./base/globals.ts";
import { align, wrap } from "./base/render.ts";

export const EXIT_CODES =
  "Exit codes: 0 done, 1 failed, 2 a plan has changes, 3 timeout, 64 wrong usage, 130 Ctrl-C (0 for logs -f, tree -w).";

/**
 * @param table the commands by the title of their group
 * @param words the first words of the commands that are listed; all commands without words
 * @returns the list of these commands in their groups
 */
export function listUsage(
  program: string,
  table: Readonly<Record<string, readonly Entry[]>>,
  words: readonly string[],
): string {
  const prefix = words.map((word) => `${word} `).join("");
  const groups = Object.entries(table).map(([title, entries]) => ({
    title,
    entries: entries.filter(({ name, hidden }) => hidden !== true && name.startsWith(prefix)),
  }));
  const width = Math.max(...groups.flatMap(({ entries }) => entries.map(({ name }) => name.length)));
  return [
    `Usage: ${program} ${prefix}<command> [flags]\n`,
    ...groups.flatMap(({ title, entries }) => [
      ...(entries.length === 0 ? [] : [prefix === "" ? `\n${title}:\n` : "\n"]),
      ...entries.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`),
    ]),
    `\n"${program} ${prefix}<command> --help" lists a command's flags.\n`,
    ...(prefix === "" ? [`${EXIT_CODES}\n`] : []),
  ].join("");
}

/** @returns the help of one command @param withShared includes the flags that many commands have */
export function commandUsage(program: string, entry: Entry, command: Command, withShared = true): string {
  const own = pick(command.flags, (name) => !Object.hasOwn(PLATFORM_FLAGS, name));
  const shared = pick(command.flags, (name) => withShared && Object.hasOwn(PLATFORM_FLAGS, name));
  return [
    `Usage: ${[program, entry.name, ...command.args.map(argText)].join(" ")} [flags]\n\n`,
    `${sentence(entry.about)}\n`,
    ...(command.details === undefined ? [] : [`\n${wrap(command.details.trim())}\n`]),
    section(
      "Arguments",
      command.args.map((arg) => [`<${arg.name}>`, choicesOf(arg.about, arg.choices)]),
    ),
    flagSection("Flags", own),
    flagSection(asksPlatform(command) ? "Cluster and platform" : "Cluster", shared),
  ].join("");
}

/** Reports whether a command calls the platform itself, with the user's rights. */
export function asksPlatform({ flags }: Command): boolean {
  return Object.keys(PLATFORM_FLAGS).every((name) => Object.hasOwn(flags, name));
}

/** @returns a title and one line for each flag; "" without flags. */
export function flagSection(title: string, flags: Flags): string {
  return section(title, Object.entries(flags).map(flagLine));
}

function pick(flags: Flags, wanted: (name: string) => boolean): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([name]) => wanted(name)));
}

/** @returns a title and its lines, broken at 120 columns; "" without lines */
export function section(title: string, lines: readonly (readonly string[])[]): string {
  if (lines.length === 0) return "";
  const indent = 4 + Math.max(...lines.map(([name = ""]) => name.length));
  return [`\n${title}:\n`, ...align(lines, "  ").map((line) => `${wrap(`  ${line}`, indent)}\n`)].join("");
}

function argText({ name, optional, many }: Arg): string {
  const text = `<${name}>${many === true ? "…" : ""}`;
  return optional === true ? `[${text}]` : text;
}

function flagLine([name, flag]: readonly [string, Flag]): readonly string[] {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "duration" ? " DURATION" : "value" in flag ? ` ${flag.value}` : "";
  return [`${short}--${name}${value}`, `${flag.about}${end(flag)}`];
}

function end(flag: Flag): string {
  if (flag.type === "list") return " (may be given several times)";
  if (flag.type === "text" && flag.required === true) return " (required)";
  if (flag.fallback === undefined) return "";
  return ` (default ${String(flag.fallback)})`;
}

function choicesOf(about: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? about : `${about}: ${choices.join(", ")}`;
}

function sentence(about: string): string {
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}
