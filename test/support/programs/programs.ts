/** Programs that know nothing of their parent, as its children. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";

import { comes } from "../env/cluster.ts";

const lifeline = join(import.meta.dirname, "lifeline.ts");
const LISTEN_MS = 120_000;

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** Beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that it runs in; this process's when left out. */
  readonly cwd?: string;
}

export interface RunningProgram {
  /** The end of what it said. */
  words(): string;
  stop(): Promise<void>;
}

/** Starts a program, which ends with this process however that dies. */
export function startProgram({ file, args, env = {}, cwd }: Program): RunningProgram {
  const child = spawn(process.execPath, [lifeline, file, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    // Both are piped.
    stream?.on("data", (chunk: Buffer) => {
      words = (words + chunk.toString()).slice(-20_000);
    });
  }
  const exited = once(child, "exit");
  return {
    words: () => words,
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Waits until somebody listens on a port of loopback. @throws Error with the program's words when nobody does */
export async function listening(program: RunningProgram, port: number): Promise<void> {
  if ((await comes(async () => ((await answers(port)) ? true : undefined), LISTEN_MS)) === undefined) {
    throw new Error(`nobody listens on port ${port}:\n${program.words()}`);
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
