/** Starts programs that do not watch their parent, as children that end with it, and runs programs to their end. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

import { z } from "zod";

import { comes } from "../env/cluster.ts";
import type { Ended } from "./cli.ts";

const lifeline = join(import.meta.dirname, "lifeline.ts");
const START_MS = 120_000;

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which it runs; by default this process's. */
  readonly cwd?: string;
}

const Failed = z.object({ code: z.number().nullable(), stdout: z.string(), stderr: z.string() });

/** Runs a program to its end. @param env by default this process's @returns its result, also after a failure */
export async function runToEnd(
  program: string,
  args: readonly string[],
  { env, input = "" }: { readonly env?: Readonly<Record<string, string | undefined>>; readonly input?: string } = {},
): Promise<Ended> {
  const running = promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
  running.child.stdin?.on("error", () => {}).end(input);
  return running.then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => Failed.parse(error),
  );
}

export type RunningProgram = ReturnType<typeof startProgram>;

/** Starts a program, which ends when this process ends for any reason. */
export function startProgram({ file, args, env = {}, cwd }: Program) {
  const child = spawn(process.execPath, [lifeline, file, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    // Both are piped.
    stream?.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
  }
  const exited = once(child, "exit");
  return {
    output: () => output,
    stop: async (): Promise<void> => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Waits for a text in a program's output. @throws Error with the output when it does not come */
export async function prints(program: RunningProgram, text: string): Promise<void> {
  const found = await comes(async () => (program.output().includes(text) ? true : undefined), START_MS);
  if (found === undefined) throw new Error(`it does not print ${text}:\n${program.output()}`);
}

/** Waits until a program listens on a port of loopback. @throws Error with the program's output when it does not */
export async function listening(program: RunningProgram, port: number): Promise<void> {
  if ((await comes(async () => ((await answers(port)) ? true : undefined), START_MS)) === undefined) {
    throw new Error(`no program listens on port ${port}:\n${program.output()}`);
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
