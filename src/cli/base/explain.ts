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
  if (error instanceof KubeError) return (BY_CLUSTER[error.failure] ?? refused)(printable(error.message));
  return `Unexpected error: ${printable(error instanceof Error ? error.message : String(error))}`;
}

/** @param said the platform's own message, cleaned and without secrets */
type Words = (said: string, error: ApiError) => string;

const BY_PLATFORM: Readonly<Record<ApiFailure["is"], Words>> = {
  Unauthorized: (said, { status }) => {
    const what = status === 0 ? `Nothing was sent (${said})` : `The platform rejected the token (401, ${said})`;
    return `${what}. Replace the token in the connection's Secret.`;
  },
  Forbidden: (said) => `The token may not do this (403, ${said}). Use a connection whose token has the scope for it.`,
  NotFound: (said) => `The platform did not find it (404, ${said}). Check the id and the connection.`,
  NotSupported: (_said, { operation }) => `This platform does not offer ${operation}.`,
  Conflict: (said) => `The platform is busy (409, ${said}). Try again later.`,
  Invalid: (said) => `The platform rejected the request (${said}).`,
  RateLimited: slowDown,
  OverBudget: slowDown,
  Server: (said) => `The platform failed (${said}). Try again later.`,
  Unreachable: (said) =>
    `The platform cannot be reached (${said}). Check spec.baseUrl of the connection and the network.`,
  OutcomeUnknown: (said) =>
    `It is unknown whether the platform executed the request (${said}). Check before you try again.`,
  BadResponse: (said) => `The platform's response cannot be parsed (${said}).`,
  Refused: (said, { operation }) => {
    const advice = " --allow-insecure-platform and --allowed-platform-hosts control which hosts may receive a token.";
    return `Nothing was sent (${said}).${operation === "connect" ? advice : ""}`;
  },
};

function slowDown(_said: string, { failure }: ApiError): string {
  const seconds = "retryAfterMs" in failure ? Math.ceil(failure.retryAfterMs / 1_000) : 0;
  return `The platform asks to slow down. Try again in ${seconds} s.`;
}

const BY_CLUSTER: Readonly<Partial<Record<KubeError["failure"], (said: string) => string>>> = {
  Unauthorized: (said) => `The cluster does not accept your credentials: ${said}. Sign in again, or check --context.`,
  Forbidden: (said) => `You may not do this in the cluster: ${said}.`,
  Unreachable: unreachable,
  Timeout: unreachable,
  NotFound: (said) => `The cluster did not find it: ${said}.`,
};

function unreachable(said: string): string {
  return `The cluster cannot be reached: ${said}. Check --kubeconfig and --context.`;
}

function refused(said: string): string {
  return `The cluster refused: ${said}.`;
}
