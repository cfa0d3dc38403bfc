import { describe, expect, it } from "vitest";

import { ConfigError } from "../../config/config.ts";
import { KubeError } from "../../kube/api/errors.ts";
import type { KubeFailure } from "../../kube/api/types.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { CliError, UsageError } from "./exit.ts";
import { explain } from "./explain.ts";

describe("explain(), which turns a failure into a message and an exit code", () => {
  it.each<[Error | string, number, string]>([
    [new CliError("As it is."), 1, "As it is."],
    [new CliError("Late.", 3), 3, "Late."],
    [new CliError("It has a\u001B[2J\u009B.\n  b\r"), 1, "It has a [2J .\n  b"],
    [new UsageError("Wrong."), 64, "Wrong."],
    [new ConfigError("--x is wrong"), 64, "--x is wrong"],
    // Without a stack trace.
    [new TypeError("a\u001B[31m\nb"), 1, "Unexpected error: a [31m b"],
    ["text", 1, "Unexpected error: text"],
  ])("explains an error of this program: %s", (error, code, message) => {
    expect(explain(error)).toEqual({ code, message });
  });

  it.each<[ApiFailure["is"], number, string]>([
    ["Unauthorized", 401, "The platform rejected the token (401, X). Replace the token in the connection's Secret."],
    ["Forbidden", 403, "The token may not do this (403, X). Use a connection whose token has the scope for it."],
    ["NotFound", 404, "The platform did not find it (404, X). Check the id and the connection."],
    ["NotSupported", 405, "This platform does not offer the operation (405, X)."],
    ["Intercepted", 403, "A firewall or proxy answered in place of the platform (403, X). Let the request pass there."],
    ["Conflict", 409, "The platform is busy (409, X). Try again later."],
    ["Invalid", 422, "The platform rejected the request (X)."],
    ["Rejected", 402, "The platform rejected the request (402, X)."],
    ["RateLimited", 429, "The platform asks to slow down. Try again in 2 s."],
    ["OverBudget", 0, "The platform asks to slow down. Try again in 2 s."],
    ["Server", 500, "The platform failed (X). Try again later."],
    ["Unreachable", 0, "The platform cannot be reached (X). Check spec.baseUrl of the connection and the network."],
    ["OutcomeUnknown", 500, "It is unknown whether the platform executed the request (X). Check before you try again."],
    ["BadResponse", 200, "The platform's response cannot be parsed (X)."],
    ["Refused", 0, "Nothing was sent (X)."],
  ])("explains an answer of the platform: %s", (is, status, message) => {
    const error = new ApiError("stopDatabase", { is, retryAfterMs: 1_100 }, status, "words");
    expect(explain(error)).toEqual({ code: 1, message: message.replace("X", "stopDatabase: words") });
  });

  it.each<[KubeFailure, string, number?]>([
    ["Unauthorized", "Unable to connect to the server: X", 0],
    ["Unauthorized", "You must be logged in to the server (Unauthorized). Sign in again, or check --context.", 401],
    ["Forbidden", "You may not do this in the cluster: X."],
    ["Unreachable", "Unable to connect to the server: X"],
    ["NotFound", "The cluster did not find it: X."],
    ["Server", "The cluster refused: X."],
  ])("explains an answer of the cluster: %s", (failure, message, status = 0) => {
    const error = new KubeError(failure, status, "GET /x: words");
    expect(explain(error)).toEqual({ code: 1, message: message.replace("X", "GET /x: words") });
  });
});
