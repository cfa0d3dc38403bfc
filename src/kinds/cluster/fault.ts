/** Failures of reads beside the cluster itself, reported once nothing else is to be done. Pure. */
import type { Plan } from "../../engine/contract/kind.ts";
import { sentenceOf, type ApiError } from "../../platform/transport/errors.ts";
import { stalled } from "../service/steps.ts";

/** How soon a failed read is repeated, in milliseconds. */
export const FAULT_LOOK_MS = 60_000;

/** Returns what a failed read means for the resource. */
export function faultOf(error: ApiError): Plan<never> {
  const { operation, failure, status, message } = error;
  switch (failure.is) {
    case "Forbidden":
      return stalled(
        "PermissionDenied",
        `The platform forbids ${operation} (403): ${sentenceOf(error)} Use a token with the scope Read or Admin for it.`,
      );
    case "NotSupported":
      return stalled("NotSupportedByApi", `The platform has no operation ${operation}.`);
    case "BadResponse":
      return later("UnexpectedResponse", `The platform's answer to ${operation} is not as documented: ${message}`);
    case "NotFound":
    case "Conflict":
    case "Invalid":
    case "Refused":
      return later("DependencyNotReady", `The platform does not take ${operation} (${status}): ${message}`);
    default:
      return later(
        "PlatformUnavailable",
        `The platform answered ${operation} with ${status}; the operator tries again.`,
      );
  }
}

function later(reason: "UnexpectedResponse" | "DependencyNotReady" | "PlatformUnavailable", message: string) {
  return { is: "waiting", why: { reason, message }, again: FAULT_LOOK_MS } as const;
}
