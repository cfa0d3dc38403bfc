/** The table of all commands. Light: a command's code is loaded when it is called. */
import { API_COMMANDS } from "./api/entries.ts";
import type { Entry } from "./base/command.ts";
import { OBJECT_COMMANDS } from "./objects/entries.ts";

export const COMMANDS: readonly Entry[] = [
  {
    name: "run",
    about: "run the operator",
    operations: [],
    load: async () => (await import("./run.ts")).run,
  },
  ...OBJECT_COMMANDS,
  ...API_COMMANDS,
  {
    name: "completion",
    about: "print a completion script for a shell or for kubectl",
    operations: [],
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "__complete",
    about: "print what could come next on a command line",
    operations: [],
    load: async () => (await import("./complete.ts")).completeWith(COMMANDS),
    hidden: true,
  },
  {
    name: "version",
    about: "print the version",
    operations: [],
    load: async () => (await import("./version.ts")).version,
  },
];
