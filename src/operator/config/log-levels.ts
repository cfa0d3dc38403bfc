/** The log levels of the parts of the operator. */

/** From the most to the least verbose. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The parts, by the field `logger` of their lines, and the change log. */
export const LOGGERS = ["app", "kube", "engine", "platform", "changes"] as const;
export type LoggerName = (typeof LOGGERS)[number];

export type LogLevels = Readonly<Record<LoggerName, LogLevel>>;

/**
 * A level, levels of single parts, or both, e.g. "info,platform=debug": what parseLogLevels accepts, without spaces.
 */
export const LEVELS_PATTERN = ((): RegExp => {
  const level = `(${LOG_LEVELS.join("|")})`;
  const single = `(${LOGGERS.join("|")})=${level}`;
  return new RegExp(`^(${single},)*(${level}|${single})(,${single})*$`);
})();

const isLevel = (text: string): text is LogLevel => (LOG_LEVELS as readonly string[]).includes(text);
const isLogger = (text: string): text is LoggerName => (LOGGERS as readonly string[]).includes(text);

/**
 * Parses the flag --log-level. The change log writes every line unless it is named itself: a quiet operator still logs
 * what it changed.
 * @returns the levels, or what is wrong with the text
 */
export function parseLogLevels(text: string): LogLevels | { readonly problem: string } {
  const parts = text.split(",").map((part) => part.trim());
  const general = parts.filter((part) => !part.includes("="));
  const single = parts
    .filter((part) => part.includes("="))
    .map((part) => part.split("="))
    .map(([name = "", level = ""]) => ({ name, level }));
  if (general.length > 1) return { problem: `names more than one level for all parts: ${general.join(", ")}` };
  const [all = "info"] = general;
  if (!isLevel(all) || !single.every(({ level }) => isLevel(level))) {
    return { problem: `must be ${listed(LOG_LEVELS)}, then perhaps those of single parts, as in info,platform=debug` };
  }
  const stranger = single.find(({ name }) => !isLogger(name));
  if (stranger !== undefined) return { problem: `knows no part "${stranger.name}": there are ${LOGGERS.join(", ")}` };
  const levelOf = (wanted: LoggerName, usual: LogLevel): LogLevel => {
    const named = single.find(({ name }) => name === wanted)?.level;
    return named !== undefined && isLevel(named) ? named : usual;
  };
  return Object.freeze({
    app: levelOf("app", all),
    kube: levelOf("kube", all),
    engine: levelOf("engine", all),
    platform: levelOf("platform", all),
    changes: levelOf("changes", "info"),
  });
}

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
}
