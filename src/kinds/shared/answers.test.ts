import { expect, it } from "vitest";

import { ApiError } from "../../platform/transport/errors.ts";
import { isStoppedAlready } from "./answers.ts";

it.each([
  ["a service that is stopped", { is: "Conflict" }, "The service is already stopped", true],
  ["a cluster that is stopped", { is: "Conflict" }, "Cluster is ALREADY STOPPED.", true],
  ["either of two", { is: "Conflict" }, "It is already stopped or an operation is in progress", false],
  ["one at work", { is: "Conflict" }, "Operation is in progress", false],
  ["another answer", { is: "Invalid" }, "The service is already stopped", false],
] as const)("isStoppedAlready knows %s", (_, failure, message, expected) => {
  expect(isStoppedAlready(new ApiError("stopDatabase", failure, 409, message))).toBe(expected);
});
