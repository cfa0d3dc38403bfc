/** Runs the command line in this process, and captures its streams. */
import { expect } from "vitest";

import type { Host, Io } from "../../../src/cli/base/io.ts";
import { main } from "../../../src/cli/index.ts";
import { systemClock } from "../../../src/kube/api/clock.ts";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** The name by which the program is called; kubectl-platform by default. */
  readonly program?: string;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  /** Whether standard output is a terminal (without colors). */
  readonly shown?: boolean;
  readonly signal?: AbortSignal;
  readonly clock?: Host["clock"];
  readonly onStdout?: (text: string) => void;
}

/** What an ended command is compared with: each text as it is, or a pattern of it. */
export function ending(code: number, stdout: string | RegExp, stderr: string | RegExp = ""): unknown {
  const like = (text: string | RegExp): unknown => (typeof text === "string" ? text : expect.stringMatching(text));
  return { code, stdout: like(stdout), stderr: like(stderr) };
}

/** Standard streams that a test provides. @returns them, and functions that return what was written so far */
export function fakeIo({ stdin = "", isTTY = false, shown, onStdout }: CliOptions = {}) {
  let stdout = "";
  let stderr = "";
  const io: Io = {
    stdout: {
      isTTY: shown,
      write: (text) => {
        stdout += text;
        onStdout?.(text);
      },
    },
    stderr: { isTTY, write: (text) => (stderr += text) },
    stdin: {
      isTTY,
      async *[Symbol.asyncIterator]() {
        yield stdin;
      },
    },
  };
  return { io, stdout: () => stdout, stderr: () => stderr };
}

export async function cli(argv: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const { program = "/usr/local/bin/kubectl-platform", signal = new AbortController().signal } = options;
  const { io, stdout, stderr } = fakeIo(options);
  const code = await main(program, argv, { clock: options.clock ?? systemClock(), interrupt: () => signal, io });
  return { code, stdout: stdout(), stderr: stderr() };
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
