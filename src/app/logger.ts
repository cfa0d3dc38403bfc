/** The log: one JSON object a line on standard output, of fields that are listed here and of no others. */
import { destination, pino } from "pino";

import { cleanText } from "../kube/text.ts";
import type { LogLevel } from "./config.ts";
import type { Redactor } from "./secrets.ts";

/** All that a line can carry besides level, time and message. Never an object of the API or a custom resource. */
export interface Fields {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly generation?: number;
  /** A change of the platform. */
  readonly op?: string;
  readonly id?: string | undefined;
  readonly commit?: string | undefined;
  readonly result?: string;
  /** A request, to the platform or to the API server. */
  readonly method?: string;
  /** Without its query. */
  readonly path?: string;
  /** Of an answer of the API server; "<error>" where none came. */
  readonly code?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly retryInMs?: number;
  /** Which server listens where. */
  readonly server?: string;
  readonly address?: string;
  readonly version?: string;
  readonly instance?: string;
  readonly signal?: string;
  readonly waitingFor?: string;
  readonly count?: number;
  /** Of an event. */
  readonly reason?: string;
  /** Shown by name, failure and message. */
  readonly error?: unknown;
}

export interface Logger {
  trace(message: string, fields?: Fields): void;
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly redactor: Redactor;
  /** Takes whole lines; standard output, synchronously, when left out. */
  readonly write?: (line: string) => void;
}

const NAMES: ReadonlySet<string> = new Set([
  "kind",
  "namespace",
  "name",
  "generation",
  "op",
  "id",
  "commit",
  "result",
  "method",
  "path",
  "code",
  "status",
  "durationMs",
  "retryInMs",
  "server",
  "address",
  "version",
  "instance",
  "signal",
  "waitingFor",
  "count",
  "reason",
] satisfies Exclude<keyof Fields, "error">[]);
const TEXT_BYTES = 1_024;
const FRAMES = 8;

/** @returns a logger. Redacts each text before it is cut, and each line once more as it is written. */
export function createLogger({ level, redactor, write = standardOutput() }: LoggerOptions): Logger {
  const text = (value: string): string => cleanText(redactor.redact(value), TEXT_BYTES);
  const plain = (fields: Fields): Record<string, unknown> => {
    const known = Object.entries(fields).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
      if (!NAMES.has(name)) return [];
      if (typeof value === "string") return [[name, text(value)]];
      return typeof value === "number" ? [[name, value]] : [];
    });
    const error = "error" in fields ? { error: describeError(fields.error, text) } : {};
    return { ...Object.fromEntries(known), ...error };
  };
  const log = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(scrubbed(line, redactor)) },
  );
  const at =
    (method: LogLevel): Logger["info"] =>
    (message, fields = {}) => {
      log[method](plain(fields), text(message));
    };
  return { trace: at("trace"), debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Synchronous, so that the last words of a process that exits are not lost. */
function standardOutput(): (line: string) => void {
  const out = destination({ fd: 1, sync: true });
  // Whoever read the log is gone; the operator stays.
  out.on("error", () => {});
  return (line) => {
    out.write(line);
  };
}

/** A redaction may hit a number or a name of a field; what is no JSON any more is withheld whole. */
function scrubbed(line: string, redactor: Redactor): string {
  const clean = redactor.redact(line);
  if (clean === line) return line;
  try {
    JSON.parse(clean);
    return clean;
  } catch {
    return `${JSON.stringify({ level: "error", time: new Date().toISOString(), message: "a line that held a secret was withheld" })}\n`;
  }
}

interface Described {
  readonly name: string;
  readonly failure?: string;
  readonly message?: string;
  readonly frames?: readonly string[];
}

/**
 * Name, failure and message; of errors that nobody expected also where in our code they were thrown.
 * Neither `cause` nor other members: they hold bodies and headers (E6, E7). The text of a SyntaxError quotes what was
 * parsed.
 */
function describeError(error: unknown, text: (value: string) => string): Described {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name } = error;
  if (name === "SyntaxError") return { name, frames: framesOf(error) };
  const failure = failureOf(error);
  const message = text(error.message);
  return failure === undefined ? { name, message, frames: framesOf(error) } : { name, failure, message };
}

/** `failure` of KubeError and ApiError, `code` of Node's own errors. */
function failureOf(error: Error): string | undefined {
  if ("failure" in error) {
    const { failure } = error;
    if (typeof failure === "string") return failure;
    if (typeof failure === "object" && failure !== null && "is" in failure) return String(failure.is);
  }
  return "code" in error && typeof error.code === "string" && /^[A-Z0-9_]{1,64}$/.test(error.code)
    ? error.code
    : undefined;
}

function framesOf({ stack = "", message }: Error): readonly string[] {
  // The text comes first, and may itself look like frames.
  const lines = stack
    .slice(stack.indexOf(message) + message.length)
    .split("\n")
    .filter((line) => /^ {4}at [^\s].{0,300}$/.test(line));
  return lines.slice(0, FRAMES).map((line) => line.trim());
}
