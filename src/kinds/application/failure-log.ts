/** The last lines of an application's log, as they are kept with a failure. */
import { cleaned, withoutSecrets } from "../../platform/codec/text.ts";
import type { Platform } from "../../platform/index.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { withoutCredentials } from "../../text/text.ts";
import type { ApplicationContext } from "./model.ts";

/** Escape sequences of a terminal, e.g. for colors and movements of the cursor. */
const TERMINAL = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;?]*[A-Za-z]`, "g");
/** The largest size of all lines, in bytes of UTF-8. */
const MOST_BYTES = 2_048;
/** The longest part of a line that is processed, in UTF-16 units. */
const LONGEST_LINE = 16_384;
/** A message of the log may hold thousands of lines: only the last ones of all are processed. */
const MOST_LINES = 1_000;

/**
 * Reads the last lines of the log.
 * @returns the lines, without secrets, or one that says why there are none; undefined where the request was not sent
 */
export async function readFailureLog(
  context: ApplicationContext,
  lines: number,
  api: Platform,
): Promise<readonly string[] | undefined> {
  try {
    return shownLines(context, await api.applications.log(context.id ?? "", lines), lines);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { failure, operation, status } = error;
    const isUnsent = failure.is === "OverBudget" || (failure.is === "RateLimited" && status === 0);
    // A log that cannot be read is no failure of the application, and is not read again.
    return isUnsent ? undefined : [`(${operation} ${status === 0 ? "was not answered" : `was answered ${status}`})`];
  }
}

/**
 * Returns the last lines without blank ones, control characters and secrets: those of the application's variables and
 * those that were read from Secrets of its namespace. Each has at most 300 characters, all together 2 KiB.
 */
function shownLines({ inputs, records }: ApplicationContext, log: readonly string[], most: number): readonly string[] {
  const secrets = inputs.variables.flatMap(({ isSecret, value }) => (isSecret ? [value] : []));
  const plain = log.map((line) => line.slice(0, LONGEST_LINE).replaceAll(TERMINAL, "")).join("\n");
  // As one text: a secret may have several lines.
  const safe = withoutCredentials(records.withoutSecrets(withoutSecrets(plain, secrets)));
  const lines = safe
    .split("\n")
    .slice(-MOST_LINES)
    .map((line) => cleaned(line, secrets))
    .filter((line) => line !== "");
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(-most).toReversed()) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MOST_BYTES) break;
    kept.unshift(line);
  }
  return kept;
}
