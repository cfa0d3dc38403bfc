/** Detects calls that the operator's RBAC rules do not allow. */
import { statusError } from "../../src/kube/api/errors.ts";
import { parseJson, stringMember } from "../../src/kube/api/json.ts";
import type { Answer, Call, Interceptor } from "./tap/call.ts";

/**
 * Records the calls that the API server itself answers with 403, except creates in a terminating namespace.
 * @param isExcused reports whether 403 is allowed for a call
 */
export function createRefusals(isExcused: (call: Call) => boolean = () => false) {
  const refused = new Set<string>();
  const record = (call: Call, { status, body }: Answer): void => {
    const { side, what } = call;
    if (side !== "kube" || status !== 403 || isExcused(call)) return;
    const answer = parseJson(body.toString());
    if (statusError(what, status, answer).causes.includes("NamespaceTerminating")) return;
    refused.add(`${what}: ${stringMember(answer, "message") ?? ""}`);
  };
  return {
    /** Wraps an interceptor and records the refused calls. */
    recording: (interceptor: Interceptor): Interceptor => ({
      ...interceptor,
      onAnswer: (call, answer) => {
        record(call, answer);
        interceptor.onAnswer?.(call, answer);
      },
    }),
    /** @throws Error that names the calls */
    expectNone: (): void => {
      if (refused.size > 0) throw new Error(`the API server refused the operator:\n${[...refused].join("\n")}`);
    },
  };
}
