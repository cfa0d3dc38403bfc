import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { MALLOC, nodeFlags } from "../../../scripts/image.ts";
import { tryParseJson } from "../../../src/kube/api/json.ts";

const root = join(import.meta.dirname, "../../..");
const sources = join(root, "src/main.ts");
const followParent = join(import.meta.dirname, "../programs/follow-parent.mjs");
const START_MS = 30_000;

export interface OperatorStart {
  /** The program's file; by default that of the sources. */
  readonly program?: string;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
  /** Further environment variables; of this process's own, only PATH is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** A file that also receives the log. */
  readonly logFile?: string;
  /** The memory limit of the container, in MiB, as V8 derives its heap from it; that of the machine by default. */
  readonly memoryMiB?: number;
}

/** A complete command line, e.g. that of a rendered Pod. */
export interface ExactCommand {
  readonly flags: readonly string[];
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type RunningOperator = Awaited<ReturnType<typeof startExactly>>;

export type LogLine = z.infer<typeof Line>;

const Line = z.looseObject({ level: z.string(), message: z.string() });
const Listening = z.object({ message: z.literal("listening"), server: z.string(), address: z.string() });

/**
 * Starts `platform-operator run` with the product's flags of Node, on free ports of loopback, and waits until it
 * listens; it may not lead yet. It ends with this process, however that dies.
 * @throws Error with its last output when it exits before
 */
export async function startOperator(options: OperatorStart): Promise<RunningOperator> {
  const { program = sources, kubeconfig, args = [], env = {}, logFile, memoryMiB } = options;
  const readable = [program === sources ? root : dirname(program), dirname(kubeconfig)];
  const flags = hardened(readable, env).map((flag) => inContainer(flag, memoryMiB));
  const addresses = ["--metrics-bind-address=127.0.0.1:0", "--health-probe-bind-address=127.0.0.1:0"];
  return startExactly(
    { flags, program, args: ["run", `--kubeconfig=${kubeconfig}`, ...addresses, ...args], env },
    logFile,
  );
}

/**
 * Same as `startOperator`, for a complete command line. It adds only the preload that ends the process with this one.
 * The servers of metrics and health must be on.
 * @throws Error as `startOperator`
 */
export async function startExactly({ flags, program, args, env }: ExactCommand, logFile?: string) {
  const isLimited = flags.includes("--permission");
  const preload = [...(isLimited ? [`--allow-fs-read=${followParent}`] : []), "--import", followParent];
  const child = spawn(process.execPath, [...flags, ...preload, program, ...args], {
    // Its own process group: Ctrl-C in a terminal reaches only this process, which then stops its child.
    detached: true,
    env: { PATH: process.env["PATH"], ...MALLOC, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.channel?.unref();
  const follow = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", follow);
  const exited = once(child, "exit").then((): Exit => {
    process.off("exit", follow);
    return { code: child.exitCode, signal: child.signalCode };
  });
  const { lines, listening } = readLog(child, logFile);
  const fail = (how: string): never => {
    throw new Error(`the operator ${how}:\n${lines.slice(-20).join("\n")}`);
  };
  const { metrics, health } = await Promise.race([
    listening,
    exited.then(({ code, signal }) => fail(`ended (${signal ?? String(code)})`)),
    sleep(START_MS, undefined, { ref: false }).then(() => fail("does not listen")),
  ]).catch((error) => {
    child.kill("SIGKILL");
    throw error;
  });
  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    /** E.g. http://127.0.0.1:41234, without a path. */
    metricsUrl: metrics,
    healthUrl: health,
    exited,
    logs: (): readonly LogLine[] => lines.flatMap((line) => Line.safeParse(tryParseJson(line)).data ?? []),
    /** Everything that it wrote so far to standard output and standard error, log lines or not. */
    output: () => lines.join("\n"),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

/** Returns the product's flags of Node, and those of tests: the preload, and a cache that halves the start time. */
function hardened(readable: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const cache = env["NODE_COMPILE_CACHE"];
  if (cache === undefined) return nodeFlags(readable);
  // A folder that does not exist yet would count as a file.
  mkdirSync(cache, { recursive: true });
  return [...nodeFlags([...readable, cache]), `--allow-fs-write=${cache}`];
}

/** Returns a flag as V8 applies it in a container of this size: a percentage of its memory becomes a number of MiB. */
function inContainer(flag: string, memoryMiB: number | undefined): string {
  const [, percentage] = /^--max-old-space-size-percentage=(\d+)$/.exec(flag) ?? [];
  if (percentage === undefined || memoryMiB === undefined) return flag;
  return `--max-old-space-size=${String(Math.floor((memoryMiB * Number(percentage)) / 100))}`;
}

function readLog(child: ChildProcess, file: string | undefined) {
  const lines: string[] = [];
  const addresses = new Map<string, string>();
  const copy = file === undefined ? undefined : createWriteStream(file, { flags: "a" });
  const { promise: listening, resolve } = Promise.withResolvers<{ metrics: string; health: string }>();
  for (const stream of [child.stdout, child.stderr]) {
    // Both are piped.
    if (stream === null) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      copy?.write(`${line}\n`);
      const reported = Listening.safeParse(tryParseJson(line)).data;
      if (reported !== undefined) addresses.set(reported.server, reported.address);
      const metrics = addresses.get("metrics");
      const health = addresses.get("health");
      if (metrics !== undefined && health !== undefined) resolve({ metrics, health });
    });
  }
  child.once("close", () => copy?.end());
  return { lines, listening };
}
