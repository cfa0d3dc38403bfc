import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { keyValues } from "../../test/support/kube/key-values.ts";
import { figure } from "../../test/support/platform/figure.ts";
import { parseLogLevels, type LogLevels } from "../config/log-levels.ts";
import { KubeError } from "../kube/api/errors.ts";
import type { KeyValues } from "../kube/api/types.ts";
import { ApiError } from "../platform/transport/errors.ts";
import { createLevelSwitch, createLogs, type Fields, type Logger, withFields } from "./logger.ts";
import { createRedactor, redactingReader } from "./secrets.ts";

const CANARY = 'c4n4ry-"token"-ä\\/+?&1';

function levels(text: string): LogLevels {
  const read = parseLogLevels(text);
  if ("problem" in read) throw new Error(read.problem);
  return read;
}

function logging({ secrets = [CANARY], now = () => levels("trace") } = {}) {
  const lines: string[] = [];
  const redactor = createRedactor();
  for (const [index, value] of secrets.entries()) redactor.hold("shop", `token/${String(index)}`, value);
  const logs = createLogs({ levels: now, redactor, write: (line) => lines.push(line) });
  const parsed = () => lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  return { lines, logs, log: logs.app, redactor, parsed };
}

/** Every way in which a caller can hand a text to the log. */
const WAYS: readonly [string, (log: Logger, text: string) => void][] = [
  ["the message", (log, text) => log.info(text)],
  ["a line of the level trace", (log, text) => log.trace("x", { path: text })],
  ["a field", (log, text) => log.warn("x", { detail: text })],
  ["an error's message", (log, text) => log.error("x", { error: new Error(text) })],
  ["an error's cause", (log, text) => log.error("x", { error: new Error("x", { cause: new Error(text) }) })],
  ["an error's members", (log, text) => log.error("x", { error: Object.assign(new Error("x"), { body: text }) })],
  ["a thrown string", (log, text) => log.error("x", { error: text })],
  ["a SyntaxError", (log, text) => log.error("x", { error: new SyntaxError(`Unexpected token in ${text}`) })],
  ["a member that is not a field", (log, text) => log.info("x", { object: { spec: text } } as Fields)],
  ["a text that is cut within the secret", (log, text) => log.info("x", { detail: `${"a".repeat(1_015)}${text}` })],
];

/** Every spelling of a value. */
const SPELLINGS: readonly [string, (value: string) => string][] = [
  ["plain", (value) => value],
  ["in JSON", (value) => JSON.stringify({ value })],
  ["percent-encoded", (value) => encodeURIComponent(value)],
  ["in base64", (value) => Buffer.from(value).toString("base64")],
  ["in base64url", (value) => Buffer.from(value).toString("base64url")],
];

const SAID = WAYS.flatMap(([way, say]) => SPELLINGS.map(([spelling, spell]) => ({ way, say, spelling, spell })));

describe("the log", () => {
  it.each([
    ["throws", 'throw new Error("unexpected")'],
    ["exits", "process.exit()"],
    ["ends", ""],
  ])("of a process that %s has all lines on standard output, in order", async (_how, last) => {
    const from = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    const code = `
      import { createLogs } from ${from("logger.ts")};
      import { createRedactor } from ${from("secrets.ts")};
      import { parseLogLevels } from ${from("../config/log-levels.ts")};
      const levels = parseLogLevels("info");
      const { app } = createLogs({ levels: () => levels, redactor: createRedactor() });
      for (let count = 0; count < 500; count += 1) app.info("a line", { count, detail: "x".repeat(300) });
      ${last}`;
    const running = promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
    const { stdout } = await running.catch((error: unknown) => error as { readonly stdout: string });
    const counts = stdout.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as Fields).count]));
    expect(counts).toEqual(Array.from({ length: 500 }, (_, count) => count));
  });

  it("[E13] writes one JSON object a line, with the documented fields only", () => {
    const { log, lines, parsed } = logging();
    log.info("changed the platform", { kind: "PlatformProject", name: "shop", generation: 2, id: undefined });
    log.info("x", { object: { spec: 1 } } as Fields);
    expect(lines.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
    const usual = { level: "info", time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), logger: "app" };
    expect(parsed()).toEqual([
      { ...usual, message: "changed the platform", kind: "PlatformProject", name: "shop", generation: 2 },
      { ...usual, message: "x" },
    ]);
  });

  it("follows a change of its level, back to the level of the flag, and keeps its level when the new one is invalid", () => {
    const switched = createLevelSwitch(levels("info"));
    const { log, parsed } = logging(switched);
    log.debug("below the level");
    for (const text of ["", "debug", "debug", "verbose", "verbose"]) switched.set(log, text);
    log.debug("at the level");
    switched.set(log, "");
    log.debug("below the level");
    expect(parsed()).toMatchObject([
      { message: "the log level changed", to: "debug" },
      { level: "warn", detail: expect.stringContaining("must be trace, debug, info, warn or error") },
      { message: "at the level" },
      { message: "the log level changed", to: "that of the flag" },
    ]);
  });

  it("contains the name of the logger, each of which has a level of its own", () => {
    const { logs, parsed } = logging({ now: () => levels("error,platform=debug") });
    for (const log of Object.values(logs)) {
      log.debug("a detail");
      log.info("news");
    }
    const written = parsed().map(({ logger, message }) => `${String(logger)}: ${String(message)}`);
    expect(written).toEqual(["platform: a detail", "platform: news", "changes: news"]);
  });

  it("adds the fields of its context to each line that is written", () => {
    const { logs, parsed } = logging({ now: () => levels("info") });
    let asked = 0;
    const { engine } = withFields(logs, () => ({ reconcileID: String((asked += 1)) }));
    engine.debug("below the level");
    engine.info("one", { name: "a" });
    engine.info("two");
    expect(parsed()).toMatchObject([
      { logger: "engine", reconcileID: "1", name: "a" },
      { logger: "engine", reconcileID: "2" },
    ]);
    expect(asked).toBe(2);
  });

  it.each<[unknown, object]>([
    [new KubeError("Forbidden", 403, "no"), { name: "KubeError", failure: "Forbidden", message: "no" }],
    [new ApiError("stopCluster", { is: "Server" }, 502, "no"), { name: "ApiError", failure: "Server", message: "no" }],
    [Object.assign(new Error("read"), { code: "EPIPE" }), { name: "Error", failure: "EPIPE", message: "read" }],
    ["oops", { name: "string" }],
  ])("writes an error as name, failure and message: %s", (error, shown) => {
    const { log, parsed } = logging();
    log.error("x", { error });
    expect(parsed()[0]?.["error"]).toEqual(shown);
  });

  it("writes the frames of an unexpected error's stack, without its message", () => {
    const { log, parsed } = logging();
    log.error("x", { error: new TypeError("one\n    at liar (file:1:1)") });
    const frame = expect.stringMatching(/^at .*logger\.test\.ts/);
    expect(parsed()).toMatchObject([{ error: { name: "TypeError", frames: expect.arrayContaining([frame]) } }]);
    expect(parsed()).not.toMatchObject([{ error: { frames: expect.arrayContaining(["at liar (file:1:1)"]) } }]);
  });

  it("[E13] removes characters that control a terminal or change the direction of text", () => {
    const { log, lines } = logging();
    log.info("a\u001b[31mb\u202Ec\nd", { name: "x\u0000y\u2028z" });
    expect(lines[0]).toMatch(/"message":"a \[31mb c d"/);
    expect(lines[0]).toMatch(/"name":"x y z"/);
  });

  it.for(SAID)("[E6] omits a secret in $way, $spelling", ({ say, spell }, { task }) => {
    const { logs, lines, parsed } = logging();
    say(withFields(logs, () => ({ about: "shop" })).app, `before ${spell(CANARY)} after`);
    expect(lines).toHaveLength(1);
    expect(parsed()).toHaveLength(1);
    for (const [, other] of SPELLINGS) {
      // A cut could leave a part of it.
      expect(lines[0]).not.toContain(other(CANARY).slice(0, 8));
    }
    figure(task, `0 of ${SPELLINGS.length} spellings in a line, by any of ${WAYS.length} ways into it`);
  });

  it("[E6] keeps its field names and the identities of objects, also where a secret equals them", () => {
    const named = {
      kind: "PlatformProject",
      namespace: "shop",
      name: "hidden-name",
      uid: "hidden-uid",
      generation: 123_456,
    };
    const { log, parsed } = logging({
      secrets: ["123456", '":"info', "message", "logger", "shop", "hidden-name", "hidden-uid"],
    });
    log.info("a message about hidden-name", named);
    const usual = { level: "info", time: expect.anything(), logger: "app" };
    expect(parsed()).toEqual([{ ...usual, ...named, message: "a [redacted] about [redacted]" }]);
  });

  it.each<[string, Fields]>([
    ["its namespace", { namespace: "shop" }],
    ["a connection of its namespace", { connection: "PlatformConnection/shop/default" }],
    ["the reconcile of an object of its namespace", { about: "shop" }],
  ])("[E6] masks the value of a namespace in a line about %s", (_what, fields) => {
    const { log, parsed } = logging();
    log.info("x", { ...fields, detail: CANARY });
    expect(parsed()).toMatchObject([{ detail: "[redacted]" }]);
    expect(parsed()[0]).not.toHaveProperty("about");
  });

  it("[E6] does not mask the value of a namespace in lines about other namespaces", () => {
    const { log, parsed, redactor } = logging();
    redactor.hold("", "token", "a-token-of-the-cluster");
    log.info("x", { namespace: "other", detail: `${CANARY} a-token-of-the-cluster` });
    expect(parsed()).toMatchObject([{ detail: `${CANARY} [redacted]` }]);
  });
});

describe("[E6] the redactor", () => {
  it("does not mask short values, as that would mask ordinary words", () => {
    const { redactor } = logging({ secrets: ["short"] });
    expect(redactor.redact("a short line", "shop")).toBe("a short line");
  });

  it("masks the value before a rotation, and no older one", () => {
    const { redactor } = logging({ secrets: [] });
    for (const value of ["first-value", "second-value", "second-value"]) redactor.hold("shop", "token", value);
    expect(redactor.redact("first-value second-value", "shop")).toBe("[redacted] [redacted]");
    redactor.hold("shop", "token", "third-value");
    expect(redactor.redact("first-value, second-value, third-value", "shop")).toBe(
      "first-value, [redacted], [redacted]",
    );
  });

  it("masks the most recently read values of a namespace, up to 128 KiB", () => {
    const { redactor } = logging();
    for (let index = 0; index < 2_000; index += 1)
      redactor.hold("shop", `large/${String(index)}`, `value-${String(index)}-${"x".repeat(100)}`);
    expect(redactor.redact(CANARY, "shop")).toBe(CANARY);
    expect(redactor.redact(`value-1999-${"x".repeat(100)}`, "shop")).toBe("[redacted]");
    redactor.hold("other", "token", "of-another-namespace");
    expect(redactor.redact("of-another-namespace", "other")).toBe("[redacted]");
  });

  it("forgets a value that has not been read for a day", () => {
    let now = 0;
    const redactor = createRedactor(() => now);
    redactor.hold("shop", "token", "an-old-value");
    now = 86_399_999;
    expect(redactor.redact("an-old-value", "shop")).toBe("[redacted]");
    now += 1;
    expect(redactor.redact("an-old-value", "shop")).toBe("an-old-value");
  });

  it("remembers the keys that are read from a Secret, and forgets them with the key or the Secret", async () => {
    const redactor = createRedactor();
    let secret: KeyValues | undefined = keyValues("1", {
      k: "secret-value",
      l: "second-value",
      unread: "unread-value",
    });
    const reader = redactingReader(
      { secret: async () => secret, configMap: async () => keyValues("1", { k: "public-value" }) },
      redactor,
    );
    const readAll = async (): Promise<string> => {
      const read = await reader.secret("shop", "token", 0);
      for (const key of ["k", "l"]) read?.get(key);
      (await reader.configMap("shop", "settings", 0))?.get("k");
      return redactor.redact("secret-value, second-value, unread-value, public-value", "shop");
    };
    expect(await readAll()).toBe("[redacted], [redacted], unread-value, public-value");
    secret = keyValues("2", { k: "secret-value" });
    expect(await readAll()).toBe("[redacted], second-value, unread-value, public-value");
    secret = undefined;
    expect(await readAll()).toBe("secret-value, second-value, unread-value, public-value");
  });
});
