import { describe, expect, it } from "vitest";

import { failureOfShape, failureOfStatus, failureOfTransport, notExecuted } from "./errors.ts";

describe("failureOfStatus", () => {
  it.each([
    [400, "Invalid", "Invalid"],
    [401, "Unauthorized", "Unauthorized"],
    [403, "Forbidden", "Forbidden"],
    [404, "NotFound", "NotFound"],
    [405, "NotSupported", "NotSupported"],
    [409, "Conflict", "Conflict"],
    [422, "Invalid", "Invalid"],
    [429, "RateLimited", "RateLimited"],
    [500, "Server", "OutcomeUnknown"],
    [504, "Server", "OutcomeUnknown"],
    [599, "Server", "OutcomeUnknown"],
    [501, "NotSupported", "NotSupported"],
    [408, "Server", "OutcomeUnknown"],
    [302, "BadResponse", "OutcomeUnknown"],
    [410, "BadResponse", "OutcomeUnknown"],
  ] as const)("for %d is %s for a read and %s for a write", (status, read, write) => {
    expect(failureOfStatus(status, "read", 7).is).toBe(read);
    expect(failureOfStatus(status, "write", 7).is).toBe(write);
  });

  it("says that a write was not executed exactly for the statuses that say so", () => {
    const closed = new Set([400, 401, 403, 404, 405, 409, 422, 429, 501]);
    for (let status = 300; status < 600; status += 1) {
      expect(notExecuted(failureOfStatus(status, "write", 0)), String(status)).toBe(closed.has(status));
    }
  });

  it("has the pause of a 429", () => {
    expect(failureOfStatus(429, "write", 7)).toEqual({ is: "RateLimited", retryAfterMs: 7 });
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
