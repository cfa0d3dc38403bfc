/** The commands. Standard output is for data, standard error for everything else. */
import { VERSION } from "../app/version.ts";
import { USAGE, type Output } from "./output.ts";

interface Command {
  readonly name: string;
  readonly about: string;
  /** Loads the command's code only when it is called. @returns the exit code */
  readonly run: (args: readonly string[], output: Output) => Promise<number>;
}

const COMMANDS: readonly Command[] = [
  {
    name: "run",
    about: "run the operator",
    run: async (args, output) => (await import("./run.ts")).run(args, output),
  },
  {
    name: "simulate",
    about: "start a simulated platform on loopback",
    run: async (args) => (await import("./simulate.ts")).simulate(args),
  },
  {
    name: "version",
    about: "print the version",
    run: async (_, { stdout }) => {
      stdout.write(`${VERSION}\n`);
      return 0;
    },
  },
];

/**
 * Runs one command.
 * @param program how the process was called; as a plugin of kubectl it calls itself so in the usage.
 * @param argv the arguments after it.
 * @returns the exit code: 0 done, 1 failed, 64 wrong usage.
 */
export async function main(program: string, argv: readonly string[], output: Output = process): Promise<number> {
  const [first, ...args] = argv;
  const usage = usageOf(program);
  if (first === "help" || first === "--help" || first === "-h") {
    output.stdout.write(usage);
    return 0;
  }
  const name = first === "--version" ? "version" : first;
  const command = COMMANDS.find((known) => known.name === name);
  if (command !== undefined) return command.run(args, output);
  const problem = name === undefined ? "" : `${JSON.stringify(name)} is no command.\n\n`;
  output.stderr.write(problem + usage);
  return USAGE;
}

function usageOf(program: string): string {
  const called = /(?:^|[\\/])kubectl-[^\\/]*$/.test(program) ? "kubectl platform" : "platform-operator";
  const lines = COMMANDS.map(({ name, about }) => `  ${name.padEnd(12)}${about}\n`);
  return [
    `Usage: ${called} <command> [flags]\n\n`,
    ...lines,
    `  ${"help".padEnd(12)}show this\n\n`,
    `"${called} <command> --help" lists a command's flags.\n`,
  ].join("");
}
