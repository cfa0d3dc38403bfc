import { describe, expect, it } from "vitest";

import { statusError } from "./errors.ts";

describe("statusError", () => {
  it.each([
    [400, {}, "Invalid"],
    [401, {}, "Unauthorized"],
    [403, {}, "Forbidden"],
    [404, {}, "NotFound"],
    [405, {}, "Invalid"],
    [408, {}, "Timeout"],
    [409, { reason: "Conflict" }, "Conflict"],
    [409, { reason: "AlreadyExists" }, "AlreadyExists"],
    [410, {}, "Gone"],
    [500, { reason: "Expired" }, "Gone"],
    [422, {}, "Invalid"],
    [429, {}, "TooManyRequests"],
    [500, {}, "Server"],
    [504, undefined, "Server"],
    [302, undefined, "BadResponse"],
  ])("returns for %d %j the failure %s", (code, status, wanted) => {
    expect(statusError("GET /x", code, status).failure).toBe(wanted);
  });

  it.each([
    ["3", {}, 3_000],
    [undefined, { details: { retryAfterSeconds: 2 } }, 2_000],
    ["Wed, 21 Oct 2026 07:28:00 GMT", {}, undefined],
    ["0", {}, undefined],
    [undefined, { details: "x" }, undefined],
  ])("reads from Retry-After %j with %j the pause of %j ms", (header, status, wanted) => {
    expect(statusError("GET /x", 429, status, header).retryAfterMs).toBe(wanted);
  });

  it("[E7] contains neither a reason nor a field that could hold a value", () => {
    const cause = { reason: "FieldValueInvalid", field: 'spec.env["s3cret value"]' };
    const causes = [cause, { reason: "s3cret value", field: "a" }, { field: "b" }, "x"];
    const error = statusError("GET /x", 422, { reason: 'bad "s3cret"', message: "s3cret", details: { causes } });
    expect(error.message).toBe("GET /x: 422 Invalid; FieldValueInvalid");
  });
});
