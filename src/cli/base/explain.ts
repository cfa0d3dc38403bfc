/** Messages of failures for the user: what, where and what to do, in one line. */
import { ConfigError } from "../../config/config.ts";
import { KubeError } from "../../kube/api/errors.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { printable, printableLines } from "../../text/text.ts";
import { CliError, EXIT } from "./exit.ts";

/** @returns the message for an error and the exit code; never a stack trace, a secret value or a control character */
export function explain(error: unknown): { readonly message: string; readonly code: number } {
  return { message: printableLines(messageOf(error)), code: codeOf(error) };
}

/** Reports whether an error is a failure of the cluster, of the platform or of the user, not of this program. */
export function isExpected(error: unknown): error is CliError | KubeError | ApiError {
  return error instanceof CliError || error instanceof KubeError || error instanceof ApiError;
}

function codeOf(error: unknown): number {
  if (error instanceof CliError) return error.code;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

function messageOf(error: unknown): string {
  if (error instanceof CliError || error instanceof ConfigError) return error.message;
  if (error instanceof ApiError) return BY_PLATFORM[error.failure.is](`${error.operation}: ${error.message}`, error);
  if (error instanceof KubeError) return (BY_CLUSTER[error.failure] ?? explainRefusal)(saidBy(error), error.status);
  return `Unexpected error: ${printable(error instanceof Error ? error.message : String(error))}`;
}

/** Makes the sentence for a failure. @param text the platform's own message, cleaned and without secrets */
type Explain = (text: string, error: ApiError) => string;

const BY_PLATFORM: Readonly<Record<ApiFailure["is"], Explain>> = {
  Unauthorized: (text, { status }) => {
    const what = status === 0 ? `Nothing was sent (${text})` : `The platform rejected the token (401, ${text})`;
    return `${what}. Replace the token in the connection's Secret.`;
  },
  Forbidden: (text) => `The token may not do this (403, ${text}). Use a connection whose token has the scope for it.`,
  NotFound: (text) => `The platform did not find it (404, ${text}). Check the id and the connection.`,
  NotSupported: (text, { status }) => `This platform does not offer the operation (${status}, ${text}).`,
  Intercepted: (text, { status }) =>
    `A firewall or proxy answered in place of the platform (${status}, ${text}). Let the request pass there.`,
  Conflict: (text) => `The platform is busy (409, ${text}). Try again later.`,
  Invalid: (text) => `The platform rejected the request (${text}).`,
  Rejected: (text, { status }) => `The platform rejected the request (${status}, ${text}).`,
  RateLimited: explainRateLimit,
  OverBudget: explainRateLimit,
  Server: (text) => `The platform failed (${text}). Try again later.`,
  Unreachable: (text) =>
    `The platform cannot be reached (${text}). Check spec.baseUrl of the connection and the network.`,
  OutcomeUnknown: (text) =>
    `It is unknown whether the platform executed the request (${text}). Check before you try again.`,
  BadResponse: (text) => `The platform's response cannot be parsed (${text}).`,
  Refused: (text, { operation }) => {
    const advice = " --allow-insecure-platform and --allowed-platform-hosts control which hosts may receive a token.";
    return `Nothing was sent (${text}).${operation === "connect" ? advice : ""}`;
  },
};

function explainRateLimit(_text: string, { failure }: ApiError): string {
  const seconds = "retryAfterMs" in failure ? Math.ceil(failure.retryAfterMs / 1_000) : 0;
  return `The platform asks to slow down. Try again in ${seconds} s.`;
}

/** Makes the sentence for a failure of the cluster. @param said its own message, else the request and its status */
const BY_CLUSTER: Readonly<Partial<Record<KubeError["failure"], (said: string, status: number) => string>>> = {
  // As kubectl says it. Without a status nothing was sent.
  Unauthorized: (said, status) =>
    status === 0
      ? `Unable to connect to the server: ${said}`
      : "You must be logged in to the server (Unauthorized). Sign in again, or check --context.",
  Forbidden: (said) => `You may not do this in the cluster: ${withPeriod(said)}`,
  Unreachable: (said) => `Unable to connect to the server: ${said}`,
  Timeout: (said) => `Unable to connect to the server: ${said}`,
  NotFound: (said) => `The cluster did not find it: ${withPeriod(said)}`,
};

function explainRefusal(said: string): string {
  return `The cluster refused: ${withPeriod(said)}`;
}

/** The length of a message that is shown. */
const MOST = 2_000;

/** Returns the cluster's message, which may have several lines. */
function saidBy(error: KubeError): string {
  return printableLines((error.serverMessage() ?? error.message).slice(0, MOST)).trim();
}

function withPeriod(sentence: string): string {
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
