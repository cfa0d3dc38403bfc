import { describe, expect, it } from "vitest";

import { platformWith } from "../../../test/support/kinds/platform.ts";
import {
  observedIn,
  contextWith,
  statusOf,
  deployment,
  inputsWith,
  print,
} from "../../../test/support/services/applications.ts";
import { ApiError, type ApiFailure } from "../../platform/transport/errors.ts";
import { readFailureLog } from "./failure-log.ts";
import { application } from "./index.ts";

const ESC = String.fromCodePoint(27);

/** @returns the kept lines of a log @param context e.g. the variables of the application */
async function kept(log: readonly string[] | ApiError, context: Parameters<typeof contextWith>[0] = {}) {
  const read = () => (log instanceof ApiError ? Promise.reject(log) : Promise.resolve(log));
  return await readFailureLog(contextWith(context), 20, platformWith({ applications: { log: read } }));
}

const variable = (value: string, isSecret = true) => ({ name: "V", value, isSecret });

describe("the log that is kept with a failure", () => {
  const thirty = Array.from({ length: 30 }, (_, at) => `line ${at}`);

  it.each<[name: string, log: readonly string[], shown: readonly string[]]>([
    ["has the last lines", thirty, thirty.slice(10)],
    ["has no control characters", [`${ESC}[31mred${ESC}[0m\u0007 a\tb\u202E c`], ["red a b c"]],
    ["has no blank lines", ["", "  ", "one", "\r"], ["one"]],
    ["has no credentials of a URL", ["fetch https://me:pa55@example.com/x"], ["fetch https://•••@example.com/x"]],
    ["has the last lines of a message of many", ["x\n".repeat(100_000), "last"], [...Array(19).fill("x"), "last"]],
    ["is not made of a message of blank lines", ["lost", "\n".repeat(100_000)], []],
    ["may be empty", [], []],
  ])("%s", async (_name, log, shown) => {
    expect(await kept(log)).toEqual(shown);
  });

  it("has at most 2 KiB, of whole lines, and 300 characters of a line", async () => {
    const lines = (await kept(Array.from({ length: 20 }, (_, at) => `${at} ${"ä€".repeat(500)}`))) ?? [];
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((line) => line.length === 300 && line.endsWith("…"))).toBe(true);
    expect(Buffer.byteLength(lines.join("\n"))).toBeLessThanOrEqual(2_048);
    expect(lines.at(-1)).toMatch(/^19 /);
  });

  it("masks the secrets of the application in every spelling, also one of several lines and one at a cut", async () => {
    const variables = [variable("hunter22"), variable("first\nsecond"), variable("fast", false)];
    const inputs = inputsWith(variables, print("none"));
    const records = { withoutSecrets: (text: string) => text.replaceAll("of-a-set", "[redacted]") };
    const [encoded, long] = [Buffer.from("hunter22").toString("base64url"), "x".repeat(295)];
    const log = ["password=hunter22", encoded, "key first", "second end", `${long}hunter22`, "of-a-set", "fast"];
    const shown = await kept(log, { inputs, ...records });
    expect(shown).toEqual(["password=•••", "•••", "key ••• end", `${long}•••`, "[redacted]", "fast"]);
  });

  it.each<[failure: ApiFailure, status: number, shown: readonly string[] | undefined]>([
    [{ is: "Server" }, 503, ["(getApplicationLog was answered 503)"]],
    [{ is: "Unreachable" }, 0, ["(getApplicationLog was not answered)"]],
    [{ is: "OverBudget", retryAfterMs: 1 }, 0, undefined],
  ])("says that %o was the answer, and waits where nothing was sent", async (failure, status, shown) => {
    expect(await kept(new ApiError("getApplicationLog", failure, status, "hunter22"))).toEqual(shown);
  });
});

describe("the report of a failure with a log", () => {
  const failed = (state: string) => observedIn(state, { status: statusOf(state), failureLog: ["why"] });
  const of = (change: Parameters<typeof contextWith>[0], state = "BUILD_ERROR") =>
    application.report(contextWith(change), failed(state)).status["lastFailure"];
  const logs = { spec: { logs: { onFailure: 5 } } };

  it("is of a build or a deployment, as the spec says, else the connection", () => {
    expect(of(logs)).toMatchObject({ state: "BUILD_ERROR", log: ["why"] });
    expect(of({ failureLogLines: 5 }, "DEPLOYMENT_ERROR")).toMatchObject({ log: ["why"] });
    const off = { failureLogLines: 5, spec: { logs: { onFailure: 0 } } };
    for (const failure of [of(off), of({}), of(logs, "STOP_ERROR")]) expect(failure).not.toHaveProperty("log");
  });

  it("keeps the log of the same failure, and none of an earlier deployment", () => {
    const before = { state: "BUILD_ERROR", message: "", at: "2026-11-21T09:00:00.000Z", log: ["old"] };
    const report = (startedAt: string) => {
      const memory = { lastDeployment: { ...deployment(), startedAt }, lastFailure: before };
      const observed = { ...failed("BUILD_ERROR"), failureLog: undefined };
      return application.report(contextWith({ ...logs, memory }), observed).status["lastFailure"];
    };
    expect(report("2026-11-21T08:59:00.000Z")).toMatchObject({ log: ["old"], at: before.at });
    expect(report("2026-11-21T09:01:00.000Z")).not.toHaveProperty("log");
  });
});
