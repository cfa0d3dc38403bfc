/** Input and output of commands. Standard output is for data, standard error for everything else. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";

import { isObject } from "../../kube/api/json.ts";
import type { Clock } from "../../kube/api/types.ts";
import type { ClusterConnection } from "./cluster.ts";
import { CliError, UsageError } from "./exit.ts";

/** The part of a standard stream that commands use; `process.stdout` is one. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Whether a terminal has colors; respects NO_COLOR, NODE_DISABLE_COLORS and TERM=dumb. */
  hasColors?(): boolean;
  on?(event: "resize", listener: () => void): unknown;
}

export interface Input extends AsyncIterable<string | Uint8Array> {
  readonly isTTY?: boolean | undefined;
}

/** The standard streams; tests have their own. */
export interface Io {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdin: Input;
}

/** The parts of the process that a command uses. */
export interface Host {
  readonly io: Io;
  readonly clock: Clock;
  /** Connects to the user's cluster. @throws CliError; with an empty message where kubectl has said why */
  readonly connect: () => Promise<ClusterConnection>;
  /**
   * Reads manifests as `kubectl apply` does.
   * @param args kubectl's flags that name them
   * @returns the objects as JSON texts, in their order
   * @throws CliError with an empty message where kubectl has said why
   */
  readonly manifests: (args: readonly string[]) => Promise<readonly string[]>;
  /** Returns a signal that the next Ctrl-C or SIGTERM aborts, instead of ending the process. */
  readonly interrupt: () => AbortSignal;
}

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** @returns a function that colors a text if `stream` is a terminal with colors */
export function paintFor(stream: Stream): Paint {
  if (stream.hasColors?.() !== true) return (_, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/**
 * Reads a file; `-` is standard input.
 * @throws CliError when the file cannot be read; UsageError when standard input is a terminal
 */
export async function readText(io: Io, path: string): Promise<string> {
  if (path === "-") {
    if (io.stdin.isTTY === true)
      throw new UsageError("Standard input is a terminal. Pipe the input, or name a file with -f.");
    return text(io.stdin);
  }
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new CliError(`${path} cannot be read${code === "" ? "" : ` (${code})`}. Check the path.`);
  }
}

/** Writes files into a directory, and creates it if it does not exist. @throws CliError when one cannot be written */
export async function writeFiles(
  directory: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    for (const { name, text: content } of files) {
      const path = join(directory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  } catch (error) {
    throw notWritten(directory, error);
  }
}

/** @returns the error for a file or directory that cannot be written */
export function notWritten(path: string, error: unknown): CliError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
  return new CliError(`${path} cannot be written (${code}). Choose another path.`);
}

/** @returns the object in a file of JSON or YAML. @throws CliError when there is none */
export async function readObject(io: Io, path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, YAMLError } = await import("yaml");
  let value: unknown;
  try {
    value = parse(await readText(io, path), { version: "1.1" });
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error;
    throw new CliError(`${nameOf(path)} is neither JSON nor YAML (${error.code}).`);
  }
  if (isObject(value)) return value;
  throw new CliError(`${nameOf(path)} contains no object. It must be an object in JSON or YAML.`);
}

function nameOf(path: string): string {
  return path === "-" ? "Standard input" : path;
}
