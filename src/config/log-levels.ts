/** The loggers and their levels, and the parser of --log-level. */

/** From the most to the least verbose. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The values of the field `logger`: the parts of the operator, and the change log. */
export const LOGGERS = ["app", "kube", "engine", "platform", "changes"] as const;
export type LoggerName = (typeof LOGGERS)[number];

export type LogLevels = Readonly<Record<LoggerName, LogLevel>>;

/** @returns the result of `make` for each logger */
export function eachLogger<Made>(make: (name: LoggerName) => Made): Readonly<Record<LoggerName, Made>> {
  return {
    app: make("app"),
    kube: make("kube"),
    engine: make("engine"),
    platform: make("platform"),
    changes: make("changes"),
  };
}

const anyOf = new Intl.ListFormat("en-GB", { type: "disjunction" });
const isLevel = (text: string): text is LogLevel => (LOG_LEVELS as readonly string[]).includes(text);

/**
 * Parses the flag --log-level. The change log is complete unless the flag names it: an operator that logs only errors
 * still logs its changes.
 * @returns the levels, or the problem with the text
 */
export function parseLogLevels(text: string): LogLevels | { readonly problem: string } {
  const parts = text.split(",").map((part) => part.trim());
  const general = parts.filter((part) => !part.includes("="));
  const single = parts
    .filter((part) => part.includes("="))
    .map((part) => part.split("="))
    .map(([name = "", level = ""]) => ({ name, level }));
  if (general.length > 1) return { problem: `names more than one level for all loggers: ${general.join(", ")}` };
  const [all = "info"] = general;
  if (!isLevel(all) || !single.every(({ level }) => isLevel(level))) {
    return {
      problem: `must be ${anyOf.format(LOG_LEVELS)}, optionally followed by levels of single loggers, as in info,platform=debug`,
    };
  }
  const unknown = single.find(({ name }) => !(LOGGERS as readonly string[]).includes(name));
  if (unknown !== undefined)
    return { problem: `does not know the logger "${unknown.name}"; the loggers are ${LOGGERS.join(", ")}` };
  const levelOf = (wanted: LoggerName, fallback: LogLevel): LogLevel => {
    const named = single.find(({ name }) => name === wanted)?.level;
    return named !== undefined && isLevel(named) ? named : fallback;
  };
  return Object.freeze(eachLogger((name) => levelOf(name, name === "changes" ? "info" : all)));
}
