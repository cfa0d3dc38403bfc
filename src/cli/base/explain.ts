/** Messages of failures for the user: what, where and what to do, in one line. */
import { KubeError } from "../../kube/api/errors.ts";
import { ConfigError } from "../../operator/config/config.ts";
import { ApiError } from "../../platform/transport/errors.ts";
import { printable } from "../../text/text.ts";
import { CliError, EXIT } from "./exit.ts";

/** @returns the message for an error and the exit code; never a stack trace, never a secret value */
export function explain(error: unknown): { readonly message: string; readonly code: number } {
  if (error instanceof CliError) return { message: error.message, code: error.code };
  if (error instanceof ConfigError) return { message: error.message, code: EXIT.usage };
  return { message: messageOf(error), code: EXIT.failed };
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return ofPlatform(error);
  if (error instanceof KubeError) return ofCluster(error);
  return `Something unexpected went wrong: ${printable(error instanceof Error ? error.message : String(error))}`;
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
    default:
      return `The cluster refused: ${said}.`;
  }
}
