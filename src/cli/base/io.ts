/** Input and output of commands. Standard output is for data, standard error for everything else. */
import { styleText } from "node:util";

import type { Clock } from "../../kube/api/types.ts";

/** The part of a standard stream that commands use; `process.stdout` is one. */
export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Whether a terminal has colours; respects NO_COLOR, NODE_DISABLE_COLORS and TERM=dumb. */
  hasColors?(): boolean;
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

/** What a command uses of its process. */
export interface Host {
  readonly io: Io;
  readonly clock: Clock;
  /** Fires with Ctrl-C. From the first call on, Ctrl-C no longer ends the process by itself. */
  readonly interrupt: () => AbortSignal;
}

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** @returns a function that colours a text where `stream` is a terminal with colours */
export function paintFor(stream: Stream): Paint {
  if (stream.hasColors?.() !== true) return (_, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/** @returns all of the input as text */
export async function readAll(input: Input): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of input) text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
