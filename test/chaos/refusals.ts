/** What the API server itself refused the operator: the rights that it is granted are too narrow for that. */
import { statusError } from "../../src/kube/api/errors.ts";
import { parseJson, stringMember } from "../../src/kube/api/json.ts";
import type { Answer, Call, Interceptor } from "./tap/call.ts";

export interface Refusals {
  /** @returns a interceptor that does the same, of whose answers note is taken. */
  noting(interceptor: Interceptor): Interceptor;
  /** @throws Error that names the calls */
  expectNone(): void;
}

/**
 * Takes note of each call that was forwarded and answered with 403; what a tap answers by itself it never hears of.
 * A namespace that ends takes nothing new, whatever the rights are: that is none.
 * @param isExcused whether a call says nothing about the rights either
 */
export function createRefusals(isExcused: (call: Call) => boolean = () => false): Refusals {
  const refused = new Set<string>();
  const note = (call: Call, { status, body }: Answer): void => {
    const { side, what } = call;
    if (side !== "kube" || status !== 403 || isExcused(call)) return;
    const answer = parseJson(body.toString());
    if (statusError(what, status, answer).causes.includes("NamespaceTerminating")) return;
    refused.add(`${what}: ${stringMember(answer, "message") ?? ""}`);
  };
  return {
    noting: (interceptor) => ({
      ...interceptor,
      onAnswer: (call, answer) => {
        note(call, answer);
        interceptor.onAnswer?.(call, answer);
      },
    }),
    expectNone: () => {
      if (refused.size > 0) throw new Error(`the API server refused the operator:\n${[...refused].join("\n")}`);
    },
  };
}
