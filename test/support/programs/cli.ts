/** Runs the command line in this process, and captures its streams. */
import { expect, inject } from "vitest";

import type { ProgramName } from "../../../src/cli/base/call.ts";
import { connectDirectly } from "../../../src/cli/base/cluster.ts";
import type { Host, Io } from "../../../src/cli/base/io.ts";
import { createKubectl } from "../../../src/cli/base/kubectl.ts";
import { runOperatorCommand, runPlugin, throughKubectl } from "../../../src/cli/index.ts";
import { systemClock } from "../../../src/kube/api/clock.ts";

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** The plugin by default. */
  readonly program?: ProgramName;
  /** kubectl, through which the command reaches the cluster; by default it connects itself. */
  readonly kubectl?: string;
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
  const { program = "kubectl platform", signal = new AbortController().signal, clock = systemClock() } = options;
  const { io, stdout, stderr } = fakeIo(options);
  const cluster =
    options.kubectl === undefined
      ? { connect: () => connectDirectly(argv, clock), manifests: async () => [] }
      : throughKubectl(
          createKubectl({ program: options.kubectl, argv, stderr: io.stderr, stdin: options.stdin }),
          clock,
        );
  const run = program === "platform-operator" ? runOperatorCommand : runPlugin;
  const code = await run(argv, { clock, interrupt: () => signal, io, ...cluster });
  return { code, stdout: stdout(), stderr: stderr() };
}

/** @returns a function that runs commands in an environment's namespace, with these flags, as a kubeconfig's user */
export function commandsIn(
  { namespace }: { readonly namespace: string },
  kubeconfig: string,
  ...flags: readonly string[]
) {
  const all = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...flags];
  const { kubectlPath } = inject("controlPlane");
  return (argv: readonly string[], options?: CliOptions) =>
    cli([...argv, ...all], { kubectl: kubectlPath, ...options });
}

/** The flags of commands that query a platform on loopback. */
export const ON_LOOPBACK = ["--allow-insecure-platform", "--allowed-platform-hosts=127.0.0.1"];
