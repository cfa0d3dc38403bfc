import { describe, expect, it } from "vitest";

import { failureOfShape, failureOfStatus, failureOfTransport, notExecuted } from "./errors.ts";

describe("failureOfStatus", () => {
  const failure = (status: number, isJson: boolean, effect: "read" | "write") =>
    failureOfStatus({ status, isJson, retryAfterMs: 7 }, effect);

  it.each([
    [302, "BadResponse", "OutcomeUnknown"],
    [400, "Invalid", "Invalid"],
    [401, "Unauthorized", "Unauthorized"],
    [402, "Rejected", "Rejected"],
    [403, "Forbidden", "Forbidden"],
    [404, "NotFound", "NotFound"],
    [405, "NotSupported", "NotSupported"],
    [408, "Server", "OutcomeUnknown"],
    [409, "Conflict", "Conflict"],
    [410, "Rejected", "Rejected"],
    [413, "Rejected", "Rejected"],
    [422, "Invalid", "Invalid"],
    [451, "Rejected", "Rejected"],
    [499, "Server", "OutcomeUnknown"],
    [500, "Server", "OutcomeUnknown"],
    [501, "NotSupported", "NotSupported"],
    [504, "Server", "OutcomeUnknown"],
    [599, "Server", "OutcomeUnknown"],
  ] as const)("for %d in JSON is %s for a read and %s for a write", (status, read, write) => {
    expect(failure(status, true, "read").is).toBe(read);
    expect(failure(status, true, "write").is).toBe(write);
  });

  it("differs without JSON where the status speaks of a token, an object or an operation", () => {
    const isOther = (status: number) => failure(status, false, "write").is !== failure(status, true, "write").is;
    const statuses = Array.from({ length: 300 }, (_each, index) => 300 + index);
    expect(statuses.filter(isOther)).toEqual([401, 403, 404, 405, 501]);
    for (const status of [401, 403, 404, 405, 501]) expect(failure(status, false, "read").is).toBe("Intercepted");
  });

  it.each([true, false])(
    "says that a write was not executed for every 4xx but 408 and 499, and 501 (JSON: %s)",
    (isJson) => {
      const statuses = Array.from({ length: 300 }, (_each, index) => 300 + index);
      const unknown = statuses.filter((status) => !notExecuted(failure(status, isJson, "write")));
      const expected = statuses.filter(
        (status) => status < 400 || [408, 499].includes(status) || (status >= 500 && status !== 501),
      );
      expect(unknown).toEqual(expected);
    },
  );

  it("has the pause of a 429", () => {
    expect(failure(429, true, "write")).toEqual({ is: "RateLimited", retryAfterMs: 7 });
  });
});

it.each([
  ["address", "Refused", "Refused"],
  ["connect", "Unreachable", "Unreachable"],
  ["deadline", "Unreachable", "OutcomeUnknown"],
  ["interrupted", "Unreachable", "OutcomeUnknown"],
  ["tooLarge", "BadResponse", "OutcomeUnknown"],
] as const)("failureOfTransport: %s is %s for a read and %s for a write", (failure, read, write) => {
  expect(failureOfTransport(failure, "read").is).toBe(read);
  expect(failureOfTransport(failure, "write").is).toBe(write);
});

it("failureOfShape does not say that a write was not executed", () => {
  expect(notExecuted(failureOfShape("write"))).toBe(false);
  expect(failureOfShape("read")).toEqual({ is: "BadResponse" });
});
