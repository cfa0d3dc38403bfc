import { describe, expect, it } from "vitest";

import { ApiError, failureOfStatus, notExecuted, type ApiFailure } from "../../platform/transport/errors.ts";
import type { StatusReason } from "../contract/kind.ts";
import { classifyError, REJECTED_ACTIONS, REJECTED_CREATES, type CallKind, type FailureVerdict } from "./outcome.ts";

const PHASES: readonly CallKind[] = ["read", "create", "put", "action", "delete"];
const LIMITED: ApiFailure = { is: "RateLimited", retryAfterMs: 7_000 };

/** The verdict on a failure. */
function verdict(failure: ApiFailure, status: number, phase: CallKind, attempts = 0): FailureVerdict {
  return classifyError(new ApiError("someOperation", failure, status, "the platform's words."), phase, attempts);
}

/** The verdict on an answer to a call of some kind. */
function onAnswer(
  status: number,
  isJson: boolean,
  phase: CallKind,
): { readonly failure: ApiFailure; readonly verdict: FailureVerdict } {
  const effect = phase === "read" ? "read" : "write";
  const failure = failureOfStatus({ status, isJson, retryAfterMs: 7_000 }, effect);
  return { failure, verdict: verdict(failure, status, phase) };
}

const why = (one: FailureVerdict): StatusReason | undefined => ("why" in one ? one.why : undefined);
const short = (one: FailureVerdict): string => `${one.is}/${why(one)?.reason ?? ""}`;

/** The verdicts in the order of PHASES. */
type Told = readonly [read: string, create: string, put: string, action: string, deletion: string];
type Row = readonly [status: number, executed: "no" | "unknown", ...Told];

const everywhere = (told: string): Told => [told, told, told, told, told];
const [DENIED, INVALID, REJECTED] = ["terminal/PermissionDenied", "terminal/InvalidSpec", "terminal/Rejected"];
const [GONE, QUEUED, DOWN] = ["retry/ExternalResourceDeleted", "retry/Queued", "connection/PlatformUnavailable"];
const PAGE = "connection/UnexpectedResponse";

const ON_401: Told = everywhere("connection/CredentialsInvalid");
const ON_403: Told = ["connection/PermissionDenied", DENIED, DENIED, DENIED, DENIED];
const ON_404: Told = [GONE, "retry/ParentNotFound", GONE, GONE, GONE];
const ON_405: Told = everywhere("terminal/NotSupportedByPlatform");
const ON_409: Told = [QUEUED, "retry/NameConflict", QUEUED, QUEUED, QUEUED];
const ON_400: Told = [INVALID, INVALID, INVALID, QUEUED, QUEUED];
const ON_OTHER_4XX: Told = ["connection/Rejected", REJECTED, REJECTED, REJECTED, "terminal/DeleteFailed"];
const ON_5XX: Told = [DOWN, "unknown/Creating", DOWN, "unknown/Progressing", DOWN];
const LATER: Told = everywhere("later/");

/** What an answer means at the first attempt: whether a write was executed, and the verdict on each kind of call. */
const JSON_ANSWERS: readonly Row[] = [
  [302, "unknown", PAGE, "unknown/Creating", DOWN, "unknown/Progressing", DOWN],
  [400, "no", ...ON_400],
  [401, "no", ...ON_401],
  [402, "no", ...ON_OTHER_4XX],
  [403, "no", ...ON_403],
  [404, "no", ...ON_404],
  [405, "no", ...ON_405],
  [408, "unknown", ...ON_5XX],
  [409, "no", ...ON_409],
  [410, "no", ...ON_OTHER_4XX],
  [413, "no", ...ON_OTHER_4XX],
  [422, "no", ...ON_400],
  [423, "no", ...ON_OTHER_4XX],
  [429, "no", ...LATER],
  [451, "no", ...ON_OTHER_4XX],
  [499, "unknown", ...ON_5XX],
  [500, "unknown", ...ON_5XX],
  [501, "no", ...ON_405],
  [502, "unknown", ...ON_5XX],
  [503, "unknown", ...ON_5XX],
  [504, "unknown", ...ON_5XX],
];

/** The rows that differ where the answer is no JSON. */
const OTHER_ANSWERS: readonly Row[] = [401, 403, 404, 405, 501].map((status) => [status, "no", ...everywhere(PAGE)]);
const isOther = ([status]: Row): boolean => OTHER_ANSWERS.some(([other]) => other === status);

describe("the table of the platform's answers", () => {
  const rows = [
    ...JSON_ANSWERS.map((row) => ({ row, isJson: true })),
    ...[...JSON_ANSWERS.filter((row) => !isOther(row)), ...OTHER_ANSWERS].map((row) => ({ row, isJson: false })),
  ];

  it.each(rows)(
    "says what the status $row.0 (JSON: $isJson) means for each kind of call, and whether a write was executed",
    ({ row: [status, executed, ...told], isJson }) => {
      expect(PHASES.map((phase) => short(onAnswer(status, isJson, phase).verdict))).toEqual(told);
      const writes = PHASES.slice(1).map((phase) => notExecuted(onAnswer(status, isJson, phase).failure));
      expect(new Set(writes)).toEqual(new Set([executed === "no"]));
    },
  );

  it.each(rows)(
    "has the platform's sentence in the message of a refusal: $row.0 (JSON: $isJson)",
    ({ row, isJson }) => {
      const [status, executed] = row;
      if (executed === "unknown" || status === 429) return;
      for (const phase of PHASES)
        expect(why(onAnswer(status, isJson, phase).verdict)?.message, phase).toContain("the platform's words.");
    },
  );
});

const FAILURES: readonly (readonly [failure: ApiFailure, status: number])[] = [
  // A token that no header can carry.
  [{ is: "Unauthorized" }, 0],
  [{ is: "Unreachable" }, 0],
  [{ is: "OutcomeUnknown" }, 0],
  [{ is: "BadResponse" }, 200],
  [{ is: "Refused" }, 0],
  [{ is: "OverBudget", retryAfterMs: 3_000 }, 0],
];

/** What each failure without an answer means in each phase, in the order of PHASES. */
const MEANS: Readonly<Partial<Record<ApiFailure["is"], readonly string[]>>> = {
  Unauthorized: ON_401,
  Unreachable: everywhere("connection/PlatformUnreachable"),
  OutcomeUnknown: ON_5XX,
  BadResponse: everywhere(PAGE),
  Refused: everywhere("terminal/InvalidSpec"),
  OverBudget: LATER,
};

describe("classifyError", () => {
  it.each(FAILURES)(
    "tells what %o (%i) means for a read, a create, a PUT, an action and a deletion",
    (failure, status) => {
      expect(PHASES.map((phase) => short(verdict(failure, status, phase)))).toEqual(MEANS[failure.is]);
    },
  );

  it("gives up on a rejected action after some attempts, on a conflict never", () => {
    for (const phase of ["action", "delete"] as const) {
      const last = REJECTED_ACTIONS - 1;
      expect(short(verdict({ is: "Invalid" }, 400, phase, last))).toBe("retry/Queued");
      const over = { action: "terminal/InvalidSpec", delete: "terminal/DeleteFailed" };
      expect(short(verdict({ is: "Invalid" }, 400, phase, last + 1))).toBe(over[phase]);
      expect(short(verdict({ is: "Conflict" }, 409, phase, 100))).toBe("retry/Queued");
    }
  });

  it("names the ids of the spec and the platform's own sentence where a create is answered with 404", () => {
    const { message } = why(verdict({ is: "NotFound" }, 404, "create")) ?? {};
    expect(message).toMatch(/its id \(404\): .+\. Fix the id in the spec, or look for the parent on the platform\.$/);
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
    for (const status of [302, 408, 499, 500, 503, 504]) {
      for (const phase of ["create", "action"] as const) {
        const failure = failureOfStatus({ status, isJson: true, retryAfterMs: 0 }, "write");
        expect(verdict(failure, status, phase, 100).is, `${String(status)} ${phase}`).toBe("unknown");
      }
    }
  });

  it("gives up on the 409 of a create after some attempts, and tries it again every ten minutes", () => {
    const taken = (attempts: number) => verdict({ is: "Conflict" }, 409, "create", attempts);
    expect(short(taken(REJECTED_CREATES - 1))).toBe("retry/NameConflict");
    expect(taken(REJECTED_CREATES)).toMatchObject({ is: "terminal", why: { reason: "NameConflict" }, again: 600_000 });
  });

  it("is the same for the same failure, however often it occurs", () => {
    for (const [status] of JSON_ANSWERS) {
      for (const phase of PHASES) {
        const { failure } = onAnswer(status, true, phase);
        const words = [0, 1, 2, 3].map((attempts) => why(verdict(failure, status, phase, attempts))?.message);
        expect(new Set(words).size, `${String(status)} ${phase}`).toBe(1);
      }
    }
  });
});
