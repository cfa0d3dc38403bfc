/**
 * The log: one JSON object a line on standard output, of fields that are listed here and of no others. Each part of the
 * operator has a logger of its own, which the lines name.
 */
import { destination, pino } from "pino";

import type { LoggerName, LogLevel, LogLevels } from "../operator/config/log-levels.ts";
import { cleanText } from "../text/clean-text.ts";
import type { Redactor } from "./secrets.ts";

/**
 * All that a line can carry besides level, time, logger and message. Never an object of the API or a custom resource.
 */
export interface Fields {
  /** Which pass over an object it belongs to: the same in all lines of one. */
  readonly pass?: string;
  /** Of the trace of that pass, while traces are on. */
  readonly traceId?: string | undefined;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly generation?: number;
  /** "kind/namespace/name" of the connection that a call went through. */
  readonly connection?: string;
  /** Of the operator: the uid of kube-system. */
  readonly installation?: string;
  /** A call of the platform by its operation. */
  readonly op?: string;
  /** Why the platform was changed. */
  readonly cause?: string;
  readonly id?: string | undefined;
  /**
   * What happened to an entry of the orphan ledger, with its parent, its tenant, and since when the object is there.
   */
  readonly orphan?: string;
  readonly parentId?: string | undefined;
  readonly host?: string;
  readonly organizationId?: string;
  readonly since?: string;
  readonly commit?: string | undefined;
  readonly result?: string;
  /** A request, to the platform or to the API server. */
  readonly method?: string;
  /** Without its query; of a request to the platform the template, without its ids. */
  readonly path?: string;
  /** Which try of the same read it was, from 1. */
  readonly attempt?: number;
  /** The platform's id of a deployment request. */
  readonly requestId?: string | undefined;
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
  /** Of an event, or why an object stayed on the platform. */
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

/** Fields, or what makes them: it is asked for those lines alone that are written. */
type LazyFields = Fields | (() => Fields);
type LazyLogger = Readonly<Record<LogLevel, (message: string, fields?: LazyFields) => void>>;
/** The loggers of all parts. */
export type Logs = Readonly<Record<LoggerName, LazyLogger>>;

export interface LoggerOptions {
  readonly levels: LogLevels;
  readonly redactor: Redactor;
  /** Takes whole lines; standard output, synchronously, when left out. */
  readonly write?: (line: string) => void;
}

const NAMES: ReadonlySet<string> = new Set([
  "pass",
  "traceId",
  "kind",
  "namespace",
  "name",
  "uid",
  "generation",
  "connection",
  "installation",
  "op",
  "cause",
  "id",
  "orphan",
  "parentId",
  "host",
  "organizationId",
  "since",
  "commit",
  "result",
  "method",
  "path",
  "attempt",
  "requestId",
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

/** @returns the loggers. They redact each text before it is cut, and each line once more as it is written. */
export function createLogs({ levels, redactor, write = standardOutput() }: LoggerOptions): Logs {
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
  const root = pino(
    {
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(scrubbed(line, redactor)) },
  );
  return eachLogger((name) => {
    const log = root.child({ logger: name }, { level: levels[name] });
    return eachLevel((level) => (message, fields) => {
      if (log.isLevelEnabled(level)) log[level](plain(made(fields)), text(message));
    });
  });
}

/**
 * @returns the loggers, each line of which carries these fields as well; they are asked for each line that is written.
 */
export function tagged(logs: Logs, tags: () => Fields): Logs {
  return eachLogger((name) =>
    eachLevel((level) => (message, fields) => {
      logs[name][level](message, () => ({ ...tags(), ...made(fields) }));
    }),
  );
}

function made(fields: LazyFields | undefined): Fields {
  return typeof fields === "function" ? fields() : (fields ?? {});
}

function eachLogger(make: (name: LoggerName) => LazyLogger): Logs {
  return {
    app: make("app"),
    kube: make("kube"),
    engine: make("engine"),
    platform: make("platform"),
    changes: make("changes"),
  };
}

function eachLevel(make: (level: LogLevel) => LazyLogger["info"]): LazyLogger {
  return { trace: make("trace"), debug: make("debug"), info: make("info"), warn: make("warn"), error: make("error") };
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
