/** Messages of failures for the user: what, where and what to do, in one line. */
import { KubeError } from "../../kube/api/errors.ts";
import { ConfigError } from "../../operator/config/config.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { printable } from "../../text/text.ts";
import { CliError, EXIT } from "./exit.ts";

export interface Explained {
  readonly message: string;
  /** The exit code. */
  readonly code: number;
}

/** @returns the message for an error; never a stack trace, never a secret value */
export function explain(error: unknown): Explained {
  if (error instanceof CliError) return { message: error.message, code: error.code };
  if (error instanceof ConfigError) return { message: error.message, code: EXIT.usage };
  if (error instanceof ApiError) return { message: ofPlatform(error), code: EXIT.failed };
  if (error instanceof KubeError) return { message: ofCluster(error), code: EXIT.failed };
  const words = error instanceof Error ? error.message : String(error);
  return { message: `Something unexpected went wrong: ${printable(words)}`, code: EXIT.failed };
}

/** The message of an ApiError is the platform's own, cleaned and without secrets. */
function ofPlatform({ failure, message, operation, status }: ApiError): string {
  const said = `${operation}: ${message}`;
  switch (failure.is) {
    case "Unauthorized":
      return status === 0
        ? `Nothing was sent (${said}). Replace the token in the connection's Secret.`
        : `The platform rejected the token (401, ${said}). Replace the token in the connection's Secret.`;
    case "Forbidden":
      return `The token may not do this (403, ${said}). Use a connection whose token has the scope for it.`;
    case "NotFound":
      return `The platform does not know it (404, ${said}). Check the id and the connection.`;
    case "NotSupported":
      return `This platform does not offer ${operation}.`;
    case "Conflict":
      return `The platform is busy with something else (409, ${said}). Try again later.`;
    case "Invalid":
      return `The platform rejected the request (${said}).`;
    case "RateLimited":
    case "OverBudget":
      return `The platform asks to slow down. Try again in ${Math.ceil(failure.retryAfterMs / 1000)} s.`;
    case "Server":
      return `The platform failed (${said}). Try again later.`;
    case "Unreachable":
      return `The platform cannot be reached (${said}). Check spec.baseUrl of the connection and the network.`;
    case "OutcomeUnknown":
      return `Whether the platform did it is not known (${said}). Look before you try again.`;
    case "BadResponse":
      return `The platform's answer cannot be read (${said}).`;
    case "Refused":
      return operation === "connect"
        ? `Nothing was sent (${said}). --allow-insecure-platform and --allowed-platform-hosts say where a token may go.`
        : `Nothing was sent (${said}).`;
    default:
      return failure satisfies never;
  }
}

function ofCluster({ failure, message }: KubeError): string {
  const said = printable(message);
  switch (failure) {
    case "Unauthorized":
      return `The cluster does not accept your credentials: ${said}. Sign in again, or check --context.`;
    case "Forbidden":
      return `You may not do this in the cluster: ${said}.`;
    case "Unreachable":
    case "Timeout":
      return `The cluster cannot be reached: ${said}. Check --kubeconfig and --context.`;
    case "NotFound":
      return `The cluster does not know it: ${said}.`;
    case "Conflict":
    case "AlreadyExists":
    case "Gone":
    case "Invalid":
    case "TooManyRequests":
    case "Server":
    case "BadResponse":
      return `The cluster refused: ${said}.`;
    default:
      return failure satisfies never;
  }
}
