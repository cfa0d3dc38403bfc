import { describe, expect, it } from "vitest";

import { ApiError, notExecuted, type ApiFailure } from "../../platform/transport/errors.ts";
import type { StatusReason } from "../contract/kind.ts";
import { classifyError, REJECTED_ACTIONS, type CallKind, type FailureVerdict } from "./outcome.ts";

const PHASES: readonly CallKind[] = ["read", "create", "put", "action", "delete"];
const LIMITED: ApiFailure = { is: "RateLimited", retryAfterMs: 7_000 };

const FAILURES: readonly (readonly [failure: ApiFailure, status: number])[] = [
  [{ is: "Unauthorized" }, 401],
  // A token that no header can carry.
  [{ is: "Unauthorized" }, 0],
  [{ is: "Forbidden" }, 403],
  [{ is: "NotFound" }, 404],
  [{ is: "NotSupported" }, 405],
  [{ is: "Conflict" }, 409],
  [{ is: "Invalid" }, 422],
  [LIMITED, 429],
  [{ is: "Server" }, 503],
  [{ is: "Unreachable" }, 0],
  [{ is: "OutcomeUnknown" }, 504],
  [{ is: "BadResponse" }, 200],
  [{ is: "Refused" }, 0],
  [{ is: "OverBudget", retryAfterMs: 3_000 }, 0],
];

function verdict(failure: ApiFailure, status: number, phase: CallKind, attempts = 0): FailureVerdict {
  return classifyError(new ApiError("someOperation", failure, status, "the platform's words."), phase, attempts);
}

const why = (one: FailureVerdict): StatusReason | undefined => ("why" in one ? one.why : undefined);
const short = (one: FailureVerdict): string => `${one.is}/${why(one)?.reason ?? ""}`;

const DENIED = "terminal/PermissionDenied";
const GONE = "retry/ExternalResourceDeleted";
const AGAIN = "retry/Queued";
const WRONG = "terminal/InvalidSpec";
const DOWN = "connection/PlatformUnavailable";
const everywhere = (told: string): readonly string[] => PHASES.map(() => told);

/** For each failure what it means in each phase, in the order of PHASES, at the first attempt. */
const MEANS: Readonly<Record<ApiFailure["is"], readonly string[]>> = {
  Unauthorized: everywhere("connection/CredentialsInvalid"),
  Forbidden: ["connection/PermissionDenied", DENIED, DENIED, DENIED, DENIED],
  NotFound: [GONE, "retry/ParentNotFound", GONE, GONE, GONE],
  NotSupported: everywhere("terminal/NotSupportedByPlatform"),
  Conflict: [AGAIN, "terminal/NameConflict", AGAIN, AGAIN, AGAIN],
  Invalid: [WRONG, WRONG, WRONG, AGAIN, AGAIN],
  RateLimited: everywhere("later/"),
  Server: everywhere(DOWN),
  Unreachable: everywhere("connection/PlatformUnreachable"),
  OutcomeUnknown: [DOWN, "unknown/Creating", DOWN, "unknown/Progressing", DOWN],
  BadResponse: everywhere("connection/UnexpectedResponse"),
  Refused: everywhere(WRONG),
  OverBudget: everywhere("later/"),
};

describe("classifyError", () => {
  it.each(FAILURES)("%o (%i) in every phase", (failure, status) => {
    expect(PHASES.map((phase) => short(verdict(failure, status, phase)))).toEqual(MEANS[failure.is]);
  });

  it("gives up on a rejected action after some attempts, on a conflict never", () => {
    for (const phase of ["action", "delete"] as const) {
      const last = REJECTED_ACTIONS - 1;
      expect(short(verdict({ is: "Invalid" }, 400, phase, last))).toBe("retry/Queued");
      const over = { action: "terminal/InvalidSpec", delete: "terminal/DeleteFailed" };
      expect(short(verdict({ is: "Invalid" }, 400, phase, last + 1))).toBe(over[phase]);
      expect(short(verdict({ is: "Conflict" }, 409, phase, 100))).toBe("retry/Queued");
    }
  });

  it("[C6] blames the connection for a forbidden read first, then the object", () => {
    expect(verdict({ is: "Forbidden" }, 403, "read", 4).is).toBe("connection");
    expect(verdict({ is: "Forbidden" }, 403, "read", 5)).toMatchObject({ is: "terminal", again: 600_000 });
  });

  it("[C6] names the scope that a request needs", () => {
    expect(why(verdict({ is: "Forbidden" }, 403, "action"))?.message).toContain("scope Deploy");
  });

  it.each([
    ["the name is reserved", "the name is reserved. Change"],
    ["The name is reserved.", "The name is reserved. Change"],
    ["Is the name reserved?", "Is the name reserved? Change"],
  ])("puts its advice after the platform's message: %s", (said, expected) => {
    const verdictOf = classifyError(new ApiError("createProject", { is: "Invalid" }, 422, said), "create", 0);
    expect(verdictOf).toMatchObject({ is: "terminal", why: { reason: "InvalidSpec" } });
    expect("why" in verdictOf && verdictOf.why.message).toContain(`(422): ${expected}`);
  });

  it("waits as long as the platform asks", () => {
    expect(verdict(LIMITED, 429, "read")).toMatchObject({ again: 7_000 });
  });

  it("never gives up on a write that may have been executed", () => {
    for (const [failure, status] of FAILURES.filter(([one]) => !notExecuted(one))) {
      for (const phase of ["create", "action"] as const) {
        expect(verdict(failure, status, phase, 100).is, `${failure.is} ${phase}`).not.toBe("terminal");
      }
    }
  });

  it("is the same for the same failure, however often it occurs", () => {
    for (const [failure, status] of FAILURES) {
      for (const phase of PHASES) {
        const words = [0, 1, 2, 3].map((attempts) => why(verdict(failure, status, phase, attempts))?.message);
        expect(new Set(words).size, `${failure.is} ${phase}`).toBe(1);
      }
    }
  });
});

it("notExecuted is true for what docs/architecture.md §8 lists, and for what the client refused", () => {
  const certain = FAILURES.flatMap(([failure]) => (notExecuted(failure) ? [failure.is] : []));
  expect(certain).toEqual([
    ...["Unauthorized", "Unauthorized", "Forbidden", "NotFound", "NotSupported", "Conflict", "Invalid"],
    ...["RateLimited", "Unreachable", "Refused", "OverBudget"],
  ]);
});
