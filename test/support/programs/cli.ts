/** Runs the command line in this process, and captures its streams. */
import type { Host } from "../../../src/cli/base/io.ts";
import { main } from "../../../src/cli/index.ts";
import { systemClock } from "../../../src/kube/api/clock.ts";

/** How a command ended; without a code by a signal. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** The name by which the program is called; kubectl-platform by default. */
  readonly program?: string;
  readonly stdin?: string;
  /** Whether standard input and error are a terminal. */
  readonly isTTY?: boolean;
  /** Whether standard output is a terminal (without colors). */
  readonly shown?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: Host["clock"];
  readonly onStdout?: (text: string) => void;
}

export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const { stdin = "", isTTY = false, signal = new AbortController().signal, clock = systemClock() } = options;
  let stdout = "";
  let stderr = "";
  const code = await main(options.program ?? "/usr/local/bin/kubectl-platform", argv, {
    clock,
    interrupt: () => signal,
    io: {
      stdout: {
        isTTY: options.shown,
        write: (text) => {
          stdout += text;
          options.onStdout?.(text);
        },
      },
      stderr: { isTTY, write: (text) => (stderr += text) },
      stdin: {
        isTTY,
        async *[Symbol.asyncIterator]() {
          yield stdin;
        },
      },
    },
  });
  return { code, stdout, stderr };
}

/** @returns a function that runs commands in an environment's namespace, with these flags, as a kubeconfig's user */
export function commandsIn(
  { namespace }: { readonly namespace: string },
  kubeconfig: string,
  ...flags: readonly string[]
) {
  const all = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...flags];
  return (argv: readonly string[], options?: CliOptions) => cli([...argv, ...all], options);
}

/** The flags of commands that query a platform on loopback. */
export const ON_LOOPBACK = ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1"];
