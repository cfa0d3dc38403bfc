/**
 * The log: one JSON object per line on standard output, with no other fields than those listed here. Each part of
 * the operator has its own logger, and each line names it.
 */
import { destination, pino } from "pino";

import {
  eachLogger,
  LOG_LEVELS,
  type LoggerName,
  type LogLevel,
  type LogLevels,
  parseLogLevels,
} from "../config/log-levels.ts";
import { cleanText } from "../text/text.ts";
import type { Redactor } from "./secrets.ts";

/** The fields of a line that are texts, besides level, time, logger and message. */
const TEXTS = [
  // The id of the reconcile, the same in all its lines.
  "reconcileID",
  // The custom resource, and "kind/namespace/name" of the connection that a call used.
  ...["kind", "namespace", "name", "uid", "connection"],
  // The operator: its installation (the uid of kube-system), version and process.
  ...["installation", "version", "instance"],
  // Another release of the operator: the namespace of its operator.
  "release",
  // A call of the platform: its operation, the id of its object, its commit, and the platform's id of the request.
  ...["op", "id", "commit", "requestId"],
  // The cause of a change on the platform, and its result.
  ...["cause", "result"],
  // A change of an entry of the orphan ledger, its parent and tenant, and since when it is an orphan.
  ...["orphan", "parentId", "host", "organizationId", "since"],
  // A request. The path has no query, and that of a request to the platform is the template, without its ids.
  ...["method", "path"],
  // The status of an answer of the API server as text; "<error>" without an answer.
  "code",
  // A server and its address.
  ...["server", "address"],
  // The effective configuration: comma-separated lists, "*" for all.
  ...["namespaces", "hosts", "surfaces"],
  "signal",
  "waitingFor",
  // A condition that changed, as "status/reason" before and after, and its message.
  ...["condition", "from", "to", "detail"],
  // The reason of an event or a condition, or why an object stayed on the platform.
  "reason",
] as const;

/** The fields that are numbers. `attempt` is that of the same read, from 1. */
const NUMBERS = ["generation", "attempt", "status", "durationMs", "retryInMs", "count", "workers"] as const;

const NAMES = new Set<string>([...TEXTS, ...NUMBERS]);

/**
 * What identifies an object, a process or a call. A value of a Secret is never masked in these fields: a Secret with
 * the name of an object would take it from the log.
 */
const IDENTITIES: ReadonlySet<string> = new Set<string>([
  "reconcileID",
  "kind",
  "namespace",
  "name",
  "uid",
  "connection",
  "installation",
  "version",
  "instance",
  "release",
  "op",
  "id",
  "commit",
  "orphan",
  "parentId",
  "host",
  "organizationId",
] satisfies (typeof TEXTS)[number][]);

/** All fields that a caller may log. Never an object of the API or a custom resource. */
export type Fields = { readonly [name in (typeof TEXTS)[number]]?: string | undefined } & {
  readonly [name in (typeof NUMBERS)[number]]?: number | undefined;
} & {
  /** Logged as name, failure and message. */
  readonly error?: unknown;
  /** The namespace whose values are masked, besides that of the object and of its connection. It is not logged. */
  readonly about?: string | undefined;
};

export type Logger = Readonly<Record<LogLevel, (message: string, fields?: Fields) => void>>;

/** Fields, or a function that returns them, which is called only for lines that are written. */
type LazyFields = Fields | (() => Fields);
type LazyLogger = Readonly<Record<LogLevel, (message: string, fields?: LazyFields) => void>>;
/** The loggers of all parts. */
export type Logs = Readonly<Record<LoggerName, LazyLogger>>;

export interface LoggerOptions {
  /** Returns the current levels. */
  readonly levels: () => LogLevels;
  readonly redactor: Redactor;
  /** Receives whole lines; standard output by default. */
  readonly write?: (line: string) => void;
}

const TEXT_BYTES = 1_024;
const FRAMES = 8;

/**
 * @returns the loggers. They mask in each text, before they cut it, the values of the namespaces that the line is
 * about; a tenant's Secret changes no line about other namespaces, and no structure of lines about its own
 */
export function createLogs({ levels, redactor, write = standardOutput() }: LoggerOptions): Logs {
  const recordOf = (fields: Fields, text: (value: string) => string): Record<string, unknown> => {
    const known = Object.entries(fields).flatMap(([name, value]: [string, unknown]): [string, unknown][] => {
      if (!NAMES.has(name)) return [];
      if (typeof value === "string") return [[name, IDENTITIES.has(name) ? cleanText(value, TEXT_BYTES) : text(value)]];
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
    { write },
  );
  return eachLogger((name) => {
    const log = root.child({ logger: name }, { level: "trace" });
    return eachLevel((level) => (message, fields) => {
      if (!isWritten(level, levels()[name])) return;
      const resolved = resolve(fields);
      const namespaces = namespacesOf(resolved);
      const text = (value: string): string => cleanText(redactor.redact(value, ...namespaces), TEXT_BYTES);
      log[level](recordOf(resolved, text), text(message));
    });
  });
}

/** @returns the namespaces that a line is about */
function namespacesOf({ namespace, connection, about }: Fields): readonly string[] {
  return [namespace, connection?.split("/")[1], about].filter((name) => name !== undefined);
}

function isWritten(level: LogLevel, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum);
}

export type LevelSwitch = ReturnType<typeof createLevelSwitch>;

/** The log levels, which can change while the operator runs. @param initial the levels of the flag --log-level */
export function createLevelSwitch(initial: LogLevels) {
  let levels = initial;
  let requested = "";
  return {
    now: (): LogLevels => levels,
    /**
     * Sets the levels and logs the change, or the problem with the text. Does nothing if the text is that of the last
     * call.
     * @param text as --log-level takes it; empty for the initial levels
     */
    set: (log: Logger, text: string): void => {
      if (text === requested) return;
      requested = text;
      const read = text === "" ? initial : parseLogLevels(text);
      if ("problem" in read) {
        log.warn("the lease asks for a log level that is not known: nothing changes", { detail: read.problem });
        return;
      }
      levels = read;
      log.info("the log level changed", { to: text === "" ? "that of the flag" : text });
    },
  };
}

/** @returns loggers that add these fields to each line; the fields are evaluated for each line that is written */
export function withFields(logs: Logs, tags: () => Fields): Logs {
  return eachLogger((name) =>
    eachLevel((level) => (message, fields) => {
      logs[name][level](message, () => ({ ...tags(), ...resolve(fields) }));
    }),
  );
}

function resolve(fields: LazyFields | undefined): Fields {
  return typeof fields === "function" ? fields() : (fields ?? {});
}

function eachLevel(make: (level: LogLevel) => LazyLogger["info"]): LazyLogger {
  return { trace: make("trace"), debug: make("debug"), info: make("info"), warn: make("warn"), error: make("error") };
}

/** How long a line may wait for the lines after it. In milliseconds. */
const BATCH_MS = 20;
/** The length at which a batch is written at once. In characters. */
const BATCH_LENGTH = 65_536;

/**
 * Writes the lines of some milliseconds by one system call, which is synchronous: a process that exits, also after an
 * uncaught error, has written its last lines. SIGKILL loses at most one batch.
 */
function standardOutput(): (line: string) => void {
  const out = destination({ fd: 1, sync: true });
  // The reader of the log has gone; the operator continues.
  out.on("error", () => {});
  let batch = "";
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    out.write(batch);
    batch = "";
  };
  process.on("exit", flush);
  return (line) => {
    batch += line;
    if (batch.length >= BATCH_LENGTH) flush();
    else timer ??= setTimeout(flush, BATCH_MS).unref();
  };
}

/**
 * Returns name, failure and message; for unexpected errors also the place in the operator's code. It leaves out `cause`
 * and other members, which hold bodies and headers, and the text of a SyntaxError, which quotes its input.
 */
function describeError(error: unknown, text: (value: string) => string): object {
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
  // The stack begins with the message, whose lines may look like frames.
  const lines = stack
    .slice(stack.indexOf(message) + message.length)
    .split("\n")
    .filter((line) => /^ {4}at [^\s].{0,300}$/.test(line));
  return lines.slice(0, FRAMES).map((line) => line.trim());
}
