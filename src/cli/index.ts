/** Parses the command line and runs the command. */
import { CommanderError } from "@commander-js/extra-typings";

import { systemClock } from "../kube/api/clock.ts";
import type { Clock } from "../kube/api/types.ts";
import { EXIT, UsageError } from "./base/exit.ts";
import type { Host } from "./base/io.ts";
import type { Kubectl } from "./base/kubectl.ts";
import { createOperatorProgram, createPluginProgram, type Program } from "./commands.ts";

/** cobra's name for the command that completes a command line. */
const COMPLETE = "__complete";

/**
 * Runs one command of the plugin.
 * @param argv the arguments after "kubectl platform"
 * @returns the exit code: see EXIT
 */
export async function runPlugin(argv: readonly string[], host: Host): Promise<number> {
  const program = createPluginProgram(host);
  if (argv[0] !== COMPLETE) return execute(program, argv, host);
  const { complete } = await import("./complete.ts");
  host.io.stdout.write(complete(program.command, argv.slice(1)));
  return EXIT.ok;
}

/**
 * Runs one command of the operator's own program, except `run` (run.ts).
 * @returns the exit code: see EXIT
 */
export async function runOperatorCommand(argv: readonly string[], host: Host): Promise<number> {
  return execute(createOperatorProgram(host), argv, host);
}

async function execute({ command, exitCode }: Program, argv: readonly string[], { io }: Host): Promise<number> {
  try {
    await command.parseAsync(argv, { from: "user" });
    return exitCode();
  } catch (error) {
    // commander has printed the help, the version, or what is wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { explain } = await import("./base/explain.ts");
    const { message, code } = explain(error);
    if (message !== "") io.stderr.write(`${message}\n`);
    if (error instanceof UsageError) io.stderr.write(`See "${command.name()} ${commandOf(argv)}--help".\n`);
    return code;
  }
}

function commandOf(argv: readonly string[]): string {
  const [word = ""] = argv;
  return /^[a-z]+$/.test(word) ? `${word} ` : "";
}

/** Runs the process's one command, and ends the process with its exit code. */
export async function runProcess(run: () => Promise<number>): Promise<never> {
  // Whoever reads has seen enough, as `head` does: no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const code = await run();
  // Where pipes are asynchronous, leaving would cut off what is still on its way.
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
  );
  process.exit(code);
}

/** @returns the plugin's surroundings: it reaches the cluster through kubectl */
export function pluginHost(kubectl: Kubectl): Host {
  const host = ofProcess();
  return { ...host, ...throughKubectl(kubectl, host.clock) };
}

/** @returns what a plugin's host takes from kubectl */
export function throughKubectl(kubectl: Kubectl, clock: Clock): Pick<Host, "connect" | "manifests"> {
  return {
    connect: async () => {
      const { connectThrough } = await import("./base/cluster.ts");
      return connectThrough(kubectl, clock);
    },
    manifests: kubectl.manifests,
  };
}

/** @returns the operator's surroundings: it reaches the cluster itself */
export function operatorHost(argv: readonly string[]): Host {
  const host = ofProcess();
  return {
    ...host,
    connect: async () => {
      const { connectDirectly } = await import("./base/cluster.ts");
      return connectDirectly(argv, host.clock);
    },
    manifests: async () => {
      throw new TypeError("the operator has no command that reads manifests");
    },
  };
}

/** @returns the standard streams, the clock and the signals of this process */
function ofProcess(): Pick<Host, "io" | "clock" | "interrupt"> {
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
