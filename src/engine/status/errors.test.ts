import { describe, expect, it } from "vitest";

import { ApiError, notExecuted, type ApiFailure } from "../../platform/transport/errors.ts";
import type { Why } from "../contract/kind.ts";
import { classifyError, REJECTED_ACTIONS, type CallKind, type FailureVerdict } from "./errors.ts";

const PHASES: readonly CallKind[] = ["read", "create", "put", "action", "delete"];
const LIMITED: ApiFailure = { is: "RateLimited", retryAfterMs: 7_000 };

const FAILURES: readonly { readonly failure: ApiFailure; readonly status: number }[] = [
  { failure: { is: "Unauthorized" }, status: 401 },
  // A token that no header can carry.
  { failure: { is: "Unauthorized" }, status: 0 },
  { failure: { is: "Forbidden" }, status: 403 },
  { failure: { is: "NotFound" }, status: 404 },
  { failure: { is: "NotSupported" }, status: 405 },
  { failure: { is: "Conflict" }, status: 409 },
  { failure: { is: "Invalid" }, status: 422 },
  { failure: LIMITED, status: 429 },
  { failure: { is: "Server" }, status: 503 },
  { failure: { is: "Unreachable" }, status: 0 },
  { failure: { is: "OutcomeUnknown" }, status: 504 },
  { failure: { is: "BadResponse" }, status: 200 },
  { failure: { is: "Refused" }, status: 0 },
  { failure: { is: "OverBudget", retryAfterMs: 3_000 }, status: 0 },
];

function verdict(failure: ApiFailure, status: number, phase: CallKind, attempts = 0): FailureVerdict {
  return classifyError(new ApiError("someOperation", failure, status, "the platform's words."), phase, attempts);
}

const why = (one: FailureVerdict): Why | undefined => ("why" in one ? one.why : undefined);
const short = (one: FailureVerdict): string => `${one.is}/${why(one)?.reason ?? ""}`;

/** For each failure what it means in each phase, in the order of PHASES, at the first attempt. */
const MEANS: Readonly<Record<ApiFailure["is"], readonly [string, string, string, string, string]>> = {
  Unauthorized: same("connection/CredentialsInvalid"),
  Forbidden: [
    "connection/PermissionDenied",
    "terminal/PermissionDenied",
    "terminal/PermissionDenied",
    "terminal/PermissionDenied",
    "terminal/PermissionDenied",
  ],
  NotFound: [
    "retry/ExternalResourceDeleted",
    "retry/ParentNotFound",
    "retry/ExternalResourceDeleted",
    "retry/ExternalResourceDeleted",
    "retry/ExternalResourceDeleted",
  ],
  NotSupported: same("terminal/NotSupportedByApi"),
  Conflict: ["retry/Queued", "terminal/NameConflict", "retry/Queued", "retry/Queued", "retry/Queued"],
  Invalid: ["terminal/InvalidSpec", "terminal/InvalidSpec", "terminal/InvalidSpec", "retry/Queued", "retry/Queued"],
  RateLimited: same("later/"),
  Server: same("connection/PlatformUnavailable"),
  Unreachable: same("connection/PlatformUnreachable"),
  OutcomeUnknown: [
    "connection/PlatformUnavailable",
    "unknown/Creating",
    "connection/PlatformUnavailable",
    "unknown/Progressing",
    "connection/PlatformUnavailable",
  ],
  BadResponse: same("connection/UnexpectedResponse"),
  Refused: same("terminal/InvalidSpec"),
  OverBudget: same("later/"),
};

function same(verdict: string): readonly [string, string, string, string, string] {
  return [verdict, verdict, verdict, verdict, verdict];
}

describe("classifyError", () => {
  it.each(FAILURES)("$failure.is in every phase", ({ failure, status }) => {
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

  it("blames the connection for a forbidden read first, then the object", () => {
    expect(verdict({ is: "Forbidden" }, 403, "read", 4).is).toBe("connection");
    expect(verdict({ is: "Forbidden" }, 403, "read", 5)).toMatchObject({ is: "terminal", again: 600_000 });
  });

  it.each([
    ["read", "Read"],
    ["create", "Write"],
    ["put", "Write"],
    ["action", "Deploy"],
    ["delete", "Write"],
  ] as const)("names the scope that a %s needs", (phase, scope) => {
    expect(why(verdict({ is: "Forbidden" }, 403, phase))?.message).toContain(`scope ${scope}`);
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
    for (const { failure, status } of FAILURES.filter((one) => !notExecuted(one.failure))) {
      for (const phase of ["create", "action"] as const) {
        for (const attempts of [0, 100]) {
          expect(verdict(failure, status, phase, attempts).is, `${failure.is} ${phase}`).not.toBe("terminal");
        }
      }
    }
  });

  it("never reports a request as unknown that was certainly not executed", () => {
    for (const { failure, status } of FAILURES) {
      for (const phase of PHASES) {
        const unknown = verdict(failure, status, phase).is === "unknown";
        expect(unknown && notExecuted(failure), `${failure.is} ${phase}`).toBe(false);
      }
    }
  });

  it("is the same for the same failure, however often it occurs", () => {
    for (const { failure, status } of FAILURES) {
      for (const phase of PHASES) {
        const words = [0, 1, 2, 3].map((attempts) => why(verdict(failure, status, phase, attempts))?.message);
        expect(new Set(words).size, `${failure.is} ${phase}`).toBe(1);
      }
    }
  });
});

describe("notExecuted", () => {
  it("is true for what docs/architecture.md §8 lists, and for what the client refused", () => {
    const certain = FAILURES.filter(({ failure }) => notExecuted(failure)).map(({ failure }) => failure.is);
    expect(certain).toEqual([
      "Unauthorized",
      "Unauthorized",
      "Forbidden",
      "NotFound",
      "NotSupported",
      "Conflict",
      "Invalid",
      "RateLimited",
      "Unreachable",
      "Refused",
      "OverBudget",
    ]);
  });
});
