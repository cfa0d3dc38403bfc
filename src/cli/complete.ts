import tab from "@bomb.sh/tab/commander";
/** Completes the words of a command line, for kubectl's own completion of plugins. */
import type { Command } from "@commander-js/extra-typings";

import { isDocumented } from "../platform/codec/operations.ts";
import { API_OPERATIONS, parametersOf } from "./api.ts";

/** cobra's ShellCompDirectiveDefault: file names are candidates too. */
const FILES = ":0\n";
/** Flags whose value is a file or a directory. */
const TAKES_FILE = /^(?:-[fko]|--(?:filename|kustomize|kubeconfig|output))$/;

/**
 * @param words the words after the program; the last one is being typed and may be empty
 * @returns the candidates in cobra's protocol, one a line with a tab and a description, and a directive at the end
 */
export function complete(program: Command, words: readonly string[]): string {
  const before = words.at(-2) ?? "";
  if (TAKES_FILE.test(before) && (before !== "-o" || words[0] === "export")) return FILES;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the typed Command is that of commander
  const completion = tab(program as unknown as Parameters<typeof tab>[0]);
  // The library completes the options of the program before a command only.
  for (const command of completion.commands.values()) {
    for (const [name, option] of completion.options) {
      if (!command.options.has(name)) command.options.set(name, option);
    }
  }
  const operation = words.find((word) => isDocumented(word));
  const api = completion.commands.get("api");
  api?.argument("operation", (offer) => {
    for (const [name, { about }] of Object.entries(API_OPERATIONS)) offer(name, about);
  });
  api?.option("param", "a parameter", (offer) => {
    if (operation === undefined || !isDocumented(operation)) return;
    for (const name of parametersOf(operation)) offer(`${name}=`, "");
  });
  return printedBy(() => {
    // The library takes the word after --flag=value for the value.
    completion.parse(words.filter((word, at) => at === words.length - 1 || !/^--[^=]+=/.test(word)));
  });
}

/** Returns what a function prints: the library writes to the console. */
function printedBy(run: () => void): string {
  const { log } = console;
  const lines: string[] = [];
  console.log = (line: unknown) => void lines.push(`${String(line)}\n`);
  try {
    run();
  } finally {
    console.log = log;
  }
  return lines.join("");
}
