/** Parses the command line and runs the command. */
import { systemClock } from "../kube/api/clock.ts";
import { EXIT, UsageError } from "./base/exit.ts";
import type { Host } from "./base/io.ts";
import { didYouMean } from "./base/suggest.ts";
import { COMMANDS, find, GROUPS } from "./commands.ts";
import { commandUsage, listUsage } from "./usage.ts";

/** cobra's name for the command that completes a command line. */
const COMPLETE = "__complete";

/**
 * Runs one command.
 * @param program the path by which the process was called; as a plugin of kubectl it has another name in the usage
 * @param argv the arguments after it
 * @returns the exit code: see EXIT
 */
export async function main(program: string, argv: readonly string[], host: Host = ofProcess()): Promise<number> {
  const called = nameOf(program);
  const words = wordsOf(program, argv);
  if (words[0] === COMPLETE) {
    const { complete } = await import("./complete.ts");
    return complete(words.slice(1), host.io.stdout);
  }
  const found = find(words);
  if (found === undefined) return answerWithList(called, words, host);
  const { entry, rest } = found;
  const loaded = await entry.load();
  if (!loaded.raw && asksForHelp(rest)) {
    host.io.stdout.write(commandUsage(called, entry, loaded));
    return EXIT.ok;
  }
  try {
    return await loaded.run(rest, { host, program: called });
  } catch (error) {
    const { explain } = await import("./base/explain.ts");
    const { message, code } = explain(error);
    const usage = error instanceof UsageError ? `\n${commandUsage(called, entry, loaded)}` : "";
    host.io.stderr.write(`${message}\n${usage}`);
    return code;
  }
}

/** "kubectl platform" when called as a plugin of kubectl (docs: "Extend kubectl with plugins"). */
function nameOf(program: string): string {
  return /(?:^|[\\/])kubectl[-_][^\\/]*$/.test(program) ? "kubectl platform" : "platform-operator";
}

/**
 * Returns the words of the command line, with aliases replaced. For completions, kubectl calls
 * `kubectl_complete-<plugin>` on PATH.
 */
function wordsOf(program: string, argv: readonly string[]): readonly string[] {
  if (/(?:^|[\\/])kubectl_complete-[^\\/]*$/.test(program)) return [COMPLETE, ...argv];
  const [first, ...rest] = argv;
  if (first === "--version") return ["version", ...rest];
  return first === "help" && rest.length > 0 ? [...rest, "--help"] : argv;
}

function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? undefined : end).some((arg) => arg === "--help" || arg === "-h");
}

/** Answers a line without a command: the list of commands if asked for, else an error and the list. */
function answerWithList(called: string, argv: readonly string[], { io }: Host): number {
  const [first, second] = argv;
  const isGroup = COMMANDS.some(({ name }) => name.startsWith(`${first ?? ""} `));
  const list = listUsage(called, GROUPS, isGroup && first !== undefined ? [first] : []);
  if (first === "help" || first === "--help" || first === "-h" || (isGroup && asksForHelp(argv))) {
    io.stdout.write(list);
    return EXIT.ok;
  }
  const wrong = isGroup ? second : first;
  io.stderr.write(wrong === undefined ? list : unknownCommand(called, argv.slice(0, isGroup ? 2 : 1), list));
  return EXIT.usage;
}

/** Suggests the command that was probably meant; if there is none, shows the list. */
function unknownCommand(called: string, words: readonly string[], list: string): string {
  const wrong = `${JSON.stringify(words.at(-1))} is not a command.`;
  const starts = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) =>
    name.split(" ").slice(0, words.length).join(" "),
  );
  const meant = didYouMean(words.join(" "), [...starts, "help"]);
  return meant === "" ? `${wrong}\n\n${list}` : `${wrong}${meant} "${called} help" lists all commands.\n`;
}

function ofProcess(): Host {
  return {
    io: process,
    clock: systemClock(),
    interrupt: () => {
      const controller = new AbortController();
      const stop = (): void => {
        controller.abort();
      };
      process.once("SIGINT", stop);
      process.once("SIGTERM", stop);
      return controller.signal;
    },
  };
}
