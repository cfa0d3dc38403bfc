import { expect, it } from "vitest";

import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { isStoppedAlready, sideRead } from "./answers.ts";

it.each([
  ["a service that is stopped", { is: "Conflict" }, "The service is already stopped", true],
  ["a cluster that is stopped", { is: "Conflict" }, "Cluster is ALREADY STOPPED.", true],
  ["either of two", { is: "Conflict" }, "It is already stopped or an operation is in progress", false],
  ["one at work", { is: "Conflict" }, "Operation is in progress", false],
  ["another answer", { is: "Invalid" }, "The service is already stopped", false],
] as const)("isStoppedAlready knows %s", (_, failure, message, expected) => {
  expect(isStoppedAlready(new ApiError("stopDatabase", failure, 409, message))).toBe(expected);
});

it.each<[string, ApiFailure, number, string]>([
  [
    "has the platform's sentence in a refusal",
    { is: "Forbidden" },
    403,
    "answered 403 to listSecrets, the operation that shows the variables: It is forbidden.",
  ],
  [
    "has none after an error of the server",
    { is: "Server" },
    500,
    "answered 500 to listSecrets, the operation that shows the variables.",
  ],
  [
    "has none without an answer",
    { is: "Unreachable" },
    0,
    "did not answer listSecrets, the operation that shows the variables.",
  ],
])("the fault of a side read %s", async (_name, failure, status, expected) => {
  const error = new ApiError("listSecrets", failure, status, "It is forbidden.");
  const { fault } = await sideRead(Promise.reject(error), "the variables");
  expect(fault?.message).toBe(`The platform ${expected}`);
});
