/** A user's shell, in which tests type the commands of the documentation and of the demo. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The folder and the whole environment of a shell. */
export interface Shell {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The program with its flags; a strict bash by default. */
  readonly program?: readonly [string, ...string[]];
}

const BASH = ["/bin/bash", "--norc", "-euo", "pipefail"] as const;

/** Functions for commands that do not simply succeed, which precede them in a line. */
const FUNCTIONS = `
# Ends a command that runs until Ctrl-C, once it has printed a line.
once() { mkfifo first; "$@" > first & read -r line < first; kill $! || :; wait $! || :; rm first; echo "$line"; }
# Expects an exit code.
ends() { wanted=$1; shift; code=0; "$@" || code=$?; [ $code -eq $wanted ]; }
`;

/**
 * Runs lines in a shell that exits at the first failing one. @returns the standard output. @throws Error with the end
 * of both outputs
 */
export async function type(lines: string, { cwd, env, program: [file, ...flags] = BASH }: Shell): Promise<string> {
  try {
    const args = [...flags, "-c", FUNCTIONS + lines];
    const { stdout } = await promisify(execFile)(file, args, { cwd, env });
    return stdout;
  } catch (error) {
    const streams = Object.entries(error instanceof Error ? error : {}).filter(([name]) => /^std(out|err)$/.test(name));
    const output = streams.map(([, text]) => String(text).trim().split("\n").slice(-15).join("\n"));
    throw new Error([lines, ...output].join("\n"), { cause: error });
  }
}
