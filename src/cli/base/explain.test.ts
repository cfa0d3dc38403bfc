import { describe, expect, it } from "vitest";

import { KubeError } from "../../kube/api/errors.ts";
import type { KubeFailure } from "../../kube/api/types.ts";
import { ConfigError } from "../../operator/config/config.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { CliError, UsageError } from "./exit.ts";
import { explain } from "./explain.ts";

const api = (failure: ApiFailure, status: number): ApiError => new ApiError("stopDatabase", failure, status, "words");
const kube = (failure: KubeFailure): KubeError => new KubeError(failure, 0, "GET /x: words");

describe("failures in words", () => {
  it.each<[Error, number, string]>([
    [new CliError("As it is."), 1, "As it is."],
    [new CliError("Late.", 3), 3, "Late."],
    [new CliError("It has a\u001B[2J\u009B.\n  b\r"), 1, "It has a [2J .\n  b"],
    [new UsageError("Wrong."), 64, "Wrong."],
    [new ConfigError("--x is wrong"), 64, "--x is wrong"],
    [new TypeError("a\u001B[31m\nb"), 1, "Unexpected error: a [31m b"],
    [
      api({ is: "Unauthorized" }, 401),
      1,
      "The platform rejected the token (401, stopDatabase: words). Replace the token in the connection's Secret.",
    ],
    [
      api({ is: "Forbidden" }, 403),
      1,
      "The token may not do this (403, stopDatabase: words). Use a connection whose token has the scope for it.",
    ],
    [
      api({ is: "NotFound" }, 404),
      1,
      "The platform did not find it (404, stopDatabase: words). Check the id and the connection.",
    ],
    [api({ is: "NotSupported" }, 405), 1, "This platform does not offer stopDatabase."],
    [api({ is: "Conflict" }, 409), 1, "The platform is busy (409, stopDatabase: words). Try again later."],
    [api({ is: "Invalid" }, 422), 1, "The platform rejected the request (stopDatabase: words)."],
    [api({ is: "RateLimited", retryAfterMs: 1500 }, 429), 1, "The platform asks to slow down. Try again in 2 s."],
    [api({ is: "OverBudget", retryAfterMs: 100 }, 0), 1, "The platform asks to slow down. Try again in 1 s."],
    [api({ is: "Server" }, 500), 1, "The platform failed (stopDatabase: words). Try again later."],
    [
      api({ is: "OutcomeUnknown" }, 500),
      1,
      "It is unknown whether the platform executed the request (stopDatabase: words). Check before you try again.",
    ],
    [api({ is: "BadResponse" }, 200), 1, "The platform's response cannot be parsed (stopDatabase: words)."],
    [api({ is: "Refused" }, 0), 1, "Nothing was sent (stopDatabase: words)."],
    [
      kube("Unauthorized"),
      1,
      "The cluster does not accept your credentials: GET /x: words. Sign in again, or check --context.",
    ],
    [kube("Forbidden"), 1, "You may not do this in the cluster: GET /x: words."],
    [kube("Unreachable"), 1, "The cluster cannot be reached: GET /x: words. Check --kubeconfig and --context."],
    [kube("NotFound"), 1, "The cluster did not find it: GET /x: words."],
    [kube("Server"), 1, "The cluster refused: GET /x: words."],
  ])("%s", (error, code, message) => {
    expect(explain(error)).toEqual({ code, message });
  });

  it("say where to look when the platform cannot be reached", () => {
    expect(explain(api({ is: "Unreachable" }, 0)).message).toContain("Check spec.baseUrl of the connection");
  });

  it("never hold a stack trace, whatever was thrown", () => {
    expect(explain("text").message).toBe("Unexpected error: text");
    expect(explain(new Error("x")).message).not.toContain(" at ");
  });
});
